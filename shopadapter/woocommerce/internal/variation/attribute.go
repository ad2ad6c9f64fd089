package variation

import (
	"slices"
	"sort"
	"strconv"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// An Attribute is an attribute of a product as the API accepts it.
type Attribute struct {
	ID        int64    `json:"id,omitempty"`   // of a global attribute
	Name      string   `json:"name,omitempty"` // of an attribute of the product's own
	Position  int      `json:"position"`
	Visible   bool     `json:"visible"`
	Variation bool     `json:"variation"`
	Options   []string `json:"options"`
}

// A Pick is an attribute of a variation as the API accepts it.
type Pick struct {
	ID     int64  `json:"id,omitempty"`
	Name   string `json:"name,omitempty"`
	Option string `json:"option"`
}

// AxesOf are the attributes by which a product is chosen.
func AxesOf(p rest.Product) []skeleton.Axis {
	var list []skeleton.Axis
	for _, a := range p.Attributes {
		if !a.Variation {
			continue
		}
		axis := skeleton.Axis{ID: globalID(a), Name: words.Plain(string(a.Name))}
		for _, option := range a.Options {
			axis.Values = append(axis.Values, words.Plain(string(option)))
		}
		list = append(list, axis)
	}
	return list
}

// globalID is the id of a global attribute, "" of one of the product's own.
func globalID(a rest.Attribute) string {
	if a.ID == 0 {
		return ""
	}
	return strconv.FormatInt(int64(a.ID), 10)
}

// Carried is what variations carry of the attributes that their product offers. wanted are the
// variants of the supplier.
func Carried(
	all []rest.Variation, axes []skeleton.Axis, publication shopadapter.PublicationID, wanted []skeleton.Planned,
) (list []skeleton.Carried) {
	for _, v := range all {
		h := skeleton.Carried{Has: make([]string, len(axes))}
		for _, a := range v.Attributes {
			n := slices.IndexFunc(axes, func(x skeleton.Axis) bool {
				return x.ID == globalID(a) &&
					(a.ID > 0 || words.Fold(x.Name) == words.Fold(words.Plain(string(a.Name))))
			})
			if n >= 0 {
				h.Has[n] = words.Plain(string(a.Option))
			}
		}
		id, _, ours := ReadStamp(rest.Stamp(v.Meta), publication)
		stands := ours && wants(wanted, id)
		i := slices.IndexFunc(wanted, func(want skeleton.Planned) bool {
			return ours && want.ID == id || !stands && words.SameSKU(want.SKU, string(v.SKU))
		})
		switch {
		case i >= 0:
			h.Wants = wanted[i].Values
		case ours:
			continue // it goes
		}
		list = append(list, h)
	}
	return list
}

func wants(wanted []skeleton.Planned, id string) bool {
	return slices.ContainsFunc(wanted, func(v skeleton.Planned) bool { return v.ID == id })
}

// Attributes are the attributes to choose by as the product shall have them, with the values of
// these variants: one that leads nowhere is a trap for a customer. held is what the product offers:
// the order that the merchant gave it stays.
func (set *Set) Attributes(held []Attribute, variants []skeleton.Planned) []Attribute {
	all := make([]Attribute, 0, len(set.Match))
	for n, m := range set.Match {
		var values []string
		for _, v := range variants {
			if !slices.Contains(values, v.Values[n]) {
				values = append(values, v.Values[n])
			}
		}
		o := Attribute{
			ID:        AttributeID(m),
			Visible:   true,
			Variation: true,
			Options:   append([]string{}, m.Offer(values)...),
		}
		if o.ID == 0 {
			o.Name = m.Name
		}
		all = append(all, o)
	}
	place := func(o Attribute) int {
		if n := slices.IndexFunc(held, func(h Attribute) bool {
			return h.ID == o.ID &&
				h.Name == words.Plain(o.Name)
		}); n >= 0 {
			return n
		}
		return len(held)
	}
	sort.SliceStable(all, func(i, j int) bool { return place(all[i]) < place(all[j]) })
	for n := range all {
		all[n].Position = n
	}
	return all
}

// AttributeID is the id of the global attribute that a choice is matched with, 0 of one of the
// product's own.
func AttributeID(m skeleton.Match) int64 {
	id, err := strconv.ParseInt(m.ID, 10, 64)
	if err != nil {
		return 0
	}
	return id
}

// picked is the attributes of a variant's variation, as the shop has them.
func (set *Set) picked(v skeleton.Planned) []Pick {
	all := make([]Pick, 0, len(v.Values))
	for n, value := range v.Values {
		p := Pick{ID: AttributeID(set.Match[n]), Option: value}
		if p.ID == 0 {
			p.Name = set.Match[n].Name
		}
		all = append(all, p)
	}
	return all
}

// AttributesOf are the attributes to choose by as a product has them.
func AttributesOf(p rest.Product) []Attribute {
	var list []Attribute
	for _, axis := range AxesOf(p) {
		o := Attribute{ID: AttributeID(skeleton.Match{ID: axis.ID}), Options: axis.Values}
		if o.ID == 0 {
			o.Name = axis.Name
		}
		list = append(list, o)
	}
	return list
}

// AllOf are all attributes of a product as it has them.
func AllOf(p rest.Product) []Attribute {
	all := []Attribute{} // null is no list
	for _, a := range p.Attributes {
		one := Attribute{
			ID: int64(a.ID), Name: string(a.Name), Position: len(all), Visible: bool(a.Visible), Variation: bool(a.Variation),
			Options: []string{},
		}
		for _, option := range a.Options {
			one.Options = append(one.Options, string(option))
		}
		all = append(all, one)
	}
	return all
}

// Same compares attributes, and their values too where values says so.
func Same(held, want []Attribute, values bool) bool {
	return slices.EqualFunc(held, want, func(h, w Attribute) bool {
		return h.ID == w.ID && h.Name == words.Plain(w.Name) &&
			(!values || slices.EqualFunc(h.Options, w.Options, func(a, b string) bool { return a == words.Plain(b) }))
	})
}

// WithMerchants is our attributes followed by those that the merchant added and that are no choice.
// A write replaces the whole list. A global attribute never stands in the way of one of ours,
// whatever its name; WooCommerce keeps the product's own by their names.
func WithMerchants(p rest.Product, own []Attribute) []Attribute {
	all := append(make([]Attribute, 0, len(own)), own...) // null is no list
	for _, a := range p.Attributes {
		ours := a.ID == 0 &&
			slices.ContainsFunc(own, func(o Attribute) bool { return words.Fold(o.Name) == words.Fold(string(a.Name)) })
		if bool(a.Variation) || ours {
			continue
		}
		other := Attribute{Position: len(all), Visible: bool(a.Visible), Options: []string{}}
		if other.ID = int64(a.ID); a.ID == 0 {
			other.Name = string(a.Name)
		}
		for _, option := range a.Options {
			other.Options = append(other.Options, string(option))
		}
		all = append(all, other)
	}
	return all
}
