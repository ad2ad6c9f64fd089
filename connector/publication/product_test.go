package publication

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Golden compares text with a file in testdata, or writes it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func units(n int) *int { return &n }

// lamp is a listing with everything in it.
func lamp() *marketplace.Publication {
	return &marketplace.Publication{
		ID: "pub-1", Status: "syncing", UpdatedAt: "2026-11-01T08:00:00Z",
		Listing: &marketplace.Listing{
			ID: "listing-1", ProductID: "product-1", Returns: "true",
			Translations: map[string]marketplace.Translation{
				"en": {Title: "Reading lamp", Description: "<p>A lamp for <b>long</b> evenings & \"nights\".</p>"},
				"nl": {Title: "Leeslamp", Description: "Een lamp.\nVoor lange avonden."},
			},
			Category: marketplace.Category{Path: "HOME_LIGHTING_LAMPS", Name: "Lamps"},
			Shipping: []marketplace.Shipping{
				{CountryGroup: "NL", FixedCosts: "4.95", VariableCosts: "0.50", EstimatedDays: "3"},
			},
			Images: []string{"https://img.example/1.jpg", "https://img.example/2.jpg"},
			Variants: []marketplace.Variant{
				{
					ID: "v1", Title: "Red / Small", SKU: "LAMP-RS", EAN: "8710000000017", Cost: "10.00", MSRP: "19.95",
					Quantity: units(12), Policy: "DENY",
					Options: []marketplace.Option{{Name: "Color", Value: "Red"}, {Name: "Size", Value: "Small"}},
				},
				{
					ID: "v2", Title: "Blue / Large", SKU: "LAMP-BL", EAN: "8710000000024", Cost: "12.00", MSRP: "24.95",
					Quantity: units(0), Policy: "CONTINUE",
					Options: []marketplace.Option{{Name: "Color", Value: "Blue"}, {Name: "Size", Value: "Large"}},
				},
			},
		},
	}
}

// A wish is what a test asks of the mapper: the listing, changed, under rules, changed, after what
// the record says.
type wish struct {
	listing func(*marketplace.Listing)
	rules   func(*Rules)
	record  store.Record
}

func (w wish) desire() desired {
	rules := Rules{Languages: []string{"en", "nl"}, Price: PriceRule{Base: BaseMSRP}}
	if w.rules != nil {
		w.rules(&rules)
	}
	pub := lamp()
	if w.listing != nil {
		w.listing(pub.Listing)
	}
	brake := Brake{PricePercent: decimal.NewFromInt(50), RemovedPercent: decimal.NewFromInt(20)}
	return newMapper(rules, brake).desire(pub, w.record, time.Now())
}

// recordOf is a record of variants that the shop holds.
func recordOf(variants ...store.Variant) store.Record {
	return store.Record{ID: "pub-1", OnSale: true, WrittenAt: 1, Variants: variants}
}

// The body that a shop gets over HTTP is the contract's, key by key and in its order.
func TestProductJSON(t *testing.T) {
	d := wish{rules: func(r *Rules) { r.SKUPrefix = "DS-" }}.desire()
	if d.problem != nil || len(d.refused)+len(d.holds) > 0 {
		t.Fatalf("got %+v, want no problem, refusal or hold", d)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	body := struct {
		shopadapter.Product
		Changed shopadapter.Fields `json:"changed"`
	}{d.product, shopadapter.FieldPrice | shopadapter.FieldStock}
	if err := e.Encode(body); err != nil {
		t.Fatal(err)
	}
	golden(t, "product.golden.json", b.Bytes())
	for of, want := range map[reflect.Type]string{
		reflect.TypeFor[shopadapter.Product](): "id listingId productId language title description translations " +
			"category brand,omitempty options variants images shipping " +
			"returns updatedAt currency,omitempty draft,omitempty",
		reflect.TypeFor[shopadapter.Variant]():     "id title sku ean options price cost msrp quantity backorders",
		reflect.TypeFor[shopadapter.Shipping]():    "countryGroup fixedCosts variableCosts estimatedDays",
		reflect.TypeFor[shopadapter.Translation](): "title description",
		reflect.TypeFor[shopadapter.Category]():    "path name branch,omitempty",
		reflect.TypeFor[shopadapter.Details](): "weight,omitempty length,omitempty width,omitempty height,omitempty " +
			"diameter,omitempty volume,omitempty origin,omitempty leadTime,omitempty availableAt,omitempty " +
			"tags,omitempty materials,omitempty caseQuantity,omitempty",
		reflect.TypeFor[shopadapter.Option](): "name value",
	} {
		var keys []string
		for field := range of.Fields() {
			if key := field.Tag.Get("json"); key != "-" && !field.Anonymous {
				keys = append(keys, key)
			}
		}
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("%v has the keys %s, want %s", of, got, want)
		}
	}
}

