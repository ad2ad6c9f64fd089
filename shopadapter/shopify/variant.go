package shopify

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// mostQuantity is Shopify's largest stock.
const mostQuantity = 1_000_000_000

// mostVariants keeps a request with marks and pictures within Shopify's 1,000 points.
const mostVariants = 900

// policyContinue allows sales below zero.
const policyContinue = "CONTINUE"

var amount = regexp.MustCompile(`^\d+(\.\d+)?$`)

func (w *write) plan() error {
	w.p = w.shop.prices.Product(w.p)
	if len(w.p.Variants) > mostVariants {
		return shopadapter.Reject("the product has %d variants, and pubsync writes %d of a product to Shopify",
			len(w.p.Variants), mostVariants)
	}
	names, values := choices(w.p)
	w.planned = kit.Fit(w.p, w.refused, func(v shopadapter.Variant) ([]string, string) {
		switch {
		case !amount.MatchString(v.Price):
			return nil, "it has no price"
		case w.p.Figures: // the id stands for the choice, so that a variant named twice is refused
			return []string{v.ID}, ""
		}
		return values[v.ID], ""
	})
	if len(w.planned) == 0 {
		return w.refused.None(w.p)
	}
	if w.p.Figures {
		w.match()
		return nil
	}
	w.follow(names)
	w.match()
	return w.planVariants()
}

// match pairs each planned variant with the shop's variant of the same mark. A variant whose mark the supplier does
// not know goes by its choice: it keeps its Shopify id when the supplier makes it anew. The merchant's variants
// have neither.
func (w *write) match() {
	var held []variant
	if w.have != nil {
		held = w.have.Variants.Nodes
	}
	planned, marked, chosen := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, v := range held {
		marked[v.mark()] = true
	}
	for _, p := range w.planned {
		if planned[kit.Key(p.ID)] = true; !marked[kit.Key(p.ID)] {
			chosen[together(p.Values)] = p.ID
		}
	}
	key := func(v *variant) string {
		if planned[v.mark()] {
			return v.mark()
		}
		return cmp.Or(chosen[together(v.values())], v.mark())
	}
	w.wanted, w.surplus = kit.Match(w.planned, held, key, func(*variant, kit.Planned) bool { return true })
	for i := range held {
		if key(&held[i]) == "" {
			w.foreign = append(w.foreign, &held[i])
		}
	}
}

type wanted = kit.Wanted[variant]

// fresh reports whether the shop must still make or mark the variant.
func (w *write) fresh(v wanted) bool {
	return v.Held == nil || v.Held.mark() != kit.Key(v.ID)
}

func (w *write) planVariants() error {
	w.whole = w.have == nil || w.Changed.Has(shopadapter.FieldVariants) || len(w.surplus) > 0 ||
		slices.ContainsFunc(w.wanted, w.fresh)
	if w.unclear != nil { // prices and stock of existing variants are written all the same
		if w.Changed.Has(shopadapter.FieldVariants) || slices.ContainsFunc(w.wanted, w.fresh) {
			w.clash = w.unclear
		}
		w.wanted = slices.DeleteFunc(w.wanted, w.fresh)
		w.whole, w.foreign = false, nil
	}
	w.lists = w.whole || w.Changed.Any(shopadapter.FieldPrice|shopadapter.FieldStock)
	return w.checkForeign()
}

func (w *write) checkForeign() error {
	if !w.whole {
		return nil
	}
	for _, v := range w.foreign {
		if len(v.Options) != len(w.options) {
			return shopadapter.Block("the product %s has a variant that was added by hand (%s) and does not fit the "+
				"supplier's new options (%s): delete that variant in Shopify",
				number(w.have.ID), w.a.clean(strings.Join(v.values(), ", ")), w.a.clean(strings.Join(w.options, ", ")))
		}
	}
	return nil
}

// A sent is a variant in productSet, which deletes variants that it does not list.
type sent struct {
	held *variant // nil: new
	ours *wanted  // nil: the merchant's
}

func (w *write) sends() (list []sent) {
	if !w.whole {
		for i := range w.have.Variants.Nodes {
			s := sent{held: &w.have.Variants.Nodes[i]}
			if j := slices.IndexFunc(w.wanted, func(v wanted) bool { return v.Held == s.held }); j >= 0 {
				s.ours = &w.wanted[j]
			}
			list = append(list, s)
		}
		return list
	}
	for i := range w.wanted {
		list = append(list, sent{w.wanted[i].Held, &w.wanted[i]})
	}
	for _, v := range w.foreign {
		list = append(list, sent{held: v})
	}
	return list
}

// refuse drops a variant. The list is then written whole, so that the shop deletes the variant.
func (w *write) refuse(id, why string) {
	w.refused[id] = why
	w.whole = w.unclear == nil
	w.wanted = slices.DeleteFunc(w.wanted, func(v wanted) bool { return v.ID == id })
}

func (w *write) variantInput() (options, list []input) {
	names, used := w.options, []kit.Planned{}
	if !w.whole {
		names = w.have.Variants.Nodes[0].names()
	}
	for i, v := range w.sends() {
		in, values := input{}, []string(nil)
		if v.held != nil {
			in["id"], values = v.held.ID, v.held.values()
		}
		if v.ours != nil && w.whole {
			values, in["sku"], in["position"] = v.ours.Values, v.ours.SKU, i+1
			if w.fresh(*v.ours) {
				in["metafields"] = []input{metafield(variantKey, "single_line_text_field", kit.Key(v.ours.ID))}
			}
		}
		if v.ours != nil {
			w.addFigures(in, v.ours.Variant, w.whole && w.fresh(*v.ours))
		}
		in["optionValues"] = valueInput(names, values)
		used, list = append(used, kit.Planned{Values: values}), append(list, in)
	}
	return optionInput(names, used), list
}

