package publication

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// chair is a product with something in every field, twice where there may be several.
func chair() shopadapter.Product {
	return shopadapter.Product{
		ID: "pub-1", ListingID: "listing-1", ProductID: "product-1", Currency: "EUR", Language: "en", Title: "Chair",
		Description: "<p>To sit on.</p>",
		Translations: map[string]shopadapter.Translation{
			"en": {
				Title:       "Chair",
				Description: "<p>To sit on.</p>",
			}, "nl": {Title: "Stoel", Description: "<p>Om op te zitten.</p>"},
		},
		Category: shopadapter.Category{
			Path:   "HOME_CHAIRS",
			Name:   "Chairs",
			Branch: []shopadapter.Level{{Path: "HOME", Name: "Wonen"}, {Path: "HOME_CHAIRS", Name: "Stoelen"}},
		},
		Options: []string{"Color", "Size"},
		Variants: []shopadapter.Variant{
			{
				ID: "v1", Title: "Red / S", SKU: "C-RS", EAN: "8710000000017", Price: "49.95", Cost: "20.00", MSRP: "49.95",
				Quantity: 3,
				Options:  []shopadapter.Option{{Name: "Color", Value: "Red"}, {Name: "Size", Value: "S"}},
				Details:  chairDetails(),
			},
			{
				ID: "v2", Title: "Blue / M", SKU: "C-BM", EAN: "8710000000024", Price: "59.95", Cost: "25.00", MSRP: "59.95",
				Quantity: 0, Backorders: true,
				Options: []shopadapter.Option{{Name: "Color", Value: "Blue"}, {Name: "Size", Value: "M"}},
				Details: chairDetails(),
			},
		},
		Images: []string{"https://img.example/1.jpg", "https://img.example/2.jpg"},
		Shipping: []shopadapter.Shipping{
			{CountryGroup: "NL", FixedCosts: "4.95", VariableCosts: "0.50", EstimatedDays: "3"},
			{CountryGroup: "BE", FixedCosts: "6.95", VariableCosts: "0.75", EstimatedDays: "4"},
		},
		Returns: "true", UpdatedAt: "2026-11-01T08:00:00Z",
		Brand: "Sitwell", Units: shopadapter.Units{Weight: "kg", Length: "cm"},
	}
}

// chairDetails are those of both variants of the sample.
func chairDetails() shopadapter.Details {
	return shopadapter.Details{
		Weight: "4.5", Length: "50", Width: "45", Height: "90", Diameter: "3", Volume: "0.2", Origin: "PT",
		LeadTime: "DAYS_3", AvailableAt: "2026-12-01", Tags: []string{"ECO", "NEW"}, Materials: []string{"OAK", "LINEN"},
		CaseQuantity: "2",
	}
}

// recordAs is the record after p was written.
func recordAs(p shopadapter.Product) store.Record {
	print := fingerprintOf(p)
	r := store.Record{ID: string(p.ID), OnSale: true, WrittenAt: 1, Hashes: print[:], HashRule: hashRule}
	for _, v := range p.Variants {
		r.Variants = append(r.Variants, store.Variant{
			ID: v.ID, SKU: v.SKU, Title: v.Title, Price: v.Price, Cost: v.Cost, MSRP: v.MSRP, Quantity: v.Quantity,
			Backorders: v.Backorders,
		})
	}
	return r
}

