package woocommerce

import (
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/each"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// A feature is an attribute that a visitor reads and does not choose by.
type feature struct {
	name   string            // in the note of what was written last
	called map[string]string // by language
	of     func(v shopadapter.Variant) []string
}

func features() []feature {
	return []feature{
		{
			"materials",
			map[string]string{"en": "Material", "nl": "Materiaal", "de": "Material", "fr": "Matière"},
			func(v shopadapter.Variant) []string { return v.Materials },
		},
		{
			"origin",
			map[string]string{
				"en": "Country of origin", "nl": "Land van herkomst", "de": "Herkunftsland", "fr": "Pays d’origine",
			},
			func(v shopadapter.Variant) []string { return []string{v.Origin} },
		},
	}
}

// in is what the attribute is called in a language.
func (f feature) in(language string) string {
	language, _, _ = strings.Cut(language, "-")
	return words.FirstOf(f.called[language], f.called["en"])
}

// is reports whether an attribute is called so in some language.
func (f feature) is(a variation.Attribute) bool {
	for _, name := range f.called {
		if words.Fold(words.Plain(a.Name)) == words.Fold(name) {
			return true
		}
	}
	return false
}

// shared is the values in which all variants agree; none where they differ.
func (f feature) shared(variants []shopadapter.Variant) (values []string) {
	for i, v := range variants {
		var own []string
		for _, value := range f.of(v) {
			if value = words.Value(value); value != "-" && !slices.Contains(own, value) {
				own = append(own, value)
			}
		}
		if i == 0 {
			values = own
		} else if !slices.Equal(own, values) {
			return nil
		}
	}
	return values
}

// bar stands between the values of an attribute, as WooCommerce keeps them.
const bar = " | "

// planFeatures adds the attributes to the fields where a feature differs. One that the merchant
// added, changed or renamed stays, and so does a choice of that name. A write replaces the list.
func (w *write) planFeatures() {
	if !w.Changed.Has(shopadapter.FieldDetails) || w.Product.Unknown.Has(shopadapter.FieldDetails) {
		return
	}
	all, planned := w.fields["attributes"].([]variation.Attribute)
	if !planned {
		all = variation.AllOf(w.view)
	}
	held, want := map[string]string{}, map[string]string{}
	at := func(f feature) int { return slices.IndexFunc(all, f.is) }
	for _, f := range features() {
		values := f.shared(w.Product.Variants)
		i := at(f)
		if i >= 0 && all[i].Variation || len(values) == 0 && !w.stamp.Details.Has(f.name) {
			continue
		}
		want[f.name], held[f.name] = strings.Join(values, bar), ""
		if i >= 0 {
			held[f.name] = strings.Join(each.Of(all[i].Options, words.Plain), bar)
		}
	}
	write := w.stamp.Details.Decide(&w.Merge, shopadapter.FieldDetails, held, want)
	for _, f := range features() {
		value, writes := write[f.name]
		if !writes {
			continue
		}
		i := at(f)
		switch {
		case value == "" && i >= 0:
			all = slices.Delete(all, i, i+1)
		case value == "":
		case i >= 0:
			all[i].Options = strings.Split(value, bar)
		default:
			all = append(all, variation.Attribute{
				Name: f.in(w.Product.Language), Visible: true, Options: strings.Split(value, bar),
			})
		}
	}
	if len(write) == 0 {
		return
	}
	for i := range all {
		all[i].Position = i
	}
	w.fields["attributes"] = all
}
