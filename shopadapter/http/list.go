package httpshop

import (
	"context"
	"encoding/json"
	"errors"
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
	Publication string          `json:"publication"`
	ID          Text            `json:"id"`
	URL         Text            `json:"url"`
	OnSale      flag            `json:"onSale"`
	Variants    list[standing]  `json:"variants"` // nil where the endpoint does not tell them, as edited
	Images      json.RawMessage `json:"images"`
	Edited      list[Text]      `json:"edited"`
}

// pageLimits bound what is read of one page of the list: a hundred products, each with as many
// variants, fit.
var pageLimits = wire.Limits{Bytes: 4 << 20, Elements: 200_000, Depth: 20}

// Pages in a row that bring nothing new end the list: it has no end. An endpoint may show few of the
// products that it pages over, so that some pages are empty.
const (
	mostIdle     = 1_000 // empty ones
	mostRepeated = 2     // ones that list what was listed before
)

// list ranges over what the endpoint lists, of one publication alone where one is given: an endpoint
// that does not know the word lists the others too.
func (a *adapter) list(ctx context.Context, of shopadapter.PublicationID) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		after, cursors, known := "", map[string]bool{}, map[string]bool{}
		for idle, repeated := 0, 0; idle < mostIdle && repeated < mostRepeated && !cursors[after]; {
			p, err := a.page(ctx, after, of)
			if err != nil {
				yield(entry{}, err)
				return
			}
			before := len(known)
			for _, one := range p.Products {
				if one.Publication == "" || one.ID == "" {
					yield(entry{}, shopadapter.Retry("the shop's endpoint lists a product without its publication or its id"))
					return
				}
				known[one.Publication] = true
				if !yield(one, nil) {
					return
				}
			}
			if p.After == "" {
				return
			}
			cursors[after], after = true, p.After
			switch {
			case len(known) > before:
				idle, repeated = 0, 0
			case len(p.Products) > 0:
				repeated++
			default:
				idle++
			}
		}
		yield(entry{}, shopadapter.Retry("the list of the shop's endpoint has no end"))
	}
}

// noList are the statuses of an endpoint without a list.
var noList = []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}

func (a *adapter) page(ctx context.Context, after string, of shopadapter.PublicationID) (page, error) {
	path := "/products?after=" + url.QueryEscape(after)
	if of != "" {
		path += "&publication=" + url.QueryEscape(string(of))
	}
	resp, err := a.send(ctx, http.MethodGet, path, nil, pageLimits)
	var p page
	switch {
	case err != nil:
		return p, err
	case after == "" && slices.Contains(noList, resp.Status):
		return p, shopadapter.ErrNoList
	case resp.Status != http.StatusOK:
		return p, a.notWell(resp)
	case json.Unmarshal(resp.Body, &p) != nil || p.Products == nil:
		// A page of HTML, or an answer to another question, must not look like an empty shop.
		return p, shopadapter.Retry("the shop's endpoint answered a list that cannot be read: %s", a.explain(resp))
	}
	return p, nil
}

// A standing variant is one as it stands in the shop. Its id is the shop's or the marketplace's. A
// member that is null is there, other than one that is left out.
type standing struct {
	ID         Text            `json:"id"`
	SKU        Text            `json:"sku"`
	Price      json.RawMessage `json:"price"` // the regular one
	Quantity   json.RawMessage `json:"quantity"`
	Backorders flag            `json:"backorders"`
	OnSale     *flag           `json:"onSale"`
}

// count is a whole number in JSON, or one in a string. Everything else is none.
func count(data json.RawMessage) (n int, told bool) {
	f, err := strconv.ParseFloat(string(textOf(data)), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return 0, false
	}
	return int(f), true
}

// List ranges over the endpoint's list. The list is optional: an endpoint without one answers 404,
// which is ErrNoList; so is a list that tells no more than what is on sale, where single listings are
// asked for. It is asked for one listing where one is asked for. Those that are not wanted are left
// out here.
func (a *adapter) List(ctx context.Context, what shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		wanted := map[shopadapter.PublicationID]bool{}
		for _, ref := range what.Refs {
			wanted[ref.Publication] = true
		}
		some, of := what.Refs != nil, shopadapter.PublicationID("")
		if some && len(wanted) == 0 {
			return
		}
		if some {
			if said, err := a.said.Get(ctx, false); err != nil || !bool(said.Observed) {
				yield(shopadapter.Listed{}, shopadapter.ErrNoList)
				return
			}
		}
		if len(wanted) == 1 {
			of = what.Refs[0].Publication
		}
		prices, err := a.prices()
		if err != nil {
			yield(shopadapter.Listed{}, err)
			return
		}
		for one, err := range a.list(ctx, of) {
			if errors.Is(err, shopadapter.ErrNoList) {
				a.said.Forget() // it has a list no more
			}
			if err != nil {
				yield(shopadapter.Listed{}, err)
				return
			}
			id := shopadapter.PublicationID(one.Publication)
			if some && !wanted[id] {
				continue
			}
			delete(wanted, id)
			if !yield(observed(one, prices), nil) || some && len(wanted) == 0 {
				return
			}
		}
	}
}

// observed is a product as the endpoint lists it. A price that cannot be read is not told.
func observed(e entry, prices shopadapter.Prices) shopadapter.Listed {
	o := shopadapter.Listed{
		Ref: shopadapter.Ref{
			Publication: shopadapter.PublicationID(e.Publication), Listing: shopadapter.ListingID(e.ID),
		},
		Listing: shopadapter.Listing{ID: shopadapter.ListingID(e.ID), OnSale: bool(e.OnSale), Images: -1},
	}
	if goodAddress(string(e.URL)) {
		o.URL = string(e.URL)
	}
	if n, told := count(e.Images); told && n >= 0 {
		o.Images = n
	}
	if e.Edited != nil {
		o.Compared, o.Edited = shopadapter.TextFields, textGroups(e.Edited)
	}
	if e.Variants == nil {
		return o
	}
	o.Variants = []shopadapter.ListedVariant{}
	untold := shopadapter.FieldStock | shopadapter.FieldPrice // what no variant has
	for _, v := range e.Variants {
		if v.Quantity != nil {
			untold &^= shopadapter.FieldStock
		}
		if v.Price != nil {
			untold &^= shopadapter.FieldPrice
		}
		price := string(textOf(v.Price))
		if _, ok := amount.Parse(price); !ok && price != "" {
			price, o.Untold = "", shopadapter.FieldPrice
		}
		if prices.Net() {
			price = prices.Shown(price)
		}
		n, told := count(v.Quantity)
		o.Variants = append(o.Variants, shopadapter.ListedVariant{
			ID: string(v.ID), ShopID: string(v.ID), SKU: string(v.SKU), Price: price, Quantity: n, Uncounted: !told,
			Backorders: bool(v.Backorders), OnSale: v.OnSale == nil || bool(*v.OnSale),
		})
	}
	if len(e.Variants) > 0 {
		o.Untold |= untold
	}
	return o
}
