package woocommerce

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// optionNames are the names of the options in the supplier's order, those that only a variant
// mentions at the end.
func optionNames(p shopadapter.Product) (names []string) {
	used, all := map[string]bool{}, slices.Clone(p.Options)
	for _, v := range p.Variants {
		for _, o := range v.Options {
			used[o.Name] = true
			all = append(all, o.Name)
		}
	}
	for _, name := range all {
		if used[name] && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// attributeNames are options' names in a form that gives each a key of its own. WooCommerce keeps
// attributes by a slug of the name.
func attributeNames(options []string, language string) []string {
	if len(options) == 0 {
		options = []string{"Variant"}
		if strings.HasPrefix(language, "de") || strings.HasPrefix(language, "fr") {
			options = []string{"Variante"}
		}
	}
	var names []string
	taken := map[string]bool{}
	for i, name := range options {
		if name = optionValue(name); fold(name) == "" {
			name = fmt.Sprintf("Option %d", i+1)
		}
		own := name
		for n := 2; taken[fold(own)]; n++ {
			own = fmt.Sprintf("%s %d", name, n)
		}
		taken[fold(own)] = true
		names = append(names, own)
	}
	return names
}

// chosenBy is a variant's value for the n-th option. place counts the variants from 1.
func chosenBy(v shopadapter.Variant, options []string, n, place int) string {
	if len(options) == 0 {
		return optionValue(cmp.Or(strings.TrimSpace(v.Title), v.SKU, strconv.Itoa(place)))
	}
	for _, o := range v.Options {
		if o.Name == options[n] {
			return optionValue(o.Value)
		}
	}
	return "-"
}