// groupOf is the field group that each field of a product belongs to, by its path.
var groupOf = map[string]shopadapter.Fields{
	"Figures": shopadapter.NoFields,                              // of a call, and not of the product
	"Draft":   shopadapter.NoFields,                              // the record says of a listing that it is one
	"ID":      0, "ListingID": 0, "ProductID": 0, "UpdatedAt": 0, // who it is and when, not what
	// nothing starts in another than the shop's
	"Currency":                 0,
	"Language":                 shopadapter.FieldTitle | shopadapter.FieldDescription, // of both texts
	"Title":                    shopadapter.FieldTitle,
	"Description":              shopadapter.FieldDescription,
	"Translations.Title":       shopadapter.FieldTitle,
	"Translations.Description": shopadapter.FieldDescription,
	"Category.Path":            shopadapter.FieldCategory,
	"Category.Name":            shopadapter.FieldCategory,
	"Category.Branch.Path":     shopadapter.FieldCategory,
	"Category.Branch.Name":     shopadapter.FieldCategory,
	"Options":                  shopadapter.FieldVariants,
	"Variants.ID":              shopadapter.FieldVariants | shopadapter.FieldDetails, // one removed and one added
	"Variants.Title":           shopadapter.FieldVariants,
	"Variants.SKU":             shopadapter.FieldVariants,
	"Variants.EAN":             shopadapter.FieldVariants,
	"Variants.Options.Name":    shopadapter.FieldVariants,
	"Variants.Options.Value":   shopadapter.FieldVariants,
	"Variants.Price":           shopadapter.FieldPrice,
	"Variants.Cost":            shopadapter.FieldPrice,
	"Variants.MSRP":            shopadapter.FieldPrice,
	"Variants.Quantity":        shopadapter.FieldStock,
	"Variants.Backorders":      shopadapter.FieldStock,
	"Images":                   shopadapter.FieldImages,
	"Shipping.CountryGroup":    shopadapter.FieldShipping,
	"Shipping.FixedCosts":      shopadapter.FieldShipping,
	"Shipping.VariableCosts":   shopadapter.FieldShipping,
	"Shipping.EstimatedDays":   shopadapter.FieldShipping,
	"Returns":                  shopadapter.FieldShipping,

	"Brand":                         shopadapter.FieldBrand,
	"Units.Weight":                  shopadapter.FieldDetails,
	"Units.Length":                  shopadapter.FieldDetails,
	"Variants.Later":                shopadapter.FieldShipping,
	"Variants.Details.Weight":       shopadapter.FieldDetails,
	"Variants.Details.Length":       shopadapter.FieldDetails,
	"Variants.Details.Width":        shopadapter.FieldDetails,
	"Variants.Details.Height":       shopadapter.FieldDetails,
	"Variants.Details.Diameter":     shopadapter.FieldDetails,
	"Variants.Details.Volume":       shopadapter.FieldDetails,
	"Variants.Details.Origin":       shopadapter.FieldDetails,
	"Variants.Details.LeadTime":     shopadapter.FieldDetails,
	"Variants.Details.AvailableAt":  shopadapter.FieldDetails,
	"Variants.Details.Tags":         shopadapter.FieldDetails,
	"Variants.Details.Materials":    shopadapter.FieldDetails,
	"Variants.Details.CaseQuantity": shopadapter.FieldDetails,
}

// eachField changes every single field of what v points at, one at a time, calls f with its path,
// and changes it back.
func eachField(t *testing.T, v reflect.Value, path string, f func(path string)) {
	t.Helper()
	try := func(other reflect.Value) {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		v.Set(other)
		f(path)
		v.Set(old)
	}
	switch v.Kind() {
	case reflect.String:
		try(reflect.ValueOf(v.String() + "0").Convert(v.Type()))
		try(reflect.Zero(v.Type()))
	case reflect.Int:
		try(reflect.ValueOf(int(v.Int()) + 1))
	case reflect.Uint16: // Unknown is what is not known of the others
	case reflect.Bool:
		try(reflect.ValueOf(!v.Bool()))
	case reflect.Slice:
		if v.Len() < 2 {
			t.Fatalf("got fewer than two of %s in the sample, want two", path)
		}
		for i := range v.Len() {
			eachField(t, v.Index(i), path, f)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			elem := reflect.New(v.Type().Elem()).Elem()
			elem.Set(v.MapIndex(key))
			eachField(t, elem, path, func(path string) {
				old := v.MapIndex(key)
				v.SetMapIndex(key, elem)
				f(path)
				v.SetMapIndex(key, old)
			})
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if path != "" {
				name = path + "." + name
			}
			eachField(t, v.Field(i), name, f)
		}
	default:
		t.Fatalf("%s is a %s: say how it changes", path, v.Kind())
	}
}