func (w *write) addFigures(in input, v shopadapter.Variant, fresh bool) {
	item := input{}
	w.addDetails(in, item, v.ID)
	if fresh || w.Changed.Has(shopadapter.FieldPrice) {
		in["price"] = v.Price
		if amount.MatchString(v.Cost) {
			item["cost"] = v.Cost
		}
	}
	if fresh || w.Changed.Has(shopadapter.FieldStock) {
		item["tracked"] = true
		in["inventoryPolicy"] = "DENY"
		if v.Backorders {
			in["inventoryPolicy"] = policyContinue
		}
		in["inventoryQuantities"] = []input{{
			"locationId": w.shop.location.ID, "name": "available", "quantity": min(max(v.Quantity, 0), mostQuantity),
		}}
	}
	if len(item) > 0 {
		in["inventoryItem"] = item
	}
}

// Shopify's option and value for a product without options.
const (
	soleOption = "Title"
	soleValue  = "Default Title"
)

// blank is written for a missing value: Shopify wants a value of each option.
const blank = "–"

// choices returns the option names and each variant's values by id. Options above Shopify's limit join the last
// one.
func choices(p shopadapter.Product) (names []string, of map[string][]string) {
	if names = []string{soleOption}; len(p.Options) > 0 {
		names = kit.Each(p.Options, func(name string) string { return cut(name, longestText) })
	}
	of = map[string][]string{}
	spelling := map[string]string{}
	for _, v := range p.Variants {
		values := fold(valuesOf(p, v))
		for i, value := range values { // Shopify ignores the case of values
			place := fmt.Sprint(i, " ", strings.ToLower(value))
			if first, ok := spelling[place]; ok {
				values[i] = first
			} else {
				spelling[place] = value
			}
		}
		of[v.ID] = values
	}
	return fold(names), of
}

// valuesOf tells variants without options apart by title, SKU or id.
func valuesOf(p shopadapter.Product, v shopadapter.Variant) (values []string) {
	switch {
	case len(p.Options) == 0 && len(p.Variants) == 1:
		return []string{soleValue}
	case len(p.Options) == 0:
		return []string{cut(cmp.Or(strings.TrimSpace(v.Title), v.SKU, v.ID), longestText)}
	}
	for _, name := range p.Options {
		value := ""
		for _, o := range v.Options {
			if o.Name == name {
				value = cut(o.Value, longestText)
			}
		}
		values = append(values, cmp.Or(value, blank))
	}
	return values
}

func fold(list []string) []string {
	const most = 3
	if len(list) <= most {
		return slices.Clone(list)
	}
	return append(list[:most-1:most-1], cut(strings.Join(list[most-1:], " / "), longestText))
}

func together(values []string) string { return strings.ToLower(strings.Join(values, "\x00")) }

func optionInput(names []string, used []kit.Planned) []input {
	list := make([]input, 0, len(names))
	for i, c := range kit.Choices(names, used) {
		values := kit.Each(c.Values, func(value string) input { return input{"name": value} })
		list = append(list, input{"name": c.Name, "position": i + 1, "values": values})
	}
	return list
}

func valueInput(names, values []string) []input {
	list := make([]input, 0, len(names))
	for i, name := range names {
		list = append(list, input{"optionName": name, "name": values[i]})
	}
	return list
}

// follow renames options and values as the merchant did. Where this is unclear, options and variants stay as they
// are.
func (w *write) follow(names []string) {
	want := kit.Choices(names, w.planned)
	words := kit.Supplied(want)
	if offered := w.offered(); len(offered) > 0 && len(w.p.Options) > 0 {
		var err error
		if words, err = kit.Follow(want, w.note.Choices, offered, w.carried(len(offered))); err != nil {
			w.unclear = kit.Unfollowed(number(w.have.ID), err, want, w.a.clean)
			words = kit.Supplied(want)
		}
	}
	w.choices = nil
	if len(w.p.Options) > 0 {
		w.choices = kit.Remember(want, words)
	}
	w.options = kit.Each(kit.Retell(w.planned, words), func(a kit.Axis) string { return a.Name })
}

// offered returns the options in the shop, none for a product that was never complete: the merchant has not renamed
// those yet.
func (w *write) offered() (list []kit.Axis) {
	if w.have == nil || w.note.Product == "" || w.Own {
		return nil
	}
	for _, v := range w.have.Variants.Nodes {
		for i, o := range v.Options {
			if i == len(list) {
				list = append(list, kit.Axis{Name: o.Name})
			}
			if !slices.Contains(list[i].Values, o.Value) {
				list[i].Values = append(list[i].Values, o.Value)
			}
		}
	}
	if len(list) == 1 && list[0].Name == soleOption {
		return nil
	}
	return list
}

func (w *write) carried(axes int) (list []kit.Carried) {
	for _, v := range w.have.Variants.Nodes {
		has := make([]string, axes)
		copy(has, v.values())
		list = append(list, kit.Carries(w.planned, v.mark(), has)...)
	}
	return list
}
