package shopify

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// mostQuantity is the largest stock that Shopify keeps.
const mostQuantity = 1_000_000_000

// policyContinue is the inventory policy of a variant that may be sold below zero.
const policyContinue = "CONTINUE"

var amount = regexp.MustCompile(`^\d+(\.\d+)?$`)

// Offers names the options, folded and spelled as Shopify takes them.
func (w *write) Offers(ctx context.Context) (names []string, offer skeleton.Offer, err error) {
	prices, err := w.a.prices.Get(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	w.Product = prices.Product(w.Product)
	if most := w.shop.variants; most > 0 && len(w.Product.Variants) > most {
		err = shopadapter.Reject("the product has %d variants, and the shop takes %d", len(w.Product.Variants), most)
	}
	names, values := choices(w.Product, w.shop.options)
	return names, func(v shopadapter.Variant) ([]string, string) {
		if !amount.MatchString(v.Price) {
			return nil, "it has no price"
		}
		return values[v.ID], ""
	}, err
}

// Key is the mark of a variant. One whose mark is none of the supplier's variants' is known by its
// choice, and so keeps its id when the supplier makes the variant anew.
func (w *write) Key(held *variant) string {
	if w.keys == nil {
		w.keys = w.planKeys()
	}
	mark := ""
	if held.Mark != nil {
		mark = held.Mark.Value
	}
	id, chosen := w.keys[choiceKey+together(held.values())]
	switch _, planned := w.keys[mark]; {
	case planned, !chosen && mark != "":
		return mark
	case chosen:
		return id
	case w.unmarked:
		return choiceKey // ours, and wanted no longer
	}
	return ""
}

// choiceKey begins the keys of choices. No mark begins so.
const choiceKey = "\x00"

// planKeys is the id of each planned variant by its mark, and by its choice where no variant of the
// shop carries the mark.
func (w *write) planKeys() map[string]string {
	keys, marks := map[string]string{}, map[string]bool{}
	for _, v := range w.have.Variants.Nodes {
		if v.Mark != nil {
			marks[v.Mark.Value] = true
		}
	}
	for _, p := range w.Planned {
		mark := stamp.Key(p.ID)
		if keys[mark] = p.ID; !marks[mark] {
			keys[choiceKey+together(p.Values)] = p.ID
		}
	}
	return keys
}

// ID is Shopify's id of a variant.
func (w *write) ID(held *variant) string { return held.ID }

// Fits holds for each: productSet writes choice and SKU in place.
func (w *write) Fits(*variant, skeleton.Planned, bool) bool { return true }

// fresh reports whether the shop has still to make a variant, or to mark the one that it has.
func (w *write) fresh(v skeleton.Wanted[variant]) bool {
	return v.Unmade() || !w.stamp.Unmarked && (v.Held.Mark == nil || v.Held.Mark.Value != stamp.Key(v.ID))
}

// planVariants says whether options and variants are written whole, or prices and stock alone.
func (w *write) planVariants() error {
	w.stamp.Unmarked = w.tooMany()
	w.whole = w.have == nil || w.Changed.Has(shopadapter.FieldVariants) || len(w.Surplus) > 0 ||
		slices.ContainsFunc(w.Variants, w.fresh)
	if w.have != nil {
		for i := range w.have.Variants.Nodes {
			if v := &w.have.Variants.Nodes[i]; w.Key(v) == "" {
				w.foreign = append(w.foreign, v)
			}
		}
	}
	w.freeze()
	w.lists = w.whole || w.Changed.Any(shopadapter.FieldPrice|shopadapter.FieldStock)
	return w.checkForeign()
}

// checkForeign makes sure that the variants that the merchant added can stay.
func (w *write) checkForeign() error {
	if !w.whole {
		return nil
	}
	for _, v := range w.foreign {
		if len(v.Options) != len(w.Options) {
			return shopadapter.Block(
				"the product %s has a variant that was added by hand (%s) and does not fit the supplier's new "+
					"options (%s): delete that variant in Shopify",
				number(w.have.ID),
				strings.Join(v.values(), ", "),
				strings.Join(skeleton.Names(w.Options), ", "),
			)
		}
	}
	return nil
}

// sentAs is the id of our variant that was the i-th of the variants sent, "" when that was none of
// ours.
func (w *write) sentAs(i int) string {
	switch {
	case w.whole && i < len(w.Variants):
		return w.Variants[i].ID
	case w.whole || i >= len(w.have.Variants.Nodes):
		return ""
	}
	v, _ := w.of(&w.have.Variants.Nodes[i])
	return v.ID
}

// of is our variant that the shop's is.
func (w *write) of(held *variant) (skeleton.Wanted[variant], bool) {
	i := slices.IndexFunc(w.Variants, func(v skeleton.Wanted[variant]) bool { return v.Held == held })
	if i < 0 {
		return skeleton.Wanted[variant]{}, false
	}
	return w.Variants[i], true
}

// refuse removes a variant from what is wanted. The list is then written whole, so that the shop
// deletes what it has of it.
func (w *write) refuse(id, why string) {
	w.Refused[id] = why
	w.whole = w.Unclear == nil
	w.Variants = slices.DeleteFunc(w.Variants, func(v skeleton.Wanted[variant]) bool { return v.ID == id })
}

// variantInput are options and variants as productSet takes them, always whole: what is not sent,
// it deletes.
func (w *write) variantInput() (options, list []input, marks int) {
	var used [][]string
	if !w.whole {
		for i := range w.have.Variants.Nodes {
			v := &w.have.Variants.Nodes[i]
			used = append(used, v.values())
			list = append(list, w.keptVariant(v))
		}
		return optionInput(w.have.Variants.Nodes[0].names(), used), list, 0
	}
	names := skeleton.Names(w.Options)
	for i, v := range w.Variants {
		in := w.offerInput(names, v)
		in["position"] = i + 1
		if _, marked := in["metafields"]; marked {
			marks++
		}
		used = append(used, v.Values)
		list = append(list, in)
	}
	for _, v := range w.foreign {
		used = append(used, v.values())
		list = append(list, input{"id": v.ID, "optionValues": valueInput(names, v.values())})
	}
	return optionInput(names, used), list, marks
}

// keptVariant is a variant that stays as it is in the shop, but for price and stock.
func (w *write) keptVariant(held *variant) input {
	in := input{"id": held.ID, "optionValues": valueInput(held.names(), held.values())}
	if v, ours := w.of(held); ours {
		w.addPrice(in, v.Variant, false)
		w.addDetails(in, v.ID)
	}
	return in
}

// offerInput is a variant as the supplier has it.
func (w *write) offerInput(names []string, v skeleton.Wanted[variant]) input {
	in := input{"optionValues": valueInput(names, v.Values), "sku": v.SKU}
	fresh := w.fresh(v)
	if !v.Unmade() {
		in["id"] = v.Held.ID
	}
	if fresh && !w.stamp.Unmarked {
		in["metafields"] = []input{{
			"namespace": namespace, "key": variantKey, "type": "single_line_text_field", "value": stamp.Key(v.ID),
		}}
	}
	w.addPrice(in, v.Variant, fresh)
	w.addDetails(in, v.ID)
	return in
}

// addPrice adds what belongs to price and stock, as far as it is to be written.
func (w *write) addPrice(in input, v shopadapter.Variant, fresh bool) {
	item := input{}
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

// tooMany tells whether the variants' marks would make the request cost more than Shopify takes.
func (w *write) tooMany() bool {
	const rest = 430 // what pictures and the answer may cost besides
	return float64(len(w.Variants))*(costVariant+costMetafield) > costSingle-rest
}