// Every field of a product belongs to the groups that the table says, and to no other: also one
// that will be added.
func TestEveryFieldHasItsGroup(t *testing.T) {
	p := chair()
	before := recordAs(p)
	hashes := fingerprintOf(p)
	seen := map[string]bool{}
	eachField(t, reflect.ValueOf(&p).Elem(), "", func(path string) {
		seen[path] = true
		want, known := groupOf[path]
		if !known {
			t.Errorf("%s: got no group, want one: else its change would never reach a shop", path)
			return
		}
		print := fingerprintOf(p)
		if got := print.differing(p, before); got != want {
			t.Errorf("a change of %s is one of %v, want %v", path, got.Names(), want.Names())
		}
		if same := print == hashes; same != (want == 0) {
			t.Errorf("a change of %s: got the same fingerprint %t, want %t", path, same, want == 0)
		}
		if same := string(print.content()) == string(hashes.content()); same != (want == 0) {
			t.Errorf("a change of %s: got the same hash of all %t, want %t", path, same, want == 0)
		}
	})
	for path := range groupOf {
		if !seen[path] {
			t.Errorf("got no %s in a product, want it, since the table has it", path)
		}
	}
	if diff := cmp.Diff(chair(), p); diff != "" {
		t.Fatalf("the sample after the test (-want +got):\n%s", diff)
	}
}

func TestDiffering(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*shopadapter.Product)
		want   shopadapter.Fields
	}{
		{"nothing", func(*shopadapter.Product) {}, 0},
		{"a variant is added", func(p *shopadapter.Product) {
			p.Variants = append(p.Variants, shopadapter.Variant{ID: "v3", Price: "9.95", Quantity: 5})
		}, shopadapter.FieldVariants},
		{
			"a variant is removed", func(p *shopadapter.Product) { p.Variants = p.Variants[:1] },
			shopadapter.FieldVariants | shopadapter.FieldDetails,
		},
		{"all variants are others", func(p *shopadapter.Product) {
			p.Variants = []shopadapter.Variant{{ID: "v8", Price: "1.00"}, {ID: "v9", Price: "2.00", Quantity: 1}}
		}, shopadapter.FieldVariants | shopadapter.FieldDetails},
		{
			"the variants change places", func(p *shopadapter.Product) { slices.Reverse(p.Variants) },
			shopadapter.FieldVariants | shopadapter.FieldDetails,
		},
		{"one is added, another gets a price, a third stock", func(p *shopadapter.Product) {
			p.Variants[0].Price, p.Variants[1].Quantity = "39.95", 8
			p.Variants = append(p.Variants, shopadapter.Variant{ID: "v3", Price: "9.95"})
		}, shopadapter.FieldVariants | shopadapter.FieldPrice | shopadapter.FieldStock},
		{
			"an option is added", func(p *shopadapter.Product) { p.Options = append(p.Options, "Fabric") },
			shopadapter.FieldVariants,
		},
		{"the options change places", func(p *shopadapter.Product) { slices.Reverse(p.Options) }, shopadapter.FieldVariants},
		{
			"an image is added", func(p *shopadapter.Product) { p.Images = append(p.Images, "https://img.example/3.jpg") },
			shopadapter.FieldImages,
		},
		{"no image is left", func(p *shopadapter.Product) { p.Images = nil }, shopadapter.FieldImages},
		{"the images change places", func(p *shopadapter.Product) { slices.Reverse(p.Images) }, shopadapter.FieldImages},
		{"a language is added", func(p *shopadapter.Product) {
			p.Translations["de"] = shopadapter.Translation{Title: "Stuhl"}
		}, shopadapter.FieldTitle | shopadapter.FieldDescription},
		{
			"a language is removed", func(p *shopadapter.Product) { delete(p.Translations, "nl") },
			shopadapter.FieldTitle | shopadapter.FieldDescription,
		},
		{"shipping is removed", func(p *shopadapter.Product) { p.Shipping = p.Shipping[:1] }, shopadapter.FieldShipping},
		{"the price alone", func(p *shopadapter.Product) { p.Variants[0].Price = "39.95" }, shopadapter.FieldPrice},
		{"the stock alone", func(p *shopadapter.Product) { p.Variants[0].Quantity = 0 }, shopadapter.FieldStock},
		{"two figures of two variants change places", func(p *shopadapter.Product) {
			p.Variants[0].Quantity, p.Variants[1].Quantity = p.Variants[1].Quantity, p.Variants[0].Quantity
		}, shopadapter.FieldStock},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := chair()
			before := recordAs(p)
			tt.change(&p)
			if got := fingerprintOf(p).differing(p, before); got != tt.want {
				t.Errorf("%v, want %v", got.Names(), tt.want.Names())
			}
		})
	}
}

