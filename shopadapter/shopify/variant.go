package shopify

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A variantPlan says what the product's variants are to be.
type variantPlan struct {
	names   []string // options
	offers  []*offer // to be sold, in their order
	foreign []*variant
	// whole: options and variants are written as the supplier has them; otherwise they stay, and
	// prices and stock alone are written
	whole bool
}

// mostQuantity is the largest stock that Shopify keeps.
const mostQuantity = 1_000_000_000

var amount = regexp.MustCompile(`^\d+(\.\d+)?$`)

// planVariants compares the supplier's variants with the shop's.
func (w *write) planVariants() error {
	if most := w.shop.variants; most > 0 && len(w.product.Variants) > most {
		return shopadapter.Reject("the product has %d variants, and the shop takes %d", len(w.product.Variants), most)
	}
	names, offers := choices(w.product, w.shop.options)
	names, err := w.follow(names, offers)
	if err != nil {
		return err
	}
	w.plan.names = names
	taken := map[string]string{}
	for _, o := range offers {
		choice := together(o.values)
		switch other, twice := taken[choice]; {
		case !amount.MatchString(o.variant.Price):
			w.refused[o.variant.ID] = "it has no price"
		case twice:
			w.refused[o.variant.ID] = fmt.Sprintf(
				"it has the same choice as variant %s: %s",
				other,
				strings.Join(o.values, ", "),
			)
		default:
			taken[choice] = o.variant.ID
			w.plan.offers = append(w.plan.offers, o)
		}
	}
	unmarked := w.stamp.Unmarked
	w.stamp.Unmarked = w.tooMany()
	w.match(unmarked)
	w.freeze()
	w.lists = w.plan.whole || w.Changed.Any(shopadapter.FieldPrice|shopadapter.FieldStock)
	return w.checkForeign()
}

// match finds the shop's variant of each offer: by its mark, else by its choice. unmarked tells
// that the shop's variants carry no marks.
func (w *write) match(unmarked bool) {
	w.plan.whole = w.have == nil || w.Changed.Has(shopadapter.FieldVariants)
	if w.have == nil {
		return
	}
	byMark, byChoice := map[string]*variant{}, map[string]*variant{}
	for i := range w.have.Variants.Nodes {
		v := &w.have.Variants.Nodes[i]
		if v.Mark != nil && byMark[v.Mark.Value] == nil {
			byMark[v.Mark.Value] = v
		}
		byChoice[together(v.values())] = v
	}
	used := map[*variant]bool{}
	for _, o := range w.plan.offers {
		if v := byMark[stamp.Key(o.variant.ID)]; v != nil {
			o.shown, used[v] = v, true
		}
	}
	for _, o := range w.plan.offers {
		if v := byChoice[together(o.values)]; o.shown == nil && v != nil && !used[v] {
			o.shown, o.claimed, used[v] = v, !w.stamp.Unmarked, true
		}
		w.plan.whole = w.plan.whole || o.shown == nil || o.claimed
	}
	if unmarked {
		return
	}
	for i := range w.have.Variants.Nodes {
		if v := &w.have.Variants.Nodes[i]; v.Mark == nil && !used[v] {
			w.plan.foreign = append(w.plan.foreign, v)
		}
	}
}

// checkForeign makes sure that the variants that the merchant added can stay.
func (w *write) checkForeign() error {
	if !w.plan.whole {
		return nil
	}
	for _, v := range w.plan.foreign {
		if len(v.Options) != len(w.plan.names) {
			return shopadapter.Block(
				"the product %s has a variant that was added by hand (%s) and does not fit the supplier's new "+
					"options (%s): "+
					"delete that variant in Shopify",
				number(w.have.ID),
				strings.Join(v.values(), ", "),
				strings.Join(w.plan.names, ", "),
			)
		}
	}
	return nil
}

// sentAs is the offer that was the i-th of the variants sent, nil when that was none of ours.
func (w *write) sentAs(i int) *offer {
	if w.plan.whole {
		if i < len(w.plan.offers) {
			return w.plan.offers[i]
		}
		return nil
	}
	if i >= len(w.have.Variants.Nodes) {
		return nil
	}
	v := &w.have.Variants.Nodes[i]
	if j := slices.IndexFunc(w.plan.offers, func(o *offer) bool { return o.shown == v }); j >= 0 {
		return w.plan.offers[j]
	}
	return nil
}

