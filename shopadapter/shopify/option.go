package shopify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// What Shopify calls the choice of a product that has nothing to choose.
const (
	soleOption = "Title"
	soleValue  = "Default Title"
)

// blank is the value written where the supplier left one empty: Shopify wants a value of each
// option for each variant.
const blank = "–"

const longestOption = 255 // characters of a name or a value

// choices are the options of a product, and the values of each variant by its id. More options than
// the shop allows are folded into the last one.
func choices(p shopadapter.Product, most int) (names []string, of map[string][]string) {
	all, of := optionNames(p), map[string][]string{}
	spelling := map[string]string{}
	for _, v := range p.Variants {
		values := make([]string, 0, len(all))
		for i, name := range all {
			values = append(values, cut(valueOf(p, v, i, name), longestOption))
		}
		of[v.ID] = spell(fold(values, most), spelling)
	}
	return distinct(fold(all, most)), of
}

func optionNames(p shopadapter.Product) []string {
	names := p.Options
	if len(names) == 0 && len(p.Variants) > 0 {
		for _, o := range p.Variants[0].Options {
			names = append(names, o.Name)
		}
	}
	if len(names) == 0 {
		return []string{soleOption}
	}
	clean := make([]string, 0, len(names))
	for i, name := range names {
		if name = cut(name, longestOption); name == "" {
			name = fmt.Sprint("Option ", i+1)
		}
		clean = append(clean, name)
	}
	return clean
}

// valueOf is a variant's value of the i-th option, found by the product's name for it, else by its
// position among the variant's options.
func valueOf(p shopadapter.Product, v shopadapter.Variant, i int, name string) string {
	if len(p.Options) == 0 && len(v.Options) == 0 {
		return soleChoice(p, v)
	}
	value := ""
	for j, o := range v.Options {
		if strings.TrimSpace(o.Name) == name || value == "" && j == i {
			value = strings.TrimSpace(o.Value)
		}
	}
	if value == "" {
		return blank
	}
	return value
}

// soleChoice is the value of a variant without options: several of them are told apart by what they
// are called.
func soleChoice(p shopadapter.Product, v shopadapter.Variant) string {
	if len(p.Variants) == 1 {
		return soleValue
	}
	for _, name := range []string{v.Title, v.SKU, v.ID} {
		if name = strings.TrimSpace(name); name != "" {
			return name
		}
	}
	return blank
}

// fold joins what is above the limit into the last that is within it.
func fold(list []string, most int) []string {
	if most < 1 {
		most = 3
	}
	if len(list) <= most {
		return list
	}
	return append(list[:most-1:most-1], cut(strings.Join(list[most-1:], " / "), longestOption))
}

// distinct numbers the names that occur twice.
func distinct(names []string) []string {
	seen := map[string]int{}
	list := make([]string, 0, len(names))
	for _, name := range names {
		folded := strings.ToLower(name)
		if seen[folded]++; seen[folded] > 1 {
			name = fmt.Sprintf("%s %d", name, seen[folded])
		}
		list = append(list, name)
	}
	return list
}

// spell writes values that differ only in case as the first of them: Shopify takes them for the
// same value.
func spell(values []string, spelling map[string]string) []string {
	values = slices.Clone(values)
	for i, value := range values {
		place := fmt.Sprint(i, " ", strings.ToLower(value))
		if first, ok := spelling[place]; ok {
			values[i] = first
		} else {
			spelling[place] = value
		}
	}
	return values
}

// together joins the values of a choice into one key, for comparison.
func together(values []string) string { return strings.ToLower(strings.Join(values, "\x00")) }

// optionInput are the options with every value that is used of them, in the order of first use.
func optionInput(names []string, used [][]string) []input {
	list := make([]input, 0, len(names))
	for i, name := range names {
		values, seen := []input{}, map[string]bool{}
		for _, u := range used {
			if i < len(u) && !seen[u[i]] {
				seen[u[i]] = true
				values = append(values, input{"name": u[i]})
			}
		}
		list = append(list, input{"name": name, "position": i + 1, "values": values})
	}
	return list
}

// valueInput is one variant's choice.
func valueInput(names, values []string) []input {
	list := make([]input, 0, len(names))
	for i, name := range names {
		list = append(list, input{"optionName": name, "name": values[i]})
	}
	return list
}
