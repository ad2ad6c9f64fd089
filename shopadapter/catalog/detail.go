package catalog

import (
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// eanName is the name under which the details of a variant hold its EAN.
const eanName = "ean"

// figures are the details that are one text, by their names in the record.
func figures(v *shopadapter.Variant) map[string]*string {
	return map[string]*string{
		eanName: &v.EAN, "weight": &v.Weight, "length": &v.Length, "width": &v.Width, "height": &v.Height,
		"diameter": &v.Diameter, "volume": &v.Volume, "origin": &v.Origin, "leadTime": &v.LeadTime,
		"availableAt": &v.AvailableAt, "caseQuantity": &v.CaseQuantity,
	}
}

// lists are the details that are lists.
func lists(v *shopadapter.Variant) map[string]*[]string {
	return map[string]*[]string{"tags": &v.Tags, "materials": &v.Materials}
}

// detailsOf are the details of a variant as texts, and its EAN.
func detailsOf(v *shopadapter.Variant) map[string]string {
	all := map[string]string{}
	for name, value := range figures(v) {
		all[name] = *value
	}
	for name, value := range lists(v) {
		all[name] = strings.Join(*value, "\n")
	}
	return all
}

// take gives v the details of given that are named.
func take(v, given *shopadapter.Variant, names map[string]string) {
	mine, theirs := figures(v), figures(given)
	for name, value := range mine {
		if _, named := names[name]; named {
			*value = *theirs[name]
		}
	}
	for name, value := range lists(v) {
		if _, named := names[name]; named {
			*value = *lists(given)[name]
		}
	}
}

func brandOf(p *shopadapter.Product) map[string]string { return map[string]string{"brand": p.Brand} }

// mergeBrand leaves r the supplier's brand, or that of old where it is to stay.
func (r *record) mergeBrand(m *stamp.Merge, old *record) {
	r.Stamp.Brand = old.Stamp.Brand
	if len(m.DecideDetails(shopadapter.FieldBrand, brandOf(&old.Product), brandOf(&r.Product), &r.Stamp.Brand)) == 0 {
		r.Brand = old.Brand
	}
}

// mergeDetails brings the details of r's variants to those of p, as far as they are to change and
// are not the merchant's. A variant that old has comes with the details of old.
func (r *record) mergeDetails(m *stamp.Merge, old *record, p shopadapter.Product) {
	r.Stamp.Units, r.Stamp.Later = old.Stamp.Units, old.Stamp.Later
	if m.Changed.Has(shopadapter.FieldDetails) {
		r.Stamp.Units = units(p.Units)
	}
	if m.Changed.Has(shopadapter.FieldShipping) {
		r.Stamp.Later = later(p.Variants)
	}
	r.Stamp.Details = map[string]stamp.Details{}
	names := map[string]string{} // of what may change
	if m.Changed.Has(shopadapter.FieldDetails) {
		names = detailsOf(&shopadapter.Variant{})
	}
	if !m.Changed.Has(shopadapter.FieldVariants) && !m.Reset.Has(shopadapter.FieldDetails) {
		delete(names, eanName)
	} else {
		names[eanName] = ""
	}
	for i := range r.Variants {
		v := &r.Variants[i]
		was, given := byID(old.Variants, v.ID), byID(p.Variants, v.ID)
		notes := old.notes(was)
		one := *m
		one.Changed |= shopadapter.FieldDetails
		switch {
		case given == nil:
		case was == nil:
			one.Own = true
			one.DecideDetails(shopadapter.FieldDetails, nil, detailsOf(given), &notes)
		default:
			held, want := only(names, detailsOf(was)), only(names, detailsOf(given))
			take(v, given, one.DecideDetails(shopadapter.FieldDetails, held, want, &notes))
		}
		if one.Keeps(shopadapter.FieldDetails) {
			m.Keep(shopadapter.FieldDetails)
		}
		if len(notes) > 0 {
			r.Stamp.Details[v.ID] = notes
		}
	}
}

// notes are what the stamp says of a variant's details. Before it said anything of them, the EAN
// followed the supplier.
func (r *record) notes(was *shopadapter.Variant) (notes stamp.Details) {
	if was == nil {
		return nil
	}
	if r.Stamp.Details == nil {
		all := stamp.Merge{Changed: shopadapter.FieldDetails, Own: true}
		all.DecideDetails(shopadapter.FieldDetails, nil, map[string]string{eanName: was.EAN}, &notes)
		return notes
	}
	return r.Stamp.Details[was.ID]
}

// only is the values of those that are named.
func only(names, values map[string]string) map[string]string {
	maps.DeleteFunc(values, func(name, _ string) bool {
		_, named := names[name]
		return !named
	})
	return values
}

// later are the variants that cannot be had yet.
func later(variants []shopadapter.Variant) (ids []string) {
	for _, v := range variants {
		if v.Later {
			ids = append(ids, v.ID)
		}
	}
	return ids
}

// byID is the variant with this id, nil where there is none.
func byID(variants []shopadapter.Variant, id string) *shopadapter.Variant {
	i := slices.IndexFunc(variants, func(v shopadapter.Variant) bool { return v.ID == id })
	if i < 0 {
		return nil
	}
	return &variants[i]
}
