package sandbox

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

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
// Where it fails, some of the pairs may have changed the listing.
func (l *Listing) Apply(pairs ...string) error {
	n, err := number(pairs, "variants", 0, 10_000*min(len(l.Variants), 1)) // they become like the last
	if err != nil {
		return err
	}
	l.resize(n)
	variants := l.Variants
	if n, err = number(pairs, "of", 1, len(variants)); err != nil {
		return err
	}
	if n > 0 {
		variants = variants[n-1 : n]
	}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return fmt.Errorf("%q is no key=value", pair)
		}
		if err := l.apply(variants, key, value); err != nil {
			return err
		}
	}
	return nil
}

// number is the number that a key of pairs has; -1 where there is none.
func number(pairs []string, key string, least, most int) (int, error) {
	for _, pair := range pairs {
		if value, is := strings.CutPrefix(pair, key+"="); is {
			n, err := strconv.Atoi(value)
			if err != nil || n < least || n > most {
				return 0, fmt.Errorf("the product cannot have %q", pair)
			}
			return n, nil
		}
	}
	return -1, nil
}

// resize gives a listing n variants, or leaves it where n is negative. A new one is like the last,
// with an id, a SKU and a choice of its own.
func (l *Listing) resize(n int) {
	had := len(l.Variants)
	if n >= 0 {
		l.Variants = l.Variants[:min(n, had)]
	}
	for i := had; i < n; i++ {
		v, number := l.Variants[had-1], strconv.Itoa(i+1)
		v.ID, v.EAN, v.Options = "", "", slices.Clone(v.Options)
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

func (l *Listing) apply(variants []Variant, key, value string) error {
	key, language, _ := strings.Cut(key, ".")
	switch key {
	case "variants", "of":
	case "title", "html":
		return l.write(cmp.Or(language, "en"), key, value)
	case "category", "brand", "returns":
		return assign(key, value, l)
	case "shipping":
		part := append(strings.Split(value, ":"), "", "")
		days, _ := strconv.Atoi(part[2]) //nolint:errcheck // 0: not told
		l.Shipping = []Shipping{{CountryGroup: part[0], FixedCosts: part[1], Days: days}}
	case "pictures":
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
	default:
		for i := range variants {
			if err := variants[i].apply(key, value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *Listing) write(language, key, value string) error {
	if !slices.Contains(languages, language) {
		return fmt.Errorf("no language %q: one of %s", language, strings.Join(languages, ", "))
	}
	if l.Texts == nil {
		l.Texts = map[string]Text{}
	}
	text := l.Texts[language]
	if value == "none" {
		delete(l.Texts, language)
		return nil
	}
	err := assign(key, value, &text)
	l.Texts[language] = text
	return err
}

var longNames = map[string]string{"stock": "Quantity", "html": "Description", "available": "AvailableAt"}

// assign gives the field of that name of a struct a value.
func assign(name, value string, of any) error {
	long := cmp.Or(longNames[name], name)
	v := reflect.ValueOf(of).Elem().FieldByNameFunc(func(n string) bool { return strings.EqualFold(n, long) })
	switch v.Kind() { //nolint:exhaustive // no others can be named
	case reflect.String:
		v.SetString(value)
	case reflect.Int:
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("%s: %q is no number", name, value)
		}
		v.SetInt(int64(n))
	default:
		return fmt.Errorf("a supplier says nothing of %q", name)
	}
	return nil
}

// apply gives a field a value. A price is the recommended one, or multiplies it and the cost.
func (v *Variant) apply(key, by string) error {
	if key != "price" {
		return assign(key, by, v)
	}
	factor, relative := strings.CutPrefix(by, "x")
	amount, err := decimal.NewFromString(factor)
	if err != nil || amount.IsNegative() {
		return fmt.Errorf("%q is neither a price such as 12.50 nor a factor such as x1.1 of one", by)
	}
	if !relative {
		v.MSRP = amount.StringFixed(2)
		return nil
	}
	for _, figure := range []*string{&v.MSRP, &v.Cost} {
		if was, err := decimal.NewFromString(*figure); err == nil { // what is not told stays so
			*figure = was.Mul(amount).StringFixed(2)
		}
	}
	return nil
}