// A list with nothing in it is empty, not null: a shop in any language may range over it.
func TestProductJSONHasNoNull(t *testing.T) {
	d := wish{listing: func(l *marketplace.Listing) {
		*l = marketplace.Listing{
			Translations: map[string]marketplace.Translation{
				"en": {Title: "Lamp"},
			}, Variants: []marketplace.Variant{{ID: "v1", MSRP: "19.95"}},
		}
	}}.desire()
	if d.problem != nil {
		t.Fatal(d.problem)
	}
	data, err := json.Marshal(d.product)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte("null")) {
		t.Errorf("got %s, want no null in it", data)
	}
}

func TestProductLanguage(t *testing.T) {
	type text = map[string]marketplace.Translation
	for _, tt := range []struct {
		name      string
		languages []string
		texts     text
		language  string
		title     string
		in        string // the languages of the translations
	}{
		{
			"the first asked for",
			[]string{"en", "nl"},
			text{"en": {Title: "Lamp"}, "nl": {Title: "Leeslamp"}},
			"en", "Lamp",
			"en nl",
		},
		{
			"the order is the merchant's",
			[]string{"nl", "en"},
			text{"en": {Title: "Lamp"}, "nl": {Title: "Leeslamp"}},
			"nl",
			"Leeslamp", "en nl",
		},
		{"the first is missing", []string{"en", "nl"}, text{"nl": {Title: "Leeslamp"}}, "nl", "Leeslamp", "nl"},
		{
			"the first has no title",
			[]string{"en", "nl"},
			text{"en": {Description: "A lamp"}, "nl": {Title: "Leeslamp"}},
			"nl",
			"Leeslamp", "nl",
		},
		{
			"the first has a title of spaces",
			[]string{"en", "nl"},
			text{"en": {Title: " \u00a0\n"}, "nl": {Title: "Leeslamp"}},
			"nl", "Leeslamp", "nl",
		},
		{
			"the first has a title that nobody sees",
			[]string{"en", "nl"},
			text{"en": {Title: "\u200b"}, "nl": {Title: "Leeslamp"}},
			"nl", "Leeslamp", "nl",
		},
		{
			"one that was not asked for is left out",
			[]string{"en"},
			text{"en": {Title: "Lamp"}, "de": {Title: "Leselampe"}},
			"en", "Lamp", "en",
		},
		{"the second is missing", []string{"en", "nl"}, text{"en": {Title: "Lamp"}}, "en", "Lamp", "en"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := wish{
				listing: func(l *marketplace.Listing) { l.Translations = tt.texts },
				rules:   func(r *Rules) { r.Languages = tt.languages },
			}.desire()
			if d.problem != nil {
				t.Fatal(d.problem)
			}
			if p := d.product; p.Language != tt.language || p.Title != tt.title ||
				strings.Join(languagesOf(&p), " ") != tt.in {
				t.Errorf(
					"%s %q in %v, want %s %q in %s", p.Language, p.Title, languagesOf(&p), tt.language, tt.title,
					tt.in,
				)
			}
			if own := d.product.Translations[tt.language]; own.Title != d.product.Title ||
				own.Description != d.product.Description {
				t.Errorf("got its own text %+v among the translations, want that of the product", own)
			}
		})
	}
}

func TestProductWithoutTitle(t *testing.T) {
	for name, texts := range map[string]map[string]marketplace.Translation{
		"none": nil, "another language": {"de": {Title: "Lampe"}}, "empty": {"en": {}, "nl": {Title: "\t"}},
	} {
		d := wish{listing: func(l *marketplace.Listing) { l.Translations = texts }}.desire()
		if d.problem == nil || d.problem.Kind != shopadapter.Rejected ||
			!strings.Contains(d.problem.Error(), "(en, nl)") {
			t.Errorf("%s: got %v, want it rejected for the languages (en, nl)", name, d.problem)
		}
	}
}

