package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
)

// A listed is one product in the endpoint's list.
type listed struct {
	Publication string        `json:"publication"`
	ID          httpshop.Text `json:"id"`
	URL         httpshop.Text `json:"url"`
	OnSale      bool          `json:"onSale"`
}

const maxPages = 1000

// noList is the reason of what is skipped without a list.
var noList = &Skip{"the endpoint has no list: GET {base}/products?after= answers 404"}

// products reads the whole list by publication. The error is noList where the endpoint has none.
func (c *caller) products(ctx context.Context) (map[string][]listed, error) {
	all := map[string][]listed{}
	seen := map[string]bool{}
	after := ""
	for range maxPages {
		r, err := c.do(ctx, request{method: http.MethodGet, path: "/products?after=" + url.QueryEscape(after)})
		if err != nil {
			return nil, err
		}
		if after == "" &&
			(r.status == http.StatusNotFound || r.status == http.StatusMethodNotAllowed || r.status == http.StatusNotImplemented) {
			return nil, noList
		}
		var page struct {
			Products []listed `json:"products"`
			After    string   `json:"after"`
		}
		if r.status != http.StatusOK {
			return nil, fmt.Errorf(
				"the list was answered with %d: 200 is wanted, or 404 where there is no list",
				r.status,
			)
		}
		if err := json.Unmarshal(r.body, &page); err != nil {
			return nil, fmt.Errorf(
				`a page of the list is not {"products":[{"publication","id","url","onSale"}],"after"}: %w`,
				err,
			)
		}
		for _, p := range page.Products {
			if p.Publication == "" || p.ID == "" {
				return nil, fmt.Errorf(`the list has a product without "publication" or "id" after %q`, after)
			}
			all[p.Publication] = append(all[p.Publication], p)
		}
		if page.After == "" {
			return all, nil
		}
		if seen[page.After] {
			return nil, fmt.Errorf("the list comes back to %q and has no end", page.After)
		}
		seen[page.After], after = true, page.After
	}
	return nil, fmt.Errorf("the list has more than %d pages", maxPages)
}

// there reports whether the endpoint holds a publication, as far as it tells: by its list or, where
// it has none, by how it answers the DELETE of it. Without a list the product is gone afterwards.
// told is false where it answers the DELETE of nothing as it does any other.
func (b *bench) there(ctx context.Context, id shopadapter.PublicationID) (there, told bool, err error) {
	all, err := b.products(ctx)
	if err == nil {
		return len(all[string(id)]) > 0, true, nil
	}
	if err = ignoreNoList(err); err != nil {
		return false, false, err
	}
	nothing, err := b.remove(ctx, b.id("nothing"), shopadapter.Delete)
	if err != nil {
		return false, false, err
	}
	this, err := b.remove(ctx, id, shopadapter.Delete)
	if err != nil {
		return false, false, err
	}
	return this.status != http.StatusNotFound, nothing.status == http.StatusNotFound, nil
}

// stand is nil when each publication is held: each is deleted, and answered as what is there.
func (b *bench) stand(ctx context.Context, ids ...shopadapter.PublicationID) error {
	for _, id := range ids {
		r, err := b.remove(ctx, id, shopadapter.Delete)
		if err != nil {
			return err
		}
		if r.status != http.StatusNoContent {
			return fmt.Errorf("DELETE of %q, which was put, was answered %d, 204 is wanted", id, r.status)
		}
	}
	return nil
}

// one is the one entry of a publication in the list.
func one(all map[string][]listed, id string) (listed, error) {
	if n := len(all[id]); n != 1 {
		return listed{}, fmt.Errorf("the list holds %d products of %s, 1 is wanted", n, id)
	}
	return all[id][0], nil
}
