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
	return m.change(id, func(r *record) error {
		l, taken, own, status := r.Listing, r.taken, []string{}, ""
		for _, pair := range pairs {
			switch key, value, _ := strings.Cut(pair, "="); {
			case key == "status":
				status = value
			case pair == "listing=none":
				l, taken = nil, r.Listing
			case pair == "listing=back":
				l = r.taken
			default:
				own = append(own, pair)
			}
		}
		if len(own) > 0 {
			l = cmp.Or(l, &Listing{}).clone()
			if err := l.Apply(own...); err != nil {
				return err
			}
		}
		if r.taken = taken; status == "" || len(pairs) > 1 {
			m.replace(r, l, how)
		}
		if status != "" {
			r.Status = status
			m.touch(r, m.stamp())
		}
		return nil
	})
}

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
	if n >= 0 && len(l.Variants) > 0 {
		l.resize(n)
	}
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
	texts := map[string]Text{}
	maps.Copy(texts, l.Texts)
	text := texts[language]
	err := assign(key, value, &text)
	if texts[language] = text; value == "none" {
		delete(texts, language)
	}
	l.Texts = texts
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

// resize gives a listing n variants. A new one is like the last, with an id, a SKU and a choice
// of its own.
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