func TestProductTexts(t *testing.T) {
	d := wish{listing: func(l *marketplace.Listing) {
		l.Translations = map[string]marketplace.Translation{"en": {
			Title:       "  A \x00lamp\n[x] <b>new</b>" + strings.Repeat("!", 300),
			Description: strings.Repeat("é", MaxDescription) + "<script>alert(1)</script>",
		}}
		l.Category = marketplace.Category{Path: " HOME\n", Name: "Lamps \u202e& more"}
		l.Returns = "Within\n30 days"
		l.Shipping = []marketplace.Shipping{
			{CountryGroup: "N\x00L", FixedCosts: " 4.95 ", VariableCosts: "", EstimatedDays: "2\n-\n3"},
		}
		l.Variants[0].Title, l.Variants[0].SKU, l.Variants[0].EAN = " Red\t/ Small ", "LAMP\u200b RS\n", " 871 "
	}}.desire()
	p := d.product
	if want := "A lamp [x] <b>new</b>" + strings.Repeat("!", 229); p.Title != want {
		t.Errorf("title %q, want %q", p.Title, want)
	}
	if want := strings.Repeat("é", MaxDescription/2); p.Description != want {
		t.Errorf("description of %d bytes, want %d", len(p.Description), len(want))
	}
	if want := "the description is cut from 121 to 60 KB, which is what shops take"; d.cut != want {
		t.Errorf("of the description it is told %q, want %q", d.cut, want)
	}
	if p.Category.Path != "HOME" || p.Category.Name != "Lamps & more" || p.Returns != "Within 30 days" {
		t.Errorf("got %+v, returns %q, want them in one line each", p.Category, p.Returns)
	}
	want := []shopadapter.Shipping{{CountryGroup: "NL", FixedCosts: "4.95", EstimatedDays: "2 - 3"}}
	if !slices.Equal(p.Shipping, want) {
		t.Errorf("got shipping %+v, want %+v", p.Shipping, want)
	}
	if v := p.Variants[0]; v.Title != "Red / Small" || v.SKU != "LAMP RS" || v.EAN != "871" {
		t.Errorf("got variant %+v, want Red / Small, LAMP RS, 871", v)
	}
	// what is cut off within a tag, an entity, an address
	for _, cut := range []string{"x<b", "x&am", "x<a href=\"https://shop.ex"} {
		text := strings.Repeat("é", (MaxDescription-len(cut))/2) + cut + "rest</b>"
		d := wish{listing: func(l *marketplace.Listing) {
			l.Translations["en"] = marketplace.Translation{Title: "T", Description: text}
		}}.desire()
		if strings.ContainsAny(d.product.Description, "<>") || strings.Contains(d.product.Description, "rest") {
			t.Errorf("cut after %q: %s", cut, d.product.Description[len(d.product.Description)-20:])
		}
	}
}

func TestProductImages(t *testing.T) {
	d := wish{listing: func(l *marketplace.Listing) {
		l.Images = []string{
			"https://img.example/1.jpg", "http://img.example/2.jpg", "https://img.example/1.jpg", "", "/3.jpg",
			"//img.example/4.jpg",
			"ftp://img.example/5.jpg", "data:image/png;base64,AAAA", "javascript:alert(1)", "file:///etc/passwd",
			"https:///6.jpg", "https://",
			"https://img.example/\x007.jpg", "https://img.example/%zz.jpg", "HTTPS://img.example/8.jpg",
			"https://img.example/1.jpg?w=2",
		}
	}}.desire()
	want := []string{
		"https://img.example/1.jpg", "http://img.example/2.jpg", "HTTPS://img.example/8.jpg", "https://img.example/1.jpg?w=2",
	}
	if diff := cmp.Diff(want, d.product.Images); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}
}

