package catalog

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/amount"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// merge is the record that publishing p over old leads to, and the text groups in changed that stay
// as the merchant edited them. Without old, or when old is not on sale, it holds all of p; else
// only the groups in changed and in ref.Reset are taken from p. p is the record's from then on.
func merge(
	ref shopadapter.Ref, old *record, p shopadapter.Product, changed shopadapter.Fields, now time.Time,
) (next *record, kept shopadapter.Fields) {
	next = &record{Product: p, Stamp: &stamp{
		Format: recordFormat, OnSale: true, Created: timestamp(now), Written: map[string]kit.Written{},
		Details: map[string]kit.Values{},
	}}
	m := kit.NewMerge(ref, changed)
	if m.Own = old == nil; m.Own {
		old = &record{Stamp: &stamp{Created: next.Stamp.Created}}
	}
	next.Stamp.Created = old.Stamp.Created
	if !old.Stamp.OnSale {
		m.Changed = shopadapter.AllFields // it may have missed changes
	}
	m.Changed &^= p.Unknown

	for _, group := range textGroups {
		last := old.Stamp.Written[group.String()]
		m.Decide(group, textHash(&old.Product, group), textHash(&p, group), &last)
		if !m.Changed.Has(group) || m.Keeps(group) {
			next.takeText(&old.Product, group)
		}
		next.Stamp.Written[group.String()] = last
	}
	brand := func(p *shopadapter.Product) map[string]string { return map[string]string{"brand": p.Brand} }
	write, notes := m.DecideValues(shopadapter.FieldBrand, brand(&old.Product), brand(&p), old.Stamp.Brand)
	if next.Stamp.Brand = notes; len(write) == 0 && old.Brand != p.Brand {
		next.Brand = old.Brand
	}
	if !m.Changed.Any(shopadapter.FieldTitle | shopadapter.FieldDescription) {
		next.Language = old.Language
	}
	if !m.Changed.Has(shopadapter.FieldVariants) {
		next.Options = old.Options
	}
	if !m.Changed.Has(shopadapter.FieldShipping) {
		next.Shipping, next.Returns = old.Shipping, old.Returns
	}
	for i := range next.Shipping { // what the supplier asks of the retailer is the retailer's to know
		next.Shipping[i].FixedCosts, next.Shipping[i].VariableCosts = "", ""
	}
	if next.Stamp.Units = old.Stamp.Units; m.Changed.Has(shopadapter.FieldDetails) {
		next.Stamp.Units = units(p.Units)
	}
	next.mergeVariants(&m, old, p.Variants)
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

// mergeVariants leaves r the variants on sale, group by group from old or from given. One that was
// refused, or that somebody deleted, is there again as soon as it can be sold.
func (r *record) mergeVariants(m *kit.Merge, old *record, given []shopadapter.Variant) {
	r.Variants = nil
	for _, v := range given {
		was := byID(old.Variants, v.ID)
		if refusal(v) != "" {
			continue
		}
		next := v
		if was != nil {
			next = mergeFigures(*was, v, m.Changed)
		}
		next.Cost = ""
		if notes := mergeDetails(m, &next, was, v, old.Stamp.Details[v.ID]); len(notes) > 0 {
			r.Stamp.Details[v.ID] = notes
		}
		r.Variants = append(r.Variants, next)
	}
	if m.Changed.Has(shopadapter.FieldVariants) {
		return
	}
	for i, v := range old.Variants { // what the supplier no longer has leaves with the group of the variants
		if byID(given, v.ID) == nil {
			r.Variants = slices.Insert(r.Variants, min(i, len(r.Variants)), v)
			r.Stamp.Details[v.ID] = old.Stamp.Details[v.ID]
		}
	}
}

func mergeFigures(was, given shopadapter.Variant, changed shopadapter.Fields) shopadapter.Variant {
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

// mergeDetails brings the details of v, which has those of was, to given's, one by one, as far as
// they are to change and are not the merchant's. The EAN goes with the variants.
func mergeDetails(
	m *kit.Merge, v, was *shopadapter.Variant, given shopadapter.Variant, last kit.Values,
) (next kit.Values) {
	if was == nil {
		own := kit.Merge{Own: true, Changed: shopadapter.FieldDetails}
		_, next = own.DecideValues(shopadapter.FieldDetails, nil, detailsOf(&given), nil)
		return next
	}
	held, want := detailsOf(was), detailsOf(&given)
	maps.DeleteFunc(want, func(name, _ string) bool {
		group := shopadapter.FieldDetails
		if name == eanName && !m.Reset.Has(group) {
			group = shopadapter.FieldVariants
		}
		return !m.Changed.Has(group)
	})
	maps.DeleteFunc(held, func(name, _ string) bool { _, due := want[name]; return !due })
	one := kit.Merge{Changed: shopadapter.FieldDetails, Reset: m.Reset, Own: m.Own}
	write, next := one.DecideValues(shopadapter.FieldDetails, held, want, last)
	if one.Keeps(shopadapter.FieldDetails) {
		m.Keep(shopadapter.FieldDetails)
	}
	mine, theirs := fieldsOf(v), fieldsOf(&given)
	for name := range write {
		mine[name].Set(theirs[name])
	}
	return next
}

// eanName is the name under which the details of a variant hold its EAN.
const eanName = "ean"

// fieldsOf are the details of a variant, by their names in the record: a text, or a list of texts.
func fieldsOf(v *shopadapter.Variant) map[string]reflect.Value {
	all := map[string]reflect.Value{eanName: reflect.ValueOf(&v.EAN).Elem()}
	details := reflect.ValueOf(&v.Details).Elem()
	for i := range details.NumField() {
		name, _, _ := strings.Cut(details.Type().Field(i).Tag.Get("json"), ",")
		all[name] = details.Field(i)
	}
	return all
}

// detailsOf are the details of a variant, each in one text, a line an entry of a list.
func detailsOf(v *shopadapter.Variant) map[string]string {
	all := map[string]string{}
	for name, field := range fieldsOf(v) {
		if list, ok := field.Interface().([]string); ok {
			all[name] = strings.Join(list, "\n")
		} else {
			all[name] = field.String()
		}
	}
	return all
}

// byID is the variant with this id, nil where there is none.
func byID(variants []shopadapter.Variant, id string) *shopadapter.Variant {
	i := slices.IndexFunc(variants, func(v shopadapter.Variant) bool { return v.ID == id })
	if i < 0 {
		return nil
	}
	return &variants[i]
}

// refusal says why a variant cannot be sold as it is, "" when it can.
func refusal(v shopadapter.Variant) string {
	switch price, ok := amount.Parse(v.Price); {
	case v.ID == "":
		return "the variant has no id"
	case v.Price == "":
		return "the variant has no price"
	case !ok || !price.IsPositive():
		return "the price is not a decimal number above zero"
	default:
		return ""
	}
}
