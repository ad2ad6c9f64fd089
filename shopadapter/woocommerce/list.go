package woocommerce

import (
	"context"
	"net/url"
	"strconv"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

const (
	// mostPages bounds an enumeration: a million products.
	mostPages = 10_000
	// mostPasses is how often an enumeration is begun anew because a product was deleted during it.
	mostPasses = 3
)

// listedOf is a product as it is listed, and its stamp. ours is false for one without a stamp that
// was written for it, and for one in the trash.
func listedOf(p rest.Product) (l shopadapter.Listed, s productStamp, ours bool) {
	s = readStamp(rest.Stamp(p.Meta))
	publication, err := url.QueryUnescape(s.ID)
	if err != nil || p.ID <= 0 || p.Type == "variation" || p.Status == "trash" || !s.original(int64(p.ID)) {
		return l, s, false // it is in the trash, or nothing that the adapter wrote
	}
	l = shopadapter.Listed{
		Ref: shopadapter.Ref{
			Publication: shopadapter.PublicationID(publication),
			Listing:     shopadapter.ListingID(strconv.FormatInt(int64(p.ID), 10)),
		},
		Listing: shopadapter.Listing{
			ID: shopadapter.ListingID(strconv.FormatInt(int64(p.ID), 10)), OnSale: p.OnSale(),
		},
	}
	if l.OnSale {
		l.URL = string(p.Link)
	}
	return l, s, true
}

// stamped is every product that carries a stamp and is not in the trash, by the encoded id of its
// publication.
func (a *adapter) stamped(ctx context.Context) (map[string]rest.Product, error) {
	for pass := 1; ; pass++ {
		found, shifted, err := a.pass(ctx)
		if err != nil || !shifted || pass == mostPasses {
			return found, err
		}
	}
}

// listedFields is what an enumeration asks for of a product.
const listedFields = "id,parent_id,type,status,sku,permalink,catalog_visibility,post_password,meta_data"

// pass reads the list once. shifted: it became shorter meanwhile, so that a product may have moved
// to a page that was read already.
func (a *adapter) pass(ctx context.Context) (found map[string]rest.Product, shifted bool, err error) {
	found = map[string]rest.Product{}
	total, seen := 0, 0
	query := url.Values{
		"context": {"edit"}, "_fields": {listedFields}, "include_meta": {rest.StampKey},
	}
	for page, err := range rest.Pages[rest.Product](ctx, a.Client, "/products", query, mostPages) {
		if err != nil {
			return nil, false, err
		}
		if page.Total >= 0 {
			shifted = shifted || page.Total < total
			total = page.Total
		}
		for _, p := range page.Items {
			_, s, ours := listedOf(p)
			if !ours {
				continue
			}
			// A copy of a product that has only been written once carries a stamp without an id. It
			// is younger, and so is its id.
			if other, twice := found[s.ID]; !twice || better(p, other) {
				found[s.ID] = p
			}
		}
		if seen += len(page.Items); seen == total {
			break
		}
	}
	return found, shifted, nil
}

// better tells which of two products with the stamp of one publication is the original: the one
// whose stamp names it, else the older.
func better(p, other rest.Product) bool {
	named, otherNamed := readStamp(rest.Stamp(p.Meta)).Product != 0, readStamp(rest.Stamp(other.Meta)).Product != 0
	if named != otherNamed {
		return named
	}
	return p.ID < other.ID
}
