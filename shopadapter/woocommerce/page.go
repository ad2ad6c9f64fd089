package woocommerce

import (
	"context"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strconv"
)

// perPage is how much a page of a list holds: the most that WooCommerce gives.
const perPage = 100

// A listPage is a part of a list.
type listPage[T any] struct {
	items []T
	total int  // how many the whole list holds; -1: the shop does not say
	last  bool // nothing follows
}

// pages ranges over the pages of a list, in the order of the ids unless the query says otherwise.
// It ends after the last page, after the given number of pages, or with an error.
func pages[T any](
	ctx context.Context,
	c *client,
	path string,
	query url.Values,
	most int,
) iter.Seq2[listPage[T], error] {
	return func(yield func(listPage[T], error) bool) {
		asked := url.Values{"per_page": {strconv.Itoa(perPage)}, "orderby": {"id"}, "order": {"asc"}}
		maps.Copy(asked, query)
		for n := 1; n <= most; n++ {
			asked.Set("page", strconv.Itoa(n))
			var some list[T]
			header, err := c.call(ctx, request{method: http.MethodGet, path: path, kind: kindList, query: asked}, &some)
			if err != nil {
				yield(listPage[T]{}, err)
				return
			}
			p := listPage[T]{items: some, total: -1, last: len(some) < perPage}
			if total, err := strconv.Atoi(header.Get("X-WP-Total")); err == nil {
				p.total = total
			}
			if !yield(p, nil) || p.last {
				return
			}
		}
	}
}
