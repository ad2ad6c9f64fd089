package woocommerce

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/choice"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/picture"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// A desired is a product as the shop shall hold it.
type desired struct {
	variable    bool // there is something to choose
	title       string
	description string
	sku         string // of the product itself
	variation.Set
	refused  map[string]string // by variant id
	pictures picture.Offer
	category shopadapter.Category
	slug     string
}

var decimal = regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,6})?$`)

// desire is p as this shop can hold it.
func desire(p shopadapter.Product) desired {
	d := desired{
		variable: len(p.Variants) > 1, Set: variation.Set{Publication: p.ID}, title: words.EscapeTitle(p.Title),
		description: words.Defuse(p.Description), sku: words.KeySKU(p.ID),
		refused: map[string]string{}, category: p.Category, slug: slug(p.Title, p.ID),
	}
	for _, v := range p.Variants {
		d.variable = d.variable || len(v.Options) > 0
	}
	if d.variable {
		d.Options = choices(p)
		d.Match = choice.Same(d.Options)
	}
	skus := map[string]string{}
	chosen := map[string]string{}
	for i, v := range p.Variants {
		w := variation.Of(v)
		if d.variable {
			w.Options = chosenBy(p, d.Options, i)
		}
		key, combination := strings.ToLower(w.SKU), fmt.Sprintf("%q", w.Options)
		switch {
		case !decimal.MatchString(v.Price):
			// WooCommerce reads 25,55 as 2555 and anything else as no price.
			d.refused[v.ID] = fmt.Sprintf("the price %q is no decimal number", v.Price)
		case utf8.RuneCountInString(w.SKU) > words.MaxSKU:
			d.refused[v.ID] = fmt.Sprintf("the SKU is longer than the %d characters that WooCommerce can look up", words.MaxSKU)
		case w.SKU != "" && skus[key] != "":
			d.refused[v.ID] = fmt.Sprintf("the SKU %s is that of variant %s too", w.SKU, skus[key])
		case d.variable && chosen[combination] != "":
			d.refused[v.ID] = fmt.Sprintf("it cannot be told from variant %s by its options", chosen[combination])
		default:
			skus[key], chosen[combination] = v.ID, v.ID
			d.Variants = append(d.Variants, w)
			continue
		}
	}
	if !d.variable && len(d.Variants) == 1 && d.Variants[0].SKU != "" {
		d.sku = d.Variants[0].SKU
	}
	d.pictures = picture.Of(p)
	return d
}

// noVariant is the error of a product of which nothing can be sold.
func (d desired) noVariant(p shopadapter.Product) error {
	for _, v := range p.Variants {
		if why := d.refused[v.ID]; why != "" {
			return shopadapter.Reject("no variant can be sold: %s", why)
		}
	}
	return shopadapter.Reject("the product has no variant")
}

// choices are the options of a product with the values there are. Where variants are told apart by
// nothing, their titles are the choice.
func choices(p shopadapter.Product) []choice.Axis {
	names := optionNames(p)
	list := make([]choice.Axis, 0, len(names)+1)
	taken := map[string]bool{}
	for i, name := range names {
		list = append(list, choice.Axis{Name: attributeName(name, i, taken)})
	}
	if len(list) == 0 {
		list = append(list, choice.Axis{Name: attributeName(variantWord(p.Language), 0, taken)})
	}
	for i := range p.Variants {
		for n, value := range chosenBy(p, list, i) {
			if !slices.Contains(list[n].Values, value) {
				list[n].Values = append(list[n].Values, value)
			}
		}
	}
	return list
}

// optionNames are the names of the options in the supplier's order, those that only a variant
// mentions at the end.
func optionNames(p shopadapter.Product) []string {
	var names []string
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	used := map[string]bool{}
	for _, v := range p.Variants {
		for _, o := range v.Options {
			used[o.Name] = true
		}
	}
	for _, name := range p.Options {
		if used[name] {
			add(name)
		}
	}
	for _, v := range p.Variants {
		for _, o := range v.Options {
			add(o.Name)
		}
	}
	return names
}

// chosenBy is what the i-th variant is for each of the choices.
func chosenBy(p shopadapter.Product, list []choice.Axis, i int) []string {
	v := p.Variants[i]
	names := optionNames(p)
	values := make([]string, len(list))
	for n := range list {
		values[n] = "-"
		if len(names) == 0 {
			values[n] = words.Value(words.FirstOf(v.Title, v.SKU, strconv.Itoa(i+1)))
			continue
		}
		for _, o := range v.Options {
			if o.Name == names[n] {
				values[n] = words.Value(o.Value)
			}
		}
	}
	return values
}

// variantWord names the choice between variants that have no options.
func variantWord(language string) string {
	switch {
	case strings.HasPrefix(language, "de"), strings.HasPrefix(language, "fr"):
		return "Variante"
	default:
		return "Variant"
	}
}

// attributeName is an option's name in a form that gives it a key of its own. WooCommerce keeps
// attributes by a slug of the name.
func attributeName(name string, i int, taken map[string]bool) string {
	name = words.Value(name)
	if words.Fold(name) == "" {
		name = fmt.Sprintf("Option %d", i+1)
	}
	own := name
	for n := 2; taken[words.Fold(own)]; n++ {
		own = fmt.Sprintf("%s %d", name, n)
	}
	taken[words.Fold(own)] = true
	return own
}

const (
	// maxSlug is the longest slug asked for, in characters.
	maxSlug = 60
	// maxSlugBytes keeps the end of a slug within the 200 bytes that WordPress writes of one,
	// percent-encoded.
	maxSlugBytes = 180
	// slugDigest is how many bytes of the publication's hash end it.
	slugDigest = 3
)

// slug is the product's address: the title's words, and a few characters of the publication's own.
// A slug that is unique from the start spares WordPress the search for one that is free.
func slug(title string, id shopadapter.PublicationID) string {
	var kept []string
	length, bytes := 0, 0
	for word := range strings.SplitSeq(words.Fold(title), "_") {
		length += utf8.RuneCountInString(word) + 1
		if bytes += len(url.QueryEscape(word)) + 1; length > maxSlug || bytes > maxSlugBytes {
			break
		}
		if word != "" {
			kept = append(kept, word)
		}
	}
	return strings.Join(append(kept, stamp.Digest(string(id), slugDigest)), "-")
}
