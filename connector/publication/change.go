package publication

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A Change is one changed field of a publication, or of one of its variants. Of texts only the
// title shows its old value.
type Change struct {
	ID      string `json:"id"`
	Field   string `json:"field"`
	Variant string `json:"variant"`
	Old     string `json:"old"`
	New     string `json:"new"`

	// of a plan: the names of the publication and of the variant, and of a new price its margin, see
	// PriceRule.Margin
	Title  string   `json:"title,omitempty"`
	Name   string   `json:"variantTitle,omitempty"`
	Margin *float64 `json:"marginPercent,omitempty"`
}

// Planned are the Changes with what a person knows them by.
func (d Decision) Planned() []Change {
	changes, product := d.Changes(), d.Sends()
	title := cmp.Or(product.Title, d.rec.Title, d.start.Title)
	for i := range changes {
		c := &changes[i]
		c.Title = title
		for _, v := range d.start.Variants {
			if v.ID == c.Variant {
				c.Name = v.Title
			}
		}
		for _, v := range product.Variants {
			if v.ID == c.Variant {
				c.Name = cmp.Or(v.Title, c.Name)
				c.Margin = d.margin(*c, v)
			}
		}
	}
	return changes
}

// margin is that of the price that a change makes, in tenths of a percent; nil: it makes none, or the
// cost is not known.
func (d Decision) margin(c Change, v shopadapter.Variant) *float64 {
	if c.Field != shopadapter.FieldPrice.String() {
		return nil
	}
	percent, ok := d.by.Rules.Price.Margin(v.Price, v.Cost)
	if !ok {
		return nil
	}
	return new(math.Round(percent*10) / 10)
}

// A Creation is a listing that a Publish makes.
type Creation struct {
	ID       string       `json:"id"`
	Title    string       `json:"title"`
	Variants []FirstPrice `json:"variants"`
}

// A FirstPrice is a variant of a listing that is to be made.
type FirstPrice struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Price  string   `json:"price"`
	Margin *float64 `json:"marginPercent,omitempty"` // nil: its cost is not known
}

// Creation is the listing that a decision which Creates makes.
func (d Decision) Creation() Creation {
	c := Creation{ID: d.rec.ID, Title: d.Product.Title, Variants: []FirstPrice{}}
	for _, v := range d.Sends().Variants {
		c.Variants = append(c.Variants, FirstPrice{
			ID: v.ID, Title: v.Title, Price: v.Price,
			Margin: d.margin(Change{Field: shopadapter.FieldPrice.String()}, v),
		})
	}
	return c
}

// Changes are what a Publish changes of a listing that the shop has, field by field. There is at
// least one: a listing that comes back has the field "listing", and a group that is written without
// a difference has its name.
func (d Decision) Changes() []Change {
	var out []Change
	id := d.rec.ID
	if d.unsellable != "" || d.putsOut() {
		return []Change{{ID: id, Field: "listing", Old: "on sale", New: "off sale"}}
	}
	if removal := d.start.Removal; removal.Done || removal.Begun {
		out = append(
			out, Change{ID: id, Field: "listing", Old: string(store.StateWithdrawn), New: string(store.StateLive)},
		)
	}
	if d.start.Unsellable != "" {
		out = append(out, Change{ID: id, Field: "listing", Old: "off sale", New: "on sale"})
	}
	before := d.rec
	before.Title = d.start.Title // d.rec has the new one, so that explain names a product that is held or refused
	before.Variants = asSeen(before)
	out = append(out, changesOf(id, before, d.Sends(), d.Changed)...)
	for group := shopadapter.Fields(1); len(out) == 0 && group != 0 && group <= shopadapter.AllFields; group <<= 1 {
		if d.Changed.Has(group) {
			out = append(out, Change{ID: id, Field: group.String()})
		}
	}
	return out
}

// changesOf is the differences between what was last written and the product, field by field.
func changesOf(id string, r store.Record, product shopadapter.Product, changed shopadapter.Fields) []Change {
	var out []Change
	add := func(field, variant, old, now string) {
		if old != now || variant == "" {
			out = append(out, Change{ID: id, Field: field, Variant: variant, Old: old, New: now})
		}
	}
	if changed.Has(shopadapter.FieldTitle) {
		add("title", "", r.Title, product.Title)
	}
	for _, group := range []shopadapter.Fields{
		shopadapter.FieldDescription, shopadapter.FieldImages,
		shopadapter.FieldCategory, shopadapter.FieldShipping,
	} {
		if changed.Has(group) {
			add(group.String(), "", "", "")
		}
	}
	before := make(map[string]store.Variant, len(r.Variants))
	for _, v := range r.Variants {
		if v.Price != "" && !v.Unpriced { // others are not in the shop
			before[v.ID] = v
		}
	}
	for _, v := range product.Variants {
		w, had := before[v.ID]
		delete(before, v.ID)
		if !had {
			add("variants", v.ID, "", nameOf(v.Title, v.ID))
			add("price", v.ID, "", v.Price)
			continue
		}
		if changed.Has(shopadapter.FieldPrice) {
			add("price", v.ID, w.Price, v.Price)
			add("cost", v.ID, w.Cost, v.Cost)
			add("msrp", v.ID, w.MSRP, v.MSRP)
		}
		if changed.Has(shopadapter.FieldStock) {
			add("quantity", v.ID, strconv.Itoa(w.Quantity), strconv.Itoa(v.Quantity))
			add("backorders", v.ID, strconv.FormatBool(w.Backorders), strconv.FormatBool(v.Backorders))
		}
		if changed.Has(shopadapter.FieldVariants) {
			add("sku", v.ID, w.SKU, v.SKU)
			add("variants", v.ID, nameOf(w.Title, v.ID), nameOf(v.Title, v.ID))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(before)) {
		add("variants", id, nameOf(before[id].Title, id), "")
	}
	return out
}
