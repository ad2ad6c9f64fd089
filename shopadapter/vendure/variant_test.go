package vendure_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

// shown is what a customer can choose: the marketplace's id of each variant, and its options.
func shown(t *testing.T, f *fakeShop) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, v := range only(t, f).Variants {
		var options []string
		for _, o := range v.Options {
			options = append(options, o.Group.Name+"="+o.Name)
		}
		all[v.CustomFields.PubsyncID] = strings.Join(options, " ")
	}
	return all
}

// values are the option groups of the product with their options.
func values(t *testing.T, f *fakeShop) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, g := range only(t, f).OptionGroups {
		for _, o := range g.Options {
			all[g.Name] = append(all[g.Name], o.Name)
		}
	}
	return all
}

func choice(id string, pairs ...string) shopadapter.Variant {
	v := shopadapter.Variant{ID: id, SKU: "SKU-" + id, Price: "10.00", Quantity: 3, Title: strings.Join(pairs, " ")}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Options = append(v.Options, shopadapter.Option{Name: pairs[i], Value: pairs[i+1]})
	}
	return v
}

func TestOptionsFollow(t *testing.T) {
	type step struct {
		name     string
		options  []string
		variants []shopadapter.Variant
		want     map[string]string
		values   map[string][]string
	}
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 1)
	for _, s := range []step{
		{"one without options", nil, []shopadapter.Variant{choice("a")}, map[string]string{"a": ""}, map[string][]string{}},
		{
			"two by color",
			[]string{"Color"},
			[]shopadapter.Variant{choice("a", "Color", "Red"), choice("b", "Color", "Blue")},
			map[string]string{"a": "Color=Red", "b": "Color=Blue"},
			map[string][]string{"Color": {"Red", "Blue"}},
		},
		{
			"the colors swapped",
			[]string{"Color"},
			[]shopadapter.Variant{choice("a", "Color", "Blue"), choice("b", "Color", "Red")},
			map[string]string{"a": "Color=Blue", "b": "Color=Red"},
			map[string][]string{"Color": {"Red", "Blue"}},
		},
		{
			"a value renamed",
			[]string{"Color"},
			[]shopadapter.Variant{choice("a", "Color", "Azure"), choice("b", "Color", "Red")},
			map[string]string{"a": "Color=Azure", "b": "Color=Red"},
			map[string][]string{"Color": {"Red", "Azure"}},
		},
		{
			"the option renamed",
			[]string{"Tint"},
			[]shopadapter.Variant{choice("a", "Tint", "Azure"), choice("b", "Tint", "Red")},
			map[string]string{"a": "Tint=Azure", "b": "Tint=Red"},
			map[string][]string{"Tint": {"Red", "Azure"}},
		},
		{
			"an option more, in front",
			[]string{"Size", "Tint"},
			[]shopadapter.Variant{choice("a", "Size", "S", "Tint", "Azure"), choice("b", "Size", "L", "Tint", "Red")},
			map[string]string{"a": "Size=S Tint=Azure", "b": "Size=L Tint=Red"},
			map[string][]string{"Size": {"S", "L"}, "Tint": {"Azure", "Red"}},
		},
		{
			"every variant another, with the same choices",
			[]string{"Size", "Tint"},
			[]shopadapter.Variant{choice("c", "Size", "S", "Tint", "Azure"), choice("d", "Size", "L", "Tint", "Red")},
			map[string]string{"c": "Size=S Tint=Azure", "d": "Size=L Tint=Red"},
			map[string][]string{"Size": {"S", "L"}, "Tint": {"Azure", "Red"}},
		},
		{
			"several without options", nil,
			[]shopadapter.Variant{choice("c", "First", ""), choice("d", "Second", "")},
			map[string]string{"c": "Variant=First ", "d": "Variant=Second "},
			map[string][]string{"Variant": {"First ", "Second "}},
		},
		{"back to one", nil, []shopadapter.Variant{choice("d")}, map[string]string{"d": ""}, map[string][]string{}},
	} {
		t.Run(s.name, func(t *testing.T) {
			p.Options, p.Variants = s.options, s.variants
			l := publish(t, a, p, shopadapter.FieldVariants)
			if len(l.Refused) > 0 {
				t.Errorf("refused: %v", l.Refused)
			}
			if diff := cmp.Diff(s.want, shown(t, fake)); diff != "" {
				t.Errorf("choices (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(s.values, values(t, fake)); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
			if !only(t, fake).Enabled {
				t.Error("the product is not on sale")
			}
		})
	}
}

func TestRefusedVariants(t *testing.T) {
	for _, tc := range []struct {
		name    string
		refused shopadapter.Variant
		says    string
	}{
		{
			"no price", func() shopadapter.Variant { v := choice("x", "Color", "Green"); v.Price = ""; return v }(),
			"not an amount",
		},
		{"an option is missing", choice("x"), "no value for the option Color"},
		{"an option is empty", choice("x", "Color", " "), "no value for the option Color"},
		{"the same choice twice", choice("x", "Color", "Red"), "same options as the variant Color Red"},
		{
			"the shop's own reason",
			func() shopadapter.Variant { v := choice("x", "Color", "Green"); v.SKU = "REFUSED"; return v }(),
			"does not like this SKU",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fake := newFakeShop(t)
			a := fake.open(t)
			p := lamp("p", 1)
			p.Options = []string{"Color"}
			p.Variants = []shopadapter.Variant{choice("a", "Color", "Red"), tc.refused, choice("b", "Color", "Blue")}
			for _, attempt := range []string{"at first", "again"} {
				l := publish(t, a, p, shopadapter.AllFields)
				if len(l.Refused) != 1 || !strings.Contains(l.Refused["x"], tc.says) {
					t.Errorf("%s refused %v, want %q", attempt, l.Refused, tc.says)
				}
				if diff := cmp.Diff(map[string]string{"a": "Color=Red", "b": "Color=Blue"}, shown(t, fake)); diff != "" {
					t.Errorf("%s choices (-want +got):\n%s", attempt, diff)
				}
			}
			p.Variants[1] = choice("x", "Color", "Green")
			if l := publish(t, a, p, shopadapter.FieldPrice); len(l.Refused) > 0 || len(shown(t, fake)) != 3 {
				t.Errorf("mended, refused %v of %v", l.Refused, shown(t, fake))
			}
		})
	}
}