// Content that the record cannot compare counts as changed: one write too many is better than a
// lost change.
func TestDifferingFromAnUnknownRule(t *testing.T) {
	p := chair()
	for name, change := range map[string]func(*store.Record){
		"no hashes":       func(r *store.Record) { r.Hashes = nil },
		"short hashes":    func(r *store.Record) { r.Hashes = r.Hashes[:8] },
		"another rule":    func(r *store.Record) { r.HashRule = hashRule + 1 },
		"an empty record": func(r *store.Record) { *r = store.Record{} },
	} {
		r := recordAs(p)
		change(&r)
		if got := fingerprintOf(p).differing(p, r); got != shopadapter.AllFields {
			t.Errorf("%s: got %v, want all groups", name, got.Names())
		}
	}
}

// A variant that the shop refused was sent to it, one that the rules refused was not.
func TestDifferingOfRefusedVariants(t *testing.T) {
	p := chair()
	r := recordAs(p)
	r.Variants[0].Refused = "the shop wants an EAN"
	p.Variants[0].Price = "39.95"
	if got := fingerprintOf(p).differing(p, r); got != shopadapter.FieldPrice {
		t.Errorf("a new price of a refused variant: got %v, want the price", got.Names())
	}
	if w := writtenVariants(r); len(w) != 1 || w["v2"].Price != "59.95" {
		t.Errorf("got %v accepted by the shop, want one variant", w)
	}

	refused := chair()
	refused.Variants = refused.Variants[1:]
	r = recordAs(refused)
	r.Variants = append(r.Variants, store.Variant{ID: "v1", Refused: "it has no msrp"})
	if got := fingerprintOf(p).differing(p, r); got != shopadapter.FieldVariants|shopadapter.FieldDetails {
		t.Errorf("a variant that the rules now let pass: got %v, want the variants and their details", got.Names())
	}
	if w := writtenVariants(r); len(w) != 1 {
		t.Errorf("got %v accepted by the shop, want one variant", w)
	}
}

// What is compared by its figures takes no room as a hash, and nothing differs for that.
func TestFiguresAreKeptWithoutAHash(t *testing.T) {
	p := shopadapter.Product{
		Title:    "Planter",
		Variants: []shopadapter.Variant{{ID: "v", Title: "S", Price: "19.95", Quantity: 3}},
	}
	print := fingerprintOf(p)
	kept := print.keeping(store.Record{}, shopadapter.NoFields)
	if figures := kept[5*hashSize : 7*hashSize]; !bytes.Equal(figures, make([]byte, 2*hashSize)) ||
		bytes.Equal(kept[:hashSize], make([]byte, hashSize)) {
		t.Errorf("got %x kept, want a title and no figures", kept)
	}
	r := store.Record{
		Hashes:   kept,
		HashRule: hashRule,
		Variants: []store.Variant{{ID: "v", Title: "S", Price: "19.95", Quantity: 3}},
	}
	if fields := print.differing(p, r); fields != shopadapter.NoFields {
		t.Errorf("got %v different, want none", fields)
	}
	p.Variants[0].Quantity = 4
	if fields := fingerprintOf(p).differing(p, r); fields != shopadapter.FieldStock {
		t.Errorf("got %v different, want the stock", fields)
	}
}

// These are on disk in every store. A rule that gives others is another rule: raise hashRule, and
// keep this one for the records that carry it.
func TestHashRuleOne(t *testing.T) {
	want := map[string]string{ // of the sample, and of an empty product
		"title":       "2f0d09ca31f01ad4 96a296d224f285c6",
		"description": "fd256e437b921fa8 96a296d224f285c6",
		"images":      "18260ff9bde09b1b e3b0c44298fc1c14",
		"category":    "5b0801f4703a3a20 96a296d224f285c6",
		"variants":    "f230e53349836ff6 6e340b9cffb37a98",
		"price":       "d2bf845712012ff0 e3b0c44298fc1c14",
		"stock":       "626bab77f8f35cf4 e3b0c44298fc1c14",
		"shipping":    "e4a93d741656871d 6e340b9cffb37a98",
	}
	if hashRule != 3 {
		t.Fatalf("rules 2 and 3 begin as rule 1, and this is rule %d", hashRule)
	}
	print := fingerprintOf(chair())
	empty := fingerprintOf(shopadapter.Product{})
	for i, name := range shopadapter.AllFields.Names()[:hashGroups] {
		got := hex.EncodeToString(print[i*hashSize:(i+1)*hashSize]) + " " + hex.EncodeToString(
			empty[i*hashSize:(i+1)*hashSize],
		)
		if got != want[name] {
			t.Errorf("%s is hashed as %s, want %s", name, got, want[name])
		}
	}
}

