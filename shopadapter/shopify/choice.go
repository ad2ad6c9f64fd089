package shopify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

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