func TestWhatTheMerchantAddedByHand(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 1)
	p.Options = []string{"Color"}
	p.Variants = []shopadapter.Variant{choice("a", "Color", "Red"), choice("b", "Color", "Blue")}
	l := publish(t, a, p, shopadapter.AllFields)
	product := fake.products[0]
	product.groups = append(product.groups, &fakeGroup{id: fake.id(), code: "engraving", name: "Engraving"})
	product.variants = append(product.variants, &fakeVariant{id: fake.id(), sku: "MINE", names: map[string]string{}})

	p.Variants[0].Price = "11.00"
	publish(t, a, p, shopadapter.AllFields)
	if got := shown(t, fake); len(got) != 3 {
		t.Errorf("the shop has %v", got)
	}
	p.Variants = append(p.Variants, choice("c", "Color", "Green"))
	_, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID, Listing: l.ID}, p, shopadapter.AllFields)
	if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || e.ShopWide ||
		!strings.Contains(e.Message, `"engraving"`) {
		t.Errorf("the error is %v", err)
	}
	product.groups = product.groups[:1]
	if l = publish(t, a, p, shopadapter.AllFields); len(l.Variants) != 3 {
		t.Errorf("with the group gone the variants are %v", l.Variants)
	}
}

func TestStock(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 1)
	publish(t, a, p, shopadapter.AllFields)
	for _, tc := range []struct {
		name       string
		quantity   int
		backorders bool
		threshold  int
	}{
		{"backorders", 4, true, -1_000_000},
		{"sold out with backorders", 0, true, -1_000_000},
		{"sold out", 0, false, 0},
		{"back", 9, false, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p.Variants[0].Quantity, p.Variants[0].Backorders = tc.quantity, tc.backorders
			publish(t, a, p, shopadapter.FieldStock)
			v := only(t, fake).Variants[0]
			if v.StockOnHand != tc.quantity || v.Threshold != tc.threshold || v.UseGlobal ||
				v.TrackInventory != "TRUE" {
				t.Errorf("the stock is %+v", v)
			}
		})
	}
}

