package httpshop

import (
	"context"
	"iter"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/amount"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// pageLimits let a hundred products with as many variants each pass.
var pageLimits = wire.Limits{Bytes: 4 << 20, Elements: 200_000}

// So many pages in a row without anything new mean a list without end. Some are empty: an endpoint may page over
// products that it does not show. One that shows products again has no more to show.
const mostEmpty, mostRepeated = 1_000, 2

// List returns ErrNoList if the endpoint answers 404, 405 or 501, and for single listings unless its health says
// observed.
func (a *adapter) List(ctx context.Context, q shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		if err := a.list(ctx, q, func(l shopadapter.Listed) bool { return yield(l, nil) }); err != nil {
			yield(shopadapter.Listed{}, err)
		}
	}
}

func (a *adapter) list(ctx context.Context, q shopadapter.Query, visit func(shopadapter.Listed) (more bool)) error {
	some, one, left := q.Refs != nil, "", map[shopadapter.PublicationID]bool{}
	for _, ref := range q.Refs {
		left[ref.Publication] = true
	}
	if some && len(left) == 0 || a.unpriced != nil {
		return a.unpriced
	}
	if some {
		if health, err := a.health.Get(ctx, false); err != nil || !health.Observed {
			return shopadapter.ErrNoList
		}
	}
	if len(left) == 1 { // an endpoint that ignores it lists all
		one = "&publication=" + url.QueryEscape(string(q.Refs[0].Publication))
	}
	cursors, known := map[string]bool{}, map[shopadapter.PublicationID]bool{}
	after, repeated := "", 0
	for empty := 0; !cursors[after] && empty < mostEmpty && repeated < mostRepeated; empty++ {
		page, err := a.page(ctx, after, one)
		if err != nil {
			return err
		}
		if len(page.Products) > 0 {
			repeated++
		}
		for _, e := range page.Products {
			if !known[e.Publication] {
				known[e.Publication], empty, repeated = true, 0, 0
			}
			if e.Publication == "" || e.ID == "" {
				return shopadapter.Retry("the shop's endpoint lists a product without its publication or its id")
			}
			if some && !left[e.Publication] {
				continue
			}
			delete(left, e.Publication)
			if !visit(a.observed(e)) || some && len(left) == 0 {
				return nil
			}
		}
		if page.After == "" {
			return nil
		}
		cursors[after], after = true, string(page.After)
	}
	return shopadapter.Retry("the list of the shop's endpoint comes back to where it was: it has no end")
}

func (a *adapter) page(ctx context.Context, after, one string) (page Answer, err error) {
	resp, err := a.Send(ctx, http.MethodGet, "/products?after="+url.QueryEscape(after)+one, nil, pageLimits)
	if err != nil {
		return page, err
	}
	noList := []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}
	page, _ = Read(resp.Body)
	switch {
	case after == "" && slices.Contains(noList, resp.Status):
		err = shopadapter.ErrNoList
	case resp.Status != http.StatusOK:
		err = a.unwell(resp)
	case page.Products == nil:
		// A page of HTML, or an answer to another question, must not look like an empty shop.
		err = shopadapter.Retry("the shop's endpoint answered a list that cannot be read: %s", a.explain(resp))
	}
	return page, err
}

type entry struct {
	Publication shopadapter.PublicationID
	ID, URL     Text
	OnSale      bool
	Variants    []standing // if the endpoint is observed
	Images      Text
	Edited      []Text // nil: not told
}

// A standing variant is one in the shop, by the shop's id or the marketplace's.
type standing struct {
	ID, SKU         Text
	Price, Quantity figure // the regular price
	Backorders      bool
	OnSale          *bool // nil: yes
}

// A figure may be left out; if null or empty it is there, and is none.
type figure struct {
	Text
	there bool
}

// UnmarshalJSON never fails.
func (f *figure) UnmarshalJSON(data []byte) error {
	f.there = true
	return f.Text.UnmarshalJSON(data)
}

// observed returns a listed product. Untold are a figure that no variant has, and prices if one cannot be read; an
// emptied price is none.
func (a *adapter) observed(e entry) shopadapter.Listed {
	l := shopadapter.Listing{ID: shopadapter.ListingID(e.ID), OnSale: e.OnSale, Images: -1}
	if goodAddress(string(e.URL)) {
		l.URL = string(e.URL)
	}
	if n, told := count(e.Images); told && n >= 0 {
		l.Images = n
	}
	if e.Edited != nil {
		l.Compared, l.Edited = shopadapter.TextFields, groups(e.Edited)
	}
	if e.Variants != nil {
		l.Variants = []shopadapter.ListedVariant{}
	}
	if len(e.Variants) > 0 {
		l.Untold = shopadapter.FieldPrice | shopadapter.FieldStock
	}
	odd := shopadapter.NoFields
	for _, v := range e.Variants {
		price := string(v.Price.Text)
		if _, read := amount.Parse(price); !read && price != "" {
			price, odd = "", shopadapter.FieldPrice
		} else if a.prices.Net() {
			price = a.prices.Shown(price)
		}
		if v.Price.there {
			l.Untold &^= shopadapter.FieldPrice
		}
		if v.Quantity.there {
			l.Untold &^= shopadapter.FieldStock
		}
		quantity, counted := count(v.Quantity.Text)
		l.Variants = append(l.Variants, shopadapter.ListedVariant{
			ID: string(v.ID), ShopID: string(v.ID), SKU: string(v.SKU), Price: price, Quantity: quantity,
			Uncounted: !counted, Backorders: v.Backorders, OnSale: v.OnSale == nil || *v.OnSale,
		})
	}
	l.Untold |= odd
	return shopadapter.Listed{Ref: shopadapter.Ref{Publication: e.Publication, Listing: l.ID}, Listing: l}
}

func count(text Text) (n int, told bool) {
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return 0, false
	}
	return int(f), true
}