func TestProductStock(t *testing.T) {
	for _, tt := range []struct {
		name       string
		quantity   *int
		policy     string
		buffer     int
		want       int
		backorders bool
	}{
		{"as it is", units(12), "DENY", 0, 12, false},
		{"nothing", units(0), "DENY", 0, 0, false},
		{"negative", units(-3), "DENY", 0, 0, false},
		{"not known", nil, "DENY", 0, 0, false},
		{"less the buffer", units(12), "DENY", 5, 7, false},
		{"no more than the buffer", units(5), "DENY", 5, 0, false},
		{"less than the buffer", units(4), "DENY", 5, 0, false},
		{"negative, and a buffer", units(-3), "DENY", 5, 0, false},
		{"the least number there is, and a buffer", units(math.MinInt), "DENY", 5, 0, false},
		{"the greatest", units(math.MaxInt), "DENY", 1, math.MaxInt - 1, false},
		{"sold on below zero", units(-3), "CONTINUE", 0, 0, true},
		{"sold on below the buffer", units(3), "CONTINUE", 5, 0, true},
		{"no policy", units(1), "", 0, 1, false},
		{"a policy that nobody knows", units(1), "SOMETIMES", 0, 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := wish{
				listing: func(l *marketplace.Listing) { l.Variants[0].Quantity, l.Variants[0].Policy = tt.quantity, tt.policy },
				rules:   func(r *Rules) { r.StockBuffer = tt.buffer },
			}.desire()
			if v := d.product.Variants[0]; v.Quantity != tt.want || v.Backorders != tt.backorders {
				t.Errorf("%d, backorders %t; want %d, %t", v.Quantity, v.Backorders, tt.want, tt.backorders)
			}
		})
	}
}

func TestProductOptions(t *testing.T) {
	d := wish{listing: func(l *marketplace.Listing) {
		l.Variants = []marketplace.Variant{
			{
				ID:   "v1",
				MSRP: "1",
				Options: []marketplace.Option{
					{Name: "Color", Value: "Red"},
					{Name: " Size ", Value: "S"},
					{Name: "Color", Value: "Pink"},
				},
			},
			{
				ID:   "v2",
				MSRP: "1",
				Options: []marketplace.Option{
					{Name: "Size", Value: "M"},
					{Name: "Color", Value: "Blue"},
					{Name: "", Value: "x"},
				},
			},
			{
				ID:      "v3",
				MSRP:    "1",
				Options: []marketplace.Option{{Name: "Shade", Value: "Wide"}, {Name: "Size", Value: "\x00"}},
			},
			{ID: "v4", MSRP: "1"},
		}
	}}.desire()
	if diff := cmp.Diff([]string{"Color", "Size", "Shade"}, d.product.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	var got []string
	for _, v := range d.product.Variants {
		got = append(got, fmt.Sprint(v.Options))
	}
	want := []string{"[{Color Red} {Size S}]", "[{Size M} {Color Blue}]", "[{Shade Wide}]", "[]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("options of the variants (-want +got):\n%s", diff)
	}
}

func TestProductRefusesVariants(t *testing.T) {
	d := wish{listing: func(l *marketplace.Listing) { l.Variants[0].MSRP = "" }}.desire()
	if d.problem != nil || len(d.product.Variants) != 1 || d.product.Variants[0].ID != "v2" {
		t.Errorf("one without an msrp: got %v, %+v, want v2 alone", d.problem, d.product.Variants)
	}
	if diff := cmp.Diff(map[string]string{"v1": "it has no msrp to make a price from (PUBSYNC_PRICE_NO_MSRP=cost " +
		"makes it from the cost)"}, d.refused); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"v2"}, d.order); diff != "" || d.titles["v1"] != "Red / Small" {
		t.Errorf("got the title %q of v1, want Red / Small; order (-want +got):\n%s", d.titles["v1"], diff)
	}

	d = wish{listing: func(l *marketplace.Listing) { l.Variants[0].MSRP, l.Variants[1].Cost = "", "?" }}.desire()
	if d.problem == nil || d.problem.Kind != shopadapter.Rejected || len(d.refused) != 2 {
		t.Fatalf("none can be sold: got %v, %v, want it rejected and both refused", d.problem, d.refused)
	}
	if got, want := d.problem.Error(), "no variant can be sold: it has no msrp to make a price from "+
		"(PUBSYNC_PRICE_NO_MSRP=cost makes it from the cost)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}

	d = wish{
		listing: func(l *marketplace.Listing) { l.Variants = []marketplace.Variant{{MSRP: "19.95"}, {MSRP: "19.95"}} },
	}.desire()
	if d.problem == nil || d.problem.Error() != "no variant can be sold: none has an id" {
		t.Errorf("no ids: got %v, want it rejected for that", d.problem)
	}
}

