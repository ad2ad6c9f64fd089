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
	Publication string   `json:"publication"`
	ID          Text     `json:"id"`
	URL         Text     `json:"url"`
	OnSale      flag     `json:"onSale"`
	Variants    variants `json:"variants"`
	Images      count    `json:"images"`
	Edited      *texts   `json:"edited"` // nil where the endpoint does not tell
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

// A standing variant is one as it stands in the shop. Its id is the shop's or the marketplace's.
type standing struct {
	ID         Text  `json:"id"`
	SKU        Text  `json:"sku"`
	Price      price `json:"price"` // the regular one
	Quantity   count `json:"quantity"`
	Backorders flag  `json:"backorders"`
	OnSale     *flag `json:"onSale"`
}

// A price is a decimal, "" where the variant has none.
type price struct {
	Text
	there bool // the member is there, be it null
}

// UnmarshalJSON never fails, as that of Text.
func (p *price) UnmarshalJSON(data []byte) error {
	p.there = true
	return p.Text.UnmarshalJSON(data)
}

// variants are those of a listing; nil where the endpoint does not tell them.
type variants []standing

// UnmarshalJSON never fails: what is no list of variants tells none.
func (v *variants) UnmarshalJSON(data []byte) error {
	var list []standing
	if json.Unmarshal(data, &list) != nil {
		list = nil
	}
	*v = list
	return nil
}

// texts are the groups of texts that an endpoint names. What it does not know is left out.
type texts shopadapter.Fields

// UnmarshalJSON never fails.
func (f *texts) UnmarshalJSON(data []byte) error {
	var names []Text
	_ = json.Unmarshal(data, &names) //nolint:errcheck // what is no list names none
	*f = 0
	for _, name := range names {
		if group, err := shopadapter.ParseFields(string(name)); err == nil {
			*f |= texts(group & shopadapter.TextFields)
		}
	}
	return nil
}

// A count is a whole number in JSON, or one in a string. Everything else is none.
type count struct {
	n     int
	told  bool
	there bool // the member is there, be it null
}

// UnmarshalJSON never fails.
func (c *count) UnmarshalJSON(data []byte) error {
	var text Text
	_ = text.UnmarshalJSON(data) //nolint:errcheck // it never fails
	n, err := strconv.ParseFloat(string(text), 64)
	if *c = (count{there: true}); err == nil && n == math.Trunc(n) && math.Abs(n) <= math.MaxInt32 {
		*c = count{int(n), true, true}
	}
	return nil
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
		some := what.Refs != nil
		if some && len(wanted) == 0 {
			return
		}
		var of shopadapter.PublicationID
		if len(wanted) == 1 {
			of = what.Refs[0].Publication
		}
		if said, err := a.said.Get(ctx, false); some && (err != nil || !bool(said.Observed)) {
			yield(shopadapter.Listed{}, shopadapter.ErrNoList)
			return
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
	if e.Images.told && e.Images.n >= 0 {
		o.Images = e.Images.n
	}
	if e.Edited != nil {
		o.Compared, o.Edited = shopadapter.TextFields, shopadapter.Fields(*e.Edited)
	}
	if e.Variants == nil {
		return o
	}
	o.Variants = make([]shopadapter.ListedVariant, len(e.Variants))
	if len(e.Variants) > 0 && !slices.ContainsFunc(e.Variants, func(v standing) bool { return v.Quantity.there }) {
		o.Untold |= shopadapter.FieldStock // an endpoint that lists none
	}
	if len(e.Variants) > 0 && !slices.ContainsFunc(e.Variants, func(v standing) bool { return v.Price.there }) {
		o.Untold |= shopadapter.FieldPrice
	}
	for i, v := range e.Variants {
		if _, ok := amount.Parse(string(v.Price.Text)); !ok && v.Price.Text != "" {
			v.Price.Text, o.Untold = "", o.Untold|shopadapter.FieldPrice
		}
		if prices.Net() {
			v.Price.Text = Text(prices.Shown(string(v.Price.Text)))
		}
		o.Variants[i] = shopadapter.ListedVariant{
			ID: string(v.ID), ShopID: string(v.ID), SKU: string(v.SKU), Price: string(v.Price.Text),
			Quantity: v.Quantity.n, Uncounted: !v.Quantity.told, Backorders: bool(v.Backorders),
			OnSale: v.OnSale == nil || bool(*v.OnSale),
		}
	}
	return o
}
