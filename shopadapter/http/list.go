package httpshop

import (
	"context"
	"encoding/json"
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

// A page is a part of the endpoint's list.
type page struct {
	Products []entry `json:"products"`
	After    string  `json:"after"`
}

// An entry is one product in the list. Where the endpoint is observed, it has its variants.
type entry struct {
	Publication shopadapter.PublicationID `json:"publication"`
	ID          Text                      `json:"id"`
	URL         Text                      `json:"url"`
	OnSale      lenient[bool]             `json:"onSale"`
	Variants    lenient[[]standing]       `json:"variants"`
	Images      lenient[Text]             `json:"images"`
	Edited      *lenient[[]Text]          `json:"edited"` // nil where the endpoint does not tell
}

// A standing variant is one as it stands in the shop. Its id is the shop's or the marketplace's.
type standing struct {
	ID         Text           `json:"id"`
	SKU        Text           `json:"sku"`
	Price      lenient[Text]  `json:"price"` // the regular one
	Quantity   lenient[Text]  `json:"quantity"`
	Backorders lenient[bool]  `json:"backorders"`
	OnSale     *lenient[bool] `json:"onSale"`
}

// pageLimits bound what is read of one page of the list: a hundred products, each with as many
// variants, fit.
var pageLimits = wire.Limits{Bytes: 4 << 20, Elements: 200_000, Depth: 20}

// mostPages bounds a list. An endpoint may show few of the products that it pages over, so that some pages
// are empty.
const mostPages = 10_000

// List ranges over the endpoint's list. The list is optional: an endpoint without one answers 404,
// which is ErrNoList; so is a list that tells no more than what is on sale, where single listings are
// asked for. It is asked for one listing where one is asked for. Those that are not wanted are left
// out here.
func (a *adapter) List(ctx context.Context, q shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		wanted := map[shopadapter.PublicationID]bool{}
		for _, ref := range q.Refs {
			wanted[ref.Publication] = true
		}
		some, one := q.Refs != nil, ""
		if some && len(wanted) == 0 {
			return
		}
		if len(wanted) == 1 {
			one = "&publication=" + url.QueryEscape(string(q.Refs[0].Publication))
		}
		prices, err := a.prices()
		if some && err == nil {
			if said, unknown := a.said.Get(ctx, false); unknown != nil || !said.Observed.is {
				err = shopadapter.ErrNoList
			}
		}
		if err == nil {
			err = a.pages(ctx, one, func(e entry) (more bool) {
				if some && !wanted[e.Publication] {
					return true
				}
				delete(wanted, e.Publication)
				return yield(observed(e, prices), nil) && (!some || len(wanted) > 0)
			})
		}
		if err != nil {
			yield(shopadapter.Listed{}, err)
		}
	}
}

// pages reads what the endpoint lists until entry wants no more. one asks for one publication alone: an
// endpoint that does not know the word lists the others too. A cursor that comes twice is an error.
func (a *adapter) pages(ctx context.Context, one string, visit func(entry) (more bool)) error {
	after, cursors := "", map[string]bool{}
	for len(cursors) < mostPages && !cursors[after] {
		p, err := a.page(ctx, after, one)
		if err != nil {
			return err
		}
		for _, e := range p.Products {
			if e.Publication == "" || e.ID == "" {
				return shopadapter.Retry("the shop's endpoint lists a product without its publication or its id")
			}
			if !visit(e) {
				return nil
			}
		}
		if p.After == "" {
			return nil
		}
		cursors[after], after = true, p.After
	}
	return shopadapter.Retry("the list of the shop's endpoint has no end")
}

func (a *adapter) page(ctx context.Context, after, one string) (p page, err error) {
	resp, err := a.send(ctx, http.MethodGet, "/products?after="+url.QueryEscape(after)+one, nil, pageLimits)
	noList := []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}
	switch {
	case err != nil:
		return p, err
	case after == "" && slices.Contains(noList, resp.Status):
		a.said.Forget() // of one that had a list
		return p, shopadapter.ErrNoList
	case resp.Status != http.StatusOK:
		return p, a.unwell(resp)
	case json.Unmarshal(resp.Body, &p) != nil || p.Products == nil:
		// A page of HTML, or an answer to another question, must not look like an empty shop.
		return p, shopadapter.Retry("the shop's endpoint answered a list that cannot be read: %s", a.explain(resp))
	}
	return p, nil
}

// observed is a product as the endpoint lists it. A price that cannot be read is not told.
func observed(e entry, prices shopadapter.Prices) shopadapter.Listed {
	id := shopadapter.ListingID(e.ID)
	o := shopadapter.Listed{
		Ref:     shopadapter.Ref{Publication: e.Publication, Listing: id},
		Listing: shopadapter.Listing{ID: id, OnSale: e.OnSale.is, Images: -1},
	}
	if goodAddress(string(e.URL)) {
		o.URL = string(e.URL)
	}
	if n, told := count(e.Images.is); told && n >= 0 {
		o.Images = n
	}
	if e.Edited != nil {
		o.Compared, o.Edited = shopadapter.TextFields, groups(e.Edited.is)
	}
	if e.Variants.is == nil {
		return o
	}
	o.Variants = make([]shopadapter.ListedVariant, len(e.Variants.is))
	priced, counts := len(o.Variants) == 0, len(o.Variants) == 0 // an endpoint may list neither figure
	for i, v := range e.Variants.is {
		priced, counts = priced || v.Price.there, counts || v.Quantity.there
		price := string(v.Price.is)
		if _, ok := amount.Parse(price); !ok && price != "" {
			price, o.Untold = "", shopadapter.FieldPrice
		}
		if prices.Net() {
			price = prices.Shown(price)
		}
		quantity, counted := count(v.Quantity.is)
		o.Variants[i] = shopadapter.ListedVariant{
			ID: string(v.ID), ShopID: string(v.ID), SKU: string(v.SKU), Price: price, Quantity: quantity,
			Uncounted: !counted, Backorders: v.Backorders.is, OnSale: v.OnSale == nil || v.OnSale.is,
		}
	}
	if !priced {
		o.Untold |= shopadapter.FieldPrice
	}
	if !counts {
		o.Untold |= shopadapter.FieldStock
	}
	return o
}

// count is a whole number in JSON, or one in a string.
func count(text Text) (n int, told bool) {
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return 0, false
	}
	return int(f), true
}
