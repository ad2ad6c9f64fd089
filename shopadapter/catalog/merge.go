package catalog

import (
	"slices"
	"sort"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// merge is the record that publishing p over old leads to, and the text groups in changed that stay
// as the merchant edited them. Without old, or when old is not on sale, it holds all of p; else
// only the groups in changed and in reset are taken from p, the latter over a merchant's edit. p is
// the record's from then on.
func merge(
	old *record,
	p shopadapter.Product,
	changed, reset shopadapter.Fields,
	now time.Time,
) (next *record, kept shopadapter.Fields) {
	next = &record{
		Product: p,
		Stamp: &recordStamp{
			Format:  recordFormat,
			OnSale:  true,
			Created: timestamp(now),
			Written: map[string]stamp.Written{},
		},
	}
	m := stamp.NewMerge(shopadapter.Ref{Reset: reset}, changed)
	if m.Own = old == nil; m.Own {
		old = &record{Stamp: &recordStamp{Created: next.Stamp.Created}}
	}
	next.Stamp.Created = old.Stamp.Created
	if !old.Stamp.OnSale {
		m.Changed = shopadapter.AllFields // it may have missed changes
	}
	m.Changed &^= p.Unknown
	changed = m.Changed

	for _, group := range textGroups {
		last := old.Stamp.Written[group.String()]
		m.Decide(group, textHash(&old.Product, group), textHash(&p, group), &last)
		if !changed.Has(group) || m.Keeps(group) {
			next.takeText(&old.Product, group)
		}
		next.Stamp.Written[group.String()] = last
	}
	next.mergeBrand(&m, old)
	if !changed.Any(shopadapter.FieldTitle | shopadapter.FieldDescription) {
		next.Language = old.Language
	}
	if !changed.Has(shopadapter.FieldVariants) {
		next.Options = old.Options
	}
	if !changed.Has(shopadapter.FieldShipping) {
		next.Shipping, next.Returns = old.Shipping, old.Returns
	}
	for i := range next.Shipping { // what the supplier asks of the retailer is the retailer's to know
		next.Shipping[i].FixedCosts, next.Shipping[i].VariableCosts = "", ""
	}
	next.Variants, next.Stamp.Refused = mergeVariants(old, p.Variants, changed)
	next.mergeDetails(&m, old, p)
	return next, m.Kept()
}

// takeText keeps one text group of old.
func (r *record) takeText(old *shopadapter.Product, group shopadapter.Fields) {
	switch group {
	case shopadapter.FieldTitle:
		r.Title = old.Title
	case shopadapter.FieldDescription:
		r.Description, r.Translations = old.Description, old.Translations
	case shopadapter.FieldImages:
		r.Images = old.Images
	case shopadapter.FieldCategory:
		r.Category = old.Category
	}
}

// mergeVariants is the variants on sale, group by group from old or from given, and the ids of
// those refused. A variant that had been refused is accepted as soon as it can be, whichever group
// brought its good price.
func mergeVariants(
	old *record,
	given []shopadapter.Variant,
	changed shopadapter.Fields,
) (next []shopadapter.Variant, refused []string) {
	had := make(map[string]shopadapter.Variant, len(old.Variants))
	for _, v := range old.Variants {
		had[v.ID] = v
	}
	next = make([]shopadapter.Variant, 0, len(given))
	for _, v := range given {
		was, known := had[v.ID]
		delete(had, v.ID)
		switch {
		case refusal(v) != "":
			refused = append(refused, v.ID)
			continue
		case known:
			v = mergeVariant(was, v, changed)
		case !changed.Has(shopadapter.FieldVariants) && !slices.Contains(old.Stamp.Refused, v.ID):
			continue
		}
		v.Cost = ""
		next = append(next, v)
	}
	if !changed.Has(shopadapter.FieldVariants) {
		for _, v := range old.Variants {
			if _, left := had[v.ID]; left {
				next = append(next, v)
			}
		}
		sort.SliceStable(next, func(i, j int) bool { return placeOf(old, next[i].ID) < placeOf(old, next[j].ID) })
	}
	return next, refused
}

// placeOf is where a variant stands in old, behind all others when it does not.
func placeOf(old *record, id string) int {
	for i, v := range old.Variants {
		if v.ID == id {
			return i
		}
	}
	return len(old.Variants)
}

func mergeVariant(was, given shopadapter.Variant, changed shopadapter.Fields) shopadapter.Variant {
	if changed.Has(shopadapter.FieldVariants) {
		was.Title, was.SKU, was.Options = given.Title, given.SKU, given.Options
	}
	if changed.Has(shopadapter.FieldPrice) {
		was.Price, was.MSRP = given.Price, given.MSRP
	}
	if changed.Has(shopadapter.FieldStock) {
		was.Quantity, was.Backorders = given.Quantity, given.Backorders
	}
	return was
}