// refuse removes offers from the plan. The list is then written whole, so that the shop deletes
// what it has of them.
func (w *write) refuse(refused map[*offer]string) {
	for o, why := range refused {
		w.refused[o.variant.ID] = why
		w.plan.whole = w.unclear == nil
	}
	w.plan.offers = slices.DeleteFunc(w.plan.offers, func(o *offer) bool { return refused[o] != "" })
}

// variantInput are options and variants as productSet takes them, always whole: what is not sent,
// it deletes.
func (w *write) variantInput() (options, variants []input, marks int) {
	var used [][]string
	if !w.plan.whole {
		for i := range w.have.Variants.Nodes {
			v := &w.have.Variants.Nodes[i]
			used = append(used, v.values())
			variants = append(variants, w.keptVariant(v))
		}
		return optionInput(w.have.Variants.Nodes[0].names(), used), variants, 0
	}
	for i, o := range w.plan.offers {
		in := w.offerInput(o)
		in["position"] = i + 1
		if _, marked := in["metafields"]; marked {
			marks++
		}
		used = append(used, o.values)
		variants = append(variants, in)
	}
	for _, v := range w.plan.foreign {
		used = append(used, v.values())
		variants = append(variants, input{"id": v.ID, "optionValues": valueInput(w.plan.names, v.values())})
	}
	return optionInput(w.plan.names, used), variants, marks
}

// keptVariant is a variant that stays as it is in the shop, but for price and stock.
func (w *write) keptVariant(v *variant) input {
	in := input{"id": v.ID, "optionValues": valueInput(v.names(), v.values())}
	if i := slices.IndexFunc(w.plan.offers, func(o *offer) bool { return o.shown == v }); i >= 0 {
		w.addPrice(in, w.plan.offers[i], false)
	}
	return in
}

// offerInput is a variant as the supplier has it.
func (w *write) offerInput(o *offer) input {
	in := input{"optionValues": valueInput(w.plan.names, o.values), "sku": o.variant.SKU, "barcode": o.variant.EAN}
	fresh := o.shown == nil || o.claimed
	if o.shown != nil {
		in["id"] = o.shown.ID
	}
	if fresh && !w.stamp.Unmarked {
		in["metafields"] = []input{
			{
				"namespace": namespace,
				"key":       variantKey,
				"type":      "single_line_text_field",
				"value":     stamp.Key(o.variant.ID),
			},
		}
	}
	w.addPrice(in, o, fresh)
	return in
}

// addPrice adds what belongs to price and stock, as far as it is to be written.
func (w *write) addPrice(in input, o *offer, fresh bool) {
	item := input{}
	if fresh || w.Changed.Has(shopadapter.FieldPrice) {
		in["price"] = o.variant.Price
		if amount.MatchString(o.variant.Cost) {
			item["cost"] = o.variant.Cost
		}
	}
	if fresh || w.Changed.Has(shopadapter.FieldStock) {
		item["tracked"] = true
		in["inventoryPolicy"] = "DENY"
		if o.variant.Backorders {
			in["inventoryPolicy"] = "CONTINUE"
		}
		in["inventoryQuantities"] = []input{{
			"locationId": w.shop.location.ID, "name": "available", "quantity": min(max(o.variant.Quantity, 0), mostQuantity),
		}}
	}
	if len(item) > 0 {
		in["inventoryItem"] = item
	}
}

// tooMany tells whether the variants' marks would make the request cost more than Shopify takes.
func (w *write) tooMany() bool {
	const rest = 350 // what pictures and the answer may cost besides
	return float64(len(w.plan.offers))*(costVariant+costMetafield) > costSingle-rest
}

// ids are the shop's ids of what is on sale, by variant id.
func (p *variantPlan) ids() map[string]string {
	list := map[string]string{}
	for _, o := range p.offers {
		if o.shown != nil {
			list[o.variant.ID] = o.shown.ID
		}
	}
	return list
}
