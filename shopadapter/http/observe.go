package httpshop

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/amount"
)

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
		of := query{}
		if len(wanted) == 1 {
			of.publication = what.Refs[0].Publication
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
	o := e.listed()
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