// A record of version 2 differs in what version 3 added, where there is any of it, and in nothing
// else.
func TestHashRuleTwo(t *testing.T) {
	p := chair()
	r := recordAs(p)
	r.HashRule, r.Hashes = 2, r.Hashes[:branchEnd]
	print := fingerprintOf(p)
	if got, want := print.differing(p, r), shopadapter.FieldBrand|shopadapter.FieldDetails; got != want {
		t.Errorf("of a product with brand and details: got %v different, want %v", got.Names(), want.Names())
	}
	p.Brand = ""
	for i := range p.Variants {
		p.Variants[i].Details = shopadapter.Details{}
	}
	print = fingerprintOf(p)
	if got := print.differing(p, r); got != shopadapter.NoFields {
		t.Errorf("of a product without: got %v different, want none", got.Names())
	}
}

// Brand and details that could not be read keep the hashes of the record.
func TestUnknownDetailsKeepTheirHashes(t *testing.T) {
	p := chair()
	r := recordAs(p)
	bare := p
	bare.Brand, bare.Unknown = "", shopadapter.FieldBrand|shopadapter.FieldDetails
	bare.Variants = slices.Clone(p.Variants)
	for i := range bare.Variants {
		bare.Variants[i].Details = shopadapter.Details{}
	}
	if got := fingerprintOf(bare).differing(bare, r); got != shopadapter.NoFields {
		t.Errorf("got %v different, want none", got.Names())
	}
	got, want := fingerprintOf(bare).keeping(r, bare.Unknown)[branchEnd:], r.Hashes[branchEnd:]
	if !bytes.Equal(got, want) {
		t.Errorf("got hashes %x, want %x", got, want)
	}
}

// No two lists of strings, and no two products, look alike: where a string ends is part of the
// hash.
func TestHashTellsListsApart(t *testing.T) {
	lists := [][]string{
		nil,
		{""},
		{"", ""},
		{"a"},
		{"a", ""},
		{"", "a"},
		{"ab"},
		{"a", "b"},
		{"\x01a"},
		{"a\x00b"},
		{"b", "a"},
	}
	seen := map[string]string{}
	for _, list := range lists {
		short := (&hasher{}).add(list...).sum()
		sum := string(short[:])
		if other, twice := seen[sum]; twice {
			t.Errorf("got one hash of %q and %s, want two", list, other)
		}
		seen[sum] = fmt.Sprintf("%q", list)
	}
	numbers := map[string]int{}
	for _, n := range []int{0, 1, -1, 63, 64, -64, -65, 1 << 40} {
		short := (&hasher{}).count(n).sum()
		sum := string(short[:])
		if other, twice := numbers[sum]; twice {
			t.Errorf("got one hash of %d and %d, want two", n, other)
		}
		numbers[sum] = n
	}
	word := rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 2, -1)
	variant := rapid.Custom(func(t *rapid.T) shopadapter.Variant {
		v := shopadapter.Variant{
			ID:    word.Draw(t, "id"),
			Title: word.Draw(t, "title"),
			SKU:   word.Draw(t, "sku"),
			EAN:   word.Draw(t, "ean"),
		}
		for range rapid.IntRange(0, 2).Draw(t, "options") {
			v.Options = append(v.Options, shopadapter.Option{Name: word.Draw(t, "name"), Value: word.Draw(t, "value")})
		}
		return v
	})
	product := rapid.Custom(func(t *rapid.T) shopadapter.Product {
		return shopadapter.Product{
			Options:  rapid.SliceOfN(word, 0, 3).Draw(t, "options"),
			Variants: rapid.SliceOfN(variant, 0, 3).Draw(t, "variants"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		p, q := product.Draw(t, "p"), product.Draw(t, "q")
		same := fmt.Sprintf("%#v", p) == fmt.Sprintf("%#v", q)
		if alike := hashed(p) == hashed(q); alike != same {
			t.Fatalf("got the same hash %t, want %t:\n%#v\n%#v", alike, same, p, q)
		}
	})
}

func hashed(p shopadapter.Product) string {
	h := &hasher{}
	hashVariants(h, &p)
	sum := h.sum()
	return string(sum[:])
}