// Of two variants that claim one id the first counts: everything that is kept of a variant is kept
// by its id.
func TestProductVariantIDsAreUnique(t *testing.T) {
	d := wish{listing: func(l *marketplace.Listing) {
		l.Variants[1].ID = "v1"
		l.Variants = append(
			l.Variants, marketplace.Variant{ID: "v3", MSRP: "5"}, marketplace.Variant{ID: "v3", MSRP: ""},
		)
	}}.desire()
	var got []string
	for _, v := range d.product.Variants {
		got = append(got, v.ID+" "+v.Price)
	}
	if diff := cmp.Diff([]string{"v1 19.95", "v3 5.00"}, got); diff != "" || len(d.refused) > 0 {
		t.Errorf("variants (-want +got):\n%s\nrefused %v", diff, d.refused)
	}
}

func TestProductSKUs(t *testing.T) {
	d := wish{
		listing: func(l *marketplace.Listing) { l.Variants[1].SKU = " " },
		rules:   func(r *Rules) { r.SKUPrefix = "DS-" },
	}.desire()
	if a, b := d.product.Variants[0].SKU, d.product.Variants[1].SKU; a != "DS-LAMP-RS" || b != "" {
		t.Errorf("got the SKUs %q and %q, want DS-LAMP-RS and none: a prefix alone is no SKU", a, b)
	}
	if diff := cmp.Diff(map[string]string{"v1": "DS-LAMP-RS", "v2": ""}, d.skus); diff != "" {
		t.Errorf("wanted (-want +got):\n%s", diff)
	}
	d.label(map[string]string{"v1": "DS-LAMP-RS-0a1b2c"})
	if a := d.product.Variants[0].SKU; a != "DS-LAMP-RS-0a1b2c" {
		t.Errorf("got %q assigned, want DS-LAMP-RS-0a1b2c", a)
	}
}

// A supplier's figure reaches the shop as a number or as nothing.
func TestProductFigures(t *testing.T) {
	d := wish{
		listing: func(l *marketplace.Listing) {
			l.Variants[0].Cost, l.Variants[0].MSRP = " 10.00 ", "on "+
				"<b>request</b>"
		},
		rules: func(r *Rules) { r.Price.Base = BaseCost },
	}.desire()
	if v := d.product.Variants[0]; v.Price != "10.00" || v.Cost != "10.00" || v.MSRP != "" {
		t.Errorf("got price %q, cost %q, msrp %q, want 10.00, 10.00 and none", v.Price, v.Cost, v.MSRP)
	}
}

