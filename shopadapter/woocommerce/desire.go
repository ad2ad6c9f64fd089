package woocommerce

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/picture"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// A desired is what the shop shall hold of the product itself.
type desired struct {
	variable    bool // there is something to choose
	title       string
	description string
	slug        string
	pictures    picture.Offer
}

var decimal = regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,6})?$`)

// desire is p as this shop can hold it.
func desire(p shopadapter.Product) desired {
	return desired{
		variable: len(p.Variants) > 1 ||
			slices.ContainsFunc(p.Variants, func(v shopadapter.Variant) bool { return len(v.Options) > 0 }),
		title: words.EscapeTitle(p.Title), description: words.Defuse(p.Description), slug: slug(p.Title, p.ID),
		pictures: picture.Of(p),
	}
}

// Offers names the attributes to choose by. Where variants are told apart by nothing, their titles
// are the choice. A SKU is brought to the form in which WooCommerce keeps it.
func (w *write) Offers(ctx context.Context) (names []string, offer skeleton.Offer, err error) {
	prices, err := w.a.prices.Get(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	p := prices.Product(w.Product)
	p.Variants = slices.Clone(p.Variants)
	for i := range p.Variants {
		p.Variants[i].SKU = words.CleanSKU(p.Variants[i].SKU)
	}
	options := optionNames(p)
	switch {
	case w.Figures:
		names = options
	case w.want.variable:
		names = attributeNames(options, p.Language)
	}
	p.Options = names
	w.Product = p
	place, skus, chosen := 0, map[string]string{}, map[string]string{}
	return names, func(v shopadapter.Variant) ([]string, string) {
		place++
		values := make([]string, len(names))
		for n := range names {
			values[n] = chosenBy(v, options, n, place)
		}
		key, choice := strings.ToLower(v.SKU), fmt.Sprintf("%q", values)
		switch {
		case !decimal.MatchString(v.Price):
			// WooCommerce reads 25,55 as 2555 and anything else as no price.
			return nil, fmt.Sprintf("the price %q is no decimal number", v.Price)
		case utf8.RuneCountInString(v.SKU) > words.MaxSKU:
			return nil, fmt.Sprintf("the SKU is longer than the %d characters that WooCommerce can look up", words.MaxSKU)
		case v.SKU != "" && skus[key] != "":
			return nil, fmt.Sprintf("the SKU %s is that of variant %s too", v.SKU, skus[key])
		case chosen[choice] != "":
			return nil, fmt.Sprintf("it cannot be told from variant %s by its options", chosen[choice])
		}
		skus[key], chosen[choice] = v.ID, v.ID
		return values, ""
	}, nil
}

// sku is the one of the product itself.
func (w *write) sku() string {
	if !w.want.variable && len(w.Planned) == 1 && w.Planned[0].SKU != "" {
		return w.Planned[0].SKU
	}
	return words.KeySKU(w.Ref.Publication)
}

// skus are those by which the product can be found.
func (w *write) skus() []string {
	list := []string{words.KeySKU(w.Ref.Publication)}
	for _, v := range w.Product.Variants {
		if sku := words.CleanSKU(v.SKU); sku != "" && utf8.RuneCountInString(sku) <= words.MaxSKU {
			list = append(list, sku)
		}
	}
	return list
}

// optionNames are the names of the options in the supplier's order, those that only a variant
// mentions at the end.
func optionNames(p shopadapter.Product) []string {
	var used []string
	for _, v := range p.Variants {
		for _, o := range v.Options {
			if !slices.Contains(used, o.Name) {
				used = append(used, o.Name)
			}
		}
	}
	var names []string
	for _, name := range slices.Concat(p.Options, used) {
		if slices.Contains(used, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// attributeNames are options' names in a form that gives each a key of its own. WooCommerce keeps
// attributes by a slug of the name.
func attributeNames(options []string, language string) []string {
	if len(options) == 0 {
		options = []string{variantWord(language)}
	}
	var names []string
	taken := map[string]bool{}
	for i, name := range options {
		if name = words.Value(name); words.Fold(name) == "" {
			name = fmt.Sprintf("Option %d", i+1)
		}
		own := name
		for n := 2; taken[words.Fold(own)]; n++ {
			own = fmt.Sprintf("%s %d", name, n)
		}
		taken[words.Fold(own)] = true
		names = append(names, own)
	}
	return names
}

// chosenBy is a variant's value for the n-th option. place counts the variants from 1.
func chosenBy(v shopadapter.Variant, options []string, n, place int) string {
	if len(options) == 0 {
		return words.Value(words.FirstOf(v.Title, v.SKU, strconv.Itoa(place)))
	}
	value := "-"
	for _, o := range v.Options {
		if o.Name == options[n] {
			value = words.Value(o.Value)
		}
	}
	return value
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
