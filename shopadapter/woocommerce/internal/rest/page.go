package rest

import (
	"context"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strconv"
)

// PerPage is how much a page of a list holds: the most that WooCommerce gives.
const PerPage = 100

// A listPage is a part of a list.
type listPage[T any] struct {
	Items []T
	Total int  // how many the whole list holds; -1: the shop does not say
	Last  bool // nothing follows
}

// Pages ranges over the pages of a list, in the order of the ids unless the query says otherwise.
// It ends after the last page, after the given number of pages, or with an error.
func Pages[T any](
	ctx context.Context, c *Client, path string, query url.Values, most int,
) iter.Seq2[listPage[T], error] {
	return func(yield func(listPage[T], error) bool) {
		asked := url.Values{"per_page": {strconv.Itoa(PerPage)}, "orderby": {"id"}, "order": {"asc"}}
		maps.Copy(asked, query)
		for n := 1; n <= most; n++ {
			asked.Set("page", strconv.Itoa(n))
			var some List[T]
			header, err := c.Call(ctx, Request{Method: http.MethodGet, Path: path, Kind: KindList, Query: asked}, &some)
			if err != nil {
				yield(listPage[T]{}, err)
				return
			}
			p := listPage[T]{Items: some, Total: -1, Last: len(some) < PerPage}
			if total, err := strconv.Atoi(header.Get("X-WP-Total")); err == nil {
				p.Total = total
			}
			if !yield(p, nil) || p.Last {
				return
			}
		}
	}
}

// Page is a part of a list, so many behind the first ones, in the order of the ids.
func Page[T any](ctx context.Context, c *Client, path string, query url.Values, skip, size int) ([]T, error) {
	asked := url.Values{"per_page": {strconv.Itoa(size)}, "orderby": {"id"}, "order": {"asc"}}
	maps.Copy(asked, query)
	if skip > 0 {
		asked.Set("offset", strconv.Itoa(skip))
	}
	var some List[T]
	_, err := c.Call(ctx, Request{Method: http.MethodGet, Path: path, Kind: KindList, Query: asked}, &some)
	return some, err
}