func TestPricesHaveTheShopsPrecision(t *testing.T) {
	fake := newFakeShop(t)
	fake.precision = 3
	p := lamp("p", 1)
	p.Variants[0].Price = "19.95"
	publish(t, fake.open(t), p, shopadapter.AllFields)
	if got := only(t, fake).Variants[0].PriceWithTax; got != 19950 {
		t.Errorf("the price is %d thousandths", got)
	}
}

// TestOffSaleWhileTheOptionsChange looks at the shop before each request: what is on sale has all
// its options.
func TestOffSaleWhileTheOptionsChange(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 1)
	p.Variants = []shopadapter.Variant{choice("a")}
	publish(t, a, p, shopadapter.AllFields)
	looks, onSale := 0, 0
	fake.answer = func(operation string) *http.Response {
		looks++
		product := fake.products[0]
		if !product.enabled {
			return nil
		}
		onSale++
		sold := 0
		for _, v := range product.variants {
			if v.deleted {
				continue
			}
			sold++
			if len(v.options) != len(product.groups) {
				t.Errorf(
					"before %s the variant %s has %d options of %d",
					operation,
					v.pubsyncID,
					len(v.options),
					len(product.groups),
				)
			}
		}
		if sold == 0 {
			t.Errorf("before %s nothing can be bought of a product on sale", operation)
		}
		return nil
	}
	for _, variants := range [][]shopadapter.Variant{
		{choice("a", "Color", "Red"), choice("b", "Color", "Blue")},
		{choice("c", "Color", "Red"), choice("d", "Color", "Blue")},
		{choice("c")},
	} {
		p.Options, p.Variants = nil, variants
		if len(variants) > 1 {
			p.Options = []string{"Color"}
		}
		publish(t, a, p, shopadapter.FieldVariants)
		if !fake.products[0].enabled {
			t.Error("the product is not on sale")
		}
	}
	if looks == 0 || onSale == 0 || onSale == looks {
		t.Errorf("on sale in %d looks of %d", onSale, looks)
	}
}

func TestDeletingTakesTheOptionGroups(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 2)
	publish(t, a, p, shopadapter.AllFields)
	publish(t, a, lamp("other", 2), shopadapter.AllFields)
	shared := &fakeProduct{id: fake.id(), shop: fake, groups: fake.products[0].groups[:1]}
	fake.products = append(fake.products, shared)
	if _, err := a.Unpublish(t.Context(), shopadapter.Ref{Publication: p.ID}, shopadapter.Delete); err != nil {
		t.Fatal(err)
	}
	var left []bool
	for _, g := range fake.groups {
		left = append(left, !g.deleted)
	}
	// The first is still that of a product of the merchant's, the last two are the other
	// publication's.
	if diff := cmp.Diff([]bool{true, false, true, true}, left); diff != "" {
		t.Errorf("groups that are left (-want +got):\n%s", diff)
	}
}

// Groups and options keep the names that the merchant gave them, and a variant more gets the option
// that the merchant renamed.
func TestOptionsOfTheMerchant(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 1)
	p.Options = []string{"Color", "Size"}
	p.Variants = []shopadapter.Variant{
		choice("a", "Color", "Red", "Size", "S"),
		choice("b", "Color", "Blue", "Size", "S"),
	}
	l := publish(t, a, p, shopadapter.AllFields)
	for _, err := range []error{
		fake.office().RenameOption(t.Context(), l.ID, "Color", "Farbe"),
		fake.office().RenameValue(t.Context(), l.ID, "Farbe", "Red", "Rot"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	p.Variants = append(p.Variants, choice("c", "Color", "Red", "Size", "M"))
	publish(t, a, p, shopadapter.FieldVariants)
	if got := values(t, fake); !slices.Equal(got["Farbe"], []string{"Rot", "Blue"}) || len(got) != 2 {
		t.Errorf("the groups are %v", got)
	}
	// The supplier's new name for a group that the merchant has left alone still comes through.
	p.Options[1] = "Maat"
	for i := range p.Variants {
		p.Variants[i].Options[1].Name = "Maat"
	}
	publish(t, a, p, shopadapter.FieldVariants)
	if got := values(t, fake); len(got["Maat"]) != 2 || len(got["Farbe"]) != 2 {
		t.Errorf("after the supplier renamed a group the groups are %v", got)
	}
}
