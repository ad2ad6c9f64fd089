package rest

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/pubsync/pubsync/shopadapter"
)

// ProductPath is where a product is, below the API's root.
func ProductPath(id int64) string { return "/products/" + strconv.FormatInt(id, 10) }

// asking is a query of names and values in turn.
func asking(pairs ...string) url.Values {
	query := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		query.Set(pairs[i], pairs[i+1])
	}
	return query
}

// Get reads something into out. pairs are the names and values of the query.
func (c *Client) Get(ctx context.Context, kind, path string, out any, pairs ...string) error {
	_, err := c.Call(ctx, Request{Method: http.MethodGet, Path: path, Kind: kind, Query: asking(pairs...)}, out)
	return err
}

// Product reads some fields of a product, "" for all that the adapter goes by. The zero product is
// none: there is no product of this id.
func (c *Client) Product(ctx context.Context, id int64, fields string) (p Product, err error) {
	if fields == "" {
		fields = ProductFields
	}
	err = c.Get(ctx, KindRead, ProductPath(id), &p, "context", "edit", "_fields", fields, "include_meta", StampKey)
	switch {
	case Gone(err):
		return Product{}, nil
	case err != nil:
		return Product{}, err
	case int64(p.ID) != id:
		return Product{}, shopadapter.Retry("the shop answered with another product than was asked for")
	}
	return p, nil
}

// Products reads up to a hundred products that a query finds, with all that the adapter goes by.
// Those that a filter has lost are among them, so each is to be held against what was asked for.
func (c *Client) Products(ctx context.Context, pairs ...string) (some List[Product], err error) {
	pairs = append(
		pairs, "per_page", strconv.Itoa(PerPage), "context", "edit", "_fields", ProductFields, "include_meta", StampKey,
	)
	err = c.Get(ctx, KindList, "/products", &some, pairs...)
	return some, err
}

// Write makes a product, or changes the one with the id. kind is KindUpload where the shop is to
// load pictures.
func (c *Client) Write(ctx context.Context, kind string, id int64, body map[string]any) (got Product, err error) {
	r := Request{
		Method: http.MethodPost, Path: "/products", Body: body, Kind: kind,
		Query: asking("_fields", ProductFields, "include_meta", StampKey),
	}
	if id > 0 {
		r.Method, r.Path = http.MethodPut, ProductPath(id)
	}
	_, err = c.Call(ctx, r, &got)
	return got, err
}

// Remove deletes a product for good. One that is gone already is no error.
func (c *Client) Remove(ctx context.Context, id int64) error {
	r := Request{
		Method: http.MethodDelete, Path: ProductPath(id), Kind: KindWrite, Query: asking("force", "true", "_fields", "id"),
	}
	var got Product
	if _, err := c.Call(ctx, r, &got); !Gone(err) {
		return err
	}
	return nil
}