func TestProductHeldPrice(t *testing.T) {
	old := store.Variant{ID: "v1", Price: "19.95", Cost: "10.00", MSRP: "19.95", Quantity: 3}
	for _, tt := range []struct {
		name       string
		old        store.Variant
		approved   []store.Hold
		keep       shopadapter.Fields
		cost, msrp string
		price      string // shown
		quantity   int
		held       bool
	}{
		{"no move", old, nil, 0, "10.00", "19.95", "19.95", 12, false},
		{"a small move", old, nil, 0, "10.00", "21.95", "21.95", 12, false},
		{"doubled: the stock flows", old, nil, 0, "10.00", "39.90", "19.95", 12, true},
		{"halved and less", old, nil, 0, "4.00", "9.95", "19.95", 12, true},
		{"doubled, and the old price is below the new floor: sold out", old, nil, 0, "20.00", "39.90", "19.95", 0, true},
		{"doubled, and the old price is the new floor", old, nil, 0, "19.95", "39.90", "19.95", 12, true},
		{"doubled, and no cost is known", old, nil, 0, "", "39.90", "19.95", 12, true},
		{
			"approved", old,
			[]store.Hold{{Kind: store.HoldPrice, Variant: "v1", Old: "19.95", New: "39.90"}},
			0, "10.00",
			"39.90", "39.90", 12, false,
		},
		{
			"another value approved", old,
			[]store.Hold{{Kind: store.HoldPrice, Variant: "v1", Old: "19.95", New: "39.91"}},
			0,
			"10.00", "39.90", "19.95", 12, true,
		},
		{
			"another variant approved", old,
			[]store.Hold{{Kind: store.HoldPrice, Variant: "v2", Old: "19.95", New: "39.90"}},
			0,
			"10.00", "39.90", "19.95", 12, true,
		},
		{"the price is the merchant's", old, nil, shopadapter.FieldPrice, "10.00", "39.90", "39.90", 12, false},
		{
			"the shop refused it, so no price is written",
			store.Variant{ID: "v1", Price: "19.95", Refused: "no"},
			nil, 0,
			"10.00", "39.90", "39.90", 12, false,
		},
		{
			"the rules refused it, so no price is written",
			store.Variant{ID: "v1", Refused: "no msrp"},
			nil, 0, "10.00",
			"39.90", "39.90", 12, false,
		},
		{
			"another variant was written",
			store.Variant{ID: "v9", Price: "19.95"},
			nil, 0, "10.00", "39.90", "39.90", 12,
			false,
		},
		{
			"the written price cannot be read",
			store.Variant{ID: "v1", Price: "?"},
			nil, 0, "10.00", "39.90", "39.90", 12,
			false,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			record := recordOf(tt.old)
			record.Approved = tt.approved
			d := wish{
				listing: func(l *marketplace.Listing) {
					l.Variants = l.Variants[:1]
					l.Variants[0].Cost, l.Variants[0].MSRP, l.Variants[0].Policy = tt.cost, tt.msrp, "CONTINUE"
				},
				rules:  func(r *Rules) { r.Keep = tt.keep },
				record: record,
			}.desire()
			v := d.product.Variants[0]
			if v.Price != tt.price || v.Quantity != tt.quantity || v.Backorders != (tt.quantity > 0) ||
				v.SKU != "LAMP-RS" {
				t.Errorf("%+v, want price %s and quantity %d", v, tt.price, tt.quantity)
			}
			cost, msrp := tt.cost, tt.msrp
			if tt.held {
				cost, msrp = tt.old.Cost, tt.old.MSRP
			}
			if v.Cost != cost || v.MSRP != msrp {
				t.Errorf("cost %q and msrp %q beside the price %s: want %q and %q", v.Cost, v.MSRP, v.Price, cost, msrp)
			}
			if (len(d.holds) > 0) != tt.held {
				t.Fatalf("got holds %+v, want any %t", d.holds, tt.held)
			}
			if !tt.held {
				return
			}
			h := d.holds[0]
			want := fmt.Sprintf(
				"the price of Red / Small would move from %s to %s, more than 50 %%", tt.old.Price,
				dec(t, tt.msrp).StringFixed(2),
			)
			if h.Kind != store.HoldPrice || h.Variant != "v1" || h.Old != tt.old.Price ||
				h.New != dec(t, tt.msrp).StringFixed(2) ||
				h.Reason != want {
				t.Errorf("got held %+v, want v1 from %s to %s: %s", h, tt.old.Price, tt.msrp, want)
			}
		})
	}
}

// Each variant is held by itself.
func TestProductHoldsEachVariant(t *testing.T) {
	d := wish{
		listing: func(l *marketplace.Listing) {
			l.Variants[0].MSRP, l.Variants[1].MSRP, l.Variants[1].Title = "21.95", "240.95", ""
		},
		record: recordOf(store.Variant{ID: "v1", Price: "19.95"}, store.Variant{ID: "v2", Price: "24.95", Quantity: 7}),
	}.desire()
	if a, b := d.product.Variants[0].Price, d.product.Variants[1].Price; a != "21.95" || b != "24.95" ||
		len(d.holds) != 1 {
		t.Errorf("got %s and %s, holds %+v, want 21.95, 24.95 and one hold", a, b, d.holds)
	}
	if want := "the price of v2 would move"; !strings.HasPrefix(d.holds[0].Reason, want) {
		t.Errorf("got the reason %q, want it to begin with %q", d.holds[0].Reason, want)
	}
}

func TestMustGo(t *testing.T) {
	for _, tt := range []struct {
		name string
		pub  *marketplace.Publication
		want store.RemovalReason
	}{
		{"gone", nil, store.RemovalAbsent},
		{"no listing", &marketplace.Publication{ID: "p"}, store.RemovalNoListing},
		{"no variants", &marketplace.Publication{ID: "p", Listing: &marketplace.Listing{}}, store.RemovalNoVariants},
		{"a listing with variants", lamp(), ""},
	} {
		if got := mustGo(tt.pub); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
