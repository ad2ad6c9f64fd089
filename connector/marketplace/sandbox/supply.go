package sandbox

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// Supply has the supplier change what is behind a publication, as the pairs of [Listing.Apply] say.
// Beside these, status=success sets a status directly, also one that no report can set; listing=none
// takes the listing away, and listing=back returns it.
func (m *Marketplace) Supply(id string, pairs []string, how ...Change) error {
	var own []string
	for _, pair := range pairs {
		var err error
		switch key, value, _ := strings.Cut(pair, "="); {
		case key == "status":
			err = m.change(id, func(r *record) error { r.Status = value; m.touch(r, m.stamp()); return nil })
		case pair == "listing=none":
			err = m.change(id, func(r *record) error { r.taken = r.Listing; m.changed(r, nil, how); return nil })
		case pair == "listing=back":
			err = m.change(id, func(r *record) error { m.changed(r, r.taken, how); return nil })
		default:
			own = append(own, pair)
		}
		if err != nil {
			return err
		}
	}
	if len(own) == 0 {
		return nil
	}
	return m.alter(id, func(l *Listing) error { return l.Apply(own...) }, how...)
}

var shortNames = map[string]string{"stock": "Quantity", "html": "Description", "available": "AvailableAt"}

// Apply changes a listing as pairs of key=value say:
//
//	price=12.50                      msrp of each variant; x1.1 multiplies msrp and cost
//	msrp= cost= stock= sku= ean= id= policy= weight= available= ...   of each variant
//	of=2                             all this of the second variant alone
//	variants=4                       more variants, like the last, or fewer
//	title= html= title.nl=           texts, in English where none is named; none takes the language away
//	pictures=2, pictures=URL,...     drawn ones, or others
//	category= brand= returns= shipping=GROUP:COSTS:DAYS
//
// A pair with an error has changed nothing of its key.
func (l *Listing) Apply(pairs ...string) error {
	said := map[string]string{}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return fmt.Errorf("%q is no key=value", pair)
		}
		said[key] = value
	}
	if text, given := said["variants"]; given {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || len(l.Variants) == 0 {
			return fmt.Errorf("%q is no number of variants, or the listing has none", text)
		}
		l.resize(n)
	}
	variants := l.Variants
	if text, given := said["of"]; given {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > len(variants) {
			return fmt.Errorf("there is no variant %q", text)
		}
		variants = variants[n-1 : n]
	}
	delete(said, "variants")
	delete(said, "of")
	for _, key := range slices.Sorted(maps.Keys(said)) {
		if err := l.apply(variants, key, said[key]); err != nil {
			return err
		}
	}
	return nil
}

func (l *Listing) apply(variants []Variant, key, value string) error {
	key, language, _ := strings.Cut(key, ".")
	switch key {
	case "title", "html":
		return l.write(cmp.Or(language, "en"), key, value)
	case "category", "brand", "returns":
		return assign(key, value, l)
	case "shipping":
		part := append(strings.Split(value, ":"), "", "")
		days, _ := strconv.Atoi(part[2]) //nolint:errcheck // 0: not told
		l.Shipping = []Shipping{{CountryGroup: part[0], FixedCosts: part[1], Days: days}}
		return nil
	case "pictures":
		return l.picture(value)
	}
	for i := range variants {
		v := &variants[i]
		if key == "price" {
			if err := v.reprice(value); err != nil {
				return err
			}
		} else if err := assign(key, value, v, &v.Details); err != nil {
			return err
		}
	}
	return nil
}

func (l *Listing) write(language, key, value string) error {
	if !slices.Contains(languages, language) {
		return fmt.Errorf("no language %q: one of %s", language, strings.Join(languages, ", "))
	}
	if l.Texts = maps.Clone(l.Texts); l.Texts == nil {
		l.Texts = map[string]Text{}
	}
	if value == "none" {
		delete(l.Texts, language)
		return nil
	}
	text := l.Texts[language]
	err := assign(key, value, &text)
	l.Texts[language] = text
	return err
}

func (l *Listing) picture(value string) error {
	if n, err := strconv.Atoi(value); err == nil && n >= 0 {
		l.Pictures = make([]Picture, n)
		return nil
	}
	l.Pictures = nil
	for address := range strings.SplitSeq(value, ",") {
		if !absolute(address) {
			return fmt.Errorf("%q is neither an http or https address nor a count", address)
		}
		l.Pictures = append(l.Pictures, Picture{URL: address})
	}
	return nil
}

// assign gives the field of that name a value, in the first struct that has one.
func assign(name, value string, into ...any) error {
	long := cmp.Or(shortNames[name], name)
	for _, of := range into {
		v := reflect.ValueOf(of).Elem().FieldByNameFunc(func(n string) bool { return strings.EqualFold(n, long) })
		switch v.Kind() { //nolint:exhaustive // no others can be named
		case reflect.String:
			v.SetString(value)
			return nil
		case reflect.Int:
			n, err := strconv.Atoi(value)
			if err != nil {
				return fmt.Errorf("%s: %q is no number", name, value)
			}
			v.SetInt(int64(n))
			return nil
		}
	}
	return fmt.Errorf("a supplier says nothing of %q", name)
}

// reprice sets the recommended price, or multiplies it and the cost.
func (v *Variant) reprice(by string) error {
	factor, relative := strings.CutPrefix(by, "x")
	amount, err := decimal.NewFromString(factor)
	msrp, none := decimal.NewFromString(v.MSRP)
	cost, free := decimal.NewFromString(v.Cost)
	switch {
	case err != nil || amount.IsNegative() || relative && (none != nil || free != nil):
		return fmt.Errorf("%q is neither a price such as 12.50 nor a factor such as x1.1 of one", by)
	case relative:
		v.MSRP, v.Cost = msrp.Mul(amount).StringFixed(2), cost.Mul(amount).StringFixed(2)
	default:
		v.MSRP = amount.StringFixed(2)
	}
	return nil
}

var numberedID = regexp.MustCompile(`-v\d+$`)

// resize gives a listing n variants. A new one is like the last, with an id, a SKU and a choice of
// its own.
func (l *Listing) resize(n int) {
	last := l.Variants[len(l.Variants)-1]
	l.Variants = l.Variants[:min(n, len(l.Variants))]
	for i := len(l.Variants) + 1; i <= n; i++ {
		v, number := last, strconv.Itoa(i)
		v.EAN, v.Options = "", slices.Clone(last.Options)
		if v.ID = ""; numberedID.MatchString(last.ID) {
			v.ID = numberedID.ReplaceAllString(last.ID, "-v"+number)
		}
		if v.SKU != "" {
			v.SKU += "-X" + number
		}
		if len(v.Options) == 0 {
			v.Options = []Option{{Name: "Option"}}
		}
		v.Options[0].Value = "No. " + number
		l.Variants = append(l.Variants, v)
	}
}
