package shopify_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// chosen is a variant with these options, a name and a value by turns.
func chosen(id string, options ...string) shopadapter.Variant {
	v := shopadapter.Variant{ID: id, SKU: "SKU-" + id, Price: "9.95", Cost: "4.00", EAN: "8712345678906", Quantity: 5}
	for i := 0; i+1 < len(options); i += 2 {
		v.Options = append(v.Options, shopadapter.Option{Name: options[i], Value: options[i+1]})
	}
	return v
}

func of(variants ...shopadapter.Variant) []shopadapter.Variant { return variants }

func shown(p *fakeProduct) []string {
	list := []string{strings.Join(p.options, "|")}
	for _, v := range p.variants {
		list = append(list, strings.Join(v.values, "|"))
	}
	return list
}

func TestChoices(t *testing.T) {
	sized := func(id, value string) shopadapter.Variant { return chosen(id, "Size", value) }
	unpriced := sized("a", "L")
	unpriced.Price = ""
	four, letters := chosen("a", "A", "1", "B", "2", "C", "3", "D", "4"), []string{"A", "B", "C", "D"}
	red, shouted := chosen("a", "Size", "L", "Color", "Red"), chosen("b", "Size", "M", "Color", "RED")
	twice := of(sized("a", "L"), sized("b", "l"), sized("c", "M"))
	two, blank := []string{"Size", "Color"}, []string{"Size|Color", "L|–"}
	for _, tc := range []struct {
		name     string
		options  []string
		variants []shopadapter.Variant
		want     []string // the options, then the variants
		refused  string
	}{
		{"nothing to choose", nil, of(chosen("a")), []string{"Title", "Default Title"}, ""},
		{"several without options", nil, of(chosen("a"), chosen("b")), []string{"Title", "SKU-a", "SKU-b"}, ""},
		{"one with an option", []string{"Size"}, of(sized("a", "L")), []string{"Size", "L"}, ""},
		{"in another order", two, of(chosen("a", "Color", "Red", "Size", "L")), []string{"Size|Color", "L|Red"}, ""},
		{"an empty value", two, of(chosen("a", "Size", "L", "Color", " ")), blank, ""},
		{"a missing value", two, of(sized("a", "L")), blank, ""},
		{"four options", letters, of(four), []string{"A|B|C / D", "1|2|3 / 4"}, ""},
		{"values that differ in case", two, of(red, shouted), []string{"Size|Color", "L|Red", "M|Red"}, ""},
		{"the same choice twice", []string{"Size"}, twice, []string{"Size", "L", "M"}, "b"},
		{"no price", []string{"Size"}, of(unpriced, sized("b", "M")), []string{"Size", "M"}, "a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fake := newFakeShop(t)
			p := lamp("p", 1)
			p.Options, p.Variants = tc.options, tc.variants
			_, l := publish(t, fake.open(t), shopadapter.Ref{}, p, shopadapter.AllFields)
			got := fake.sole(t)
			if diff := cmp.Diff(tc.want, shown(got)); diff != "" {
				t.Errorf("options and variants (-want +got):\n%s", diff)
			}
			if reason := l.Refused[tc.refused]; len(l.Refused) != min(len(tc.refused), 1) || tc.refused != "" && reason == "" {
				t.Errorf("refused %v", l.Refused)
			}
			if v := got.variants[len(got.variants)-1]; v.barcode != "8712345678906" || v.cost != "4.00" || !v.tracked ||
				v.levels[locationID] != 5 {
				t.Errorf("a variant is %+v", v)
			}
		})
	}
}

// ofTheMerchants is a variant that the merchant has added.
func ofTheMerchants() *fakeVariant {
	return &fakeVariant{
		id: "gid://shopify/ProductVariant/hand", sku: "WRAP", price: "2.00", values: []string{"Gold", "10 cm"},
		levels: map[string]int{},
	}
}

func TestVariantsOfTheMerchants(t *testing.T) {
	fake, a, ref, p := published(t, 3)
	hand := ofTheMerchants()
	fake.products[0].variants = append(fake.products[0].variants, hand)

	p.Variants = p.Variants[:2]
	p.Variants[0].Price = "77.00"
	ref, _ = publish(t, a, ref, p, shopadapter.FieldVariants|shopadapter.FieldPrice)
	got := fake.sole(t)
	if len(got.variants) != 3 || got.variants[2].id != hand.id || got.variants[2].price != "2.00" ||
		got.variants[2].sku != "WRAP" {
		t.Errorf("the variants are %v", shown(got))
	}
	p.Variants[0].Price = "78.00"
	ref, _ = publish(t, a, ref, p, shopadapter.FieldPrice)
	if got = fake.sole(t); len(got.variants) != 3 || got.variants[0].price != "78.00" ||
		got.variants[2].price != "2.00" {
		t.Errorf("after a change of price the variants are %v", shown(got))
	}
	one := lamp("p", 1)
	_, err := a.Publish(t.Context(), ref, one, shopadapter.FieldVariants)
	fails(t, err, shopadapter.Blocked, "Gold")
}

// TestLostMarks finds the variants by their choice when somebody has cleaned up metafields.
func TestLostMarks(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 3)
	ref, before := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	for _, v := range fake.products[0].variants {
		v.metafields = map[string]string{}
	}
	_, after := publish(t, a, ref, p, shopadapter.FieldPrice)
	if diff := cmp.Diff(before.Variants, after.Variants); diff != "" {
		t.Errorf("the ids (-before +after):\n%s", diff)
	}
	for i, v := range fake.sole(t).variants {
		if v.metafields["pubsync.variant"] != p.Variants[i].ID {
			t.Errorf("variant %d has the marks %v", i, v.metafields)
		}
	}
}

// refuseOnce makes the shop refuse these places of the next list of variants.
func (f *fakeShop) refuseOnce(places ...int) {
	f.answer = func(operation string) *http.Response {
		if operation != "Write" {
			return nil
		}
		f.answer = nil
		var faults []string
		for _, i := range places {
			faults = append(
				faults,
				fmt.Sprintf(`{"code":"INVALID_VARIANT","field":["input","variants","%d","price"],"message":"no"}`, i),
			)
		}
		return respond(
			http.StatusOK,
			`{"data":{"set":{"product":null,"userErrors":[`+strings.Join(faults, ",")+`]}}}`,
			nil,
		)
	}
}

func TestRefusedPrices(t *testing.T) {
	fake, a, ref, p := published(t, 5)
	fake.refuseOnce(0, 1, 3)
	_, l := publish(t, a, ref, p, shopadapter.FieldPrice)
	got := fake.sole(t)
	if len(l.Refused) != 3 || len(got.variants) != 2 || got.variants[0].sku != p.Variants[2].SKU ||
		got.variants[1].sku != p.Variants[4].SKU {
		t.Errorf("refused %v, left %v", l.Refused, shown(got))
	}

	fake.products[0].variants = append(
		fake.products[0].variants, &fakeVariant{id: "hand", values: []string{"Gold", "1 cm"}, levels: map[string]int{}},
	)
	fake.refuseOnce(5)
	_, err := a.Publish(t.Context(), ref, p, shopadapter.FieldVariants)
	fails(t, err, shopadapter.Blocked, "by hand")
}

func TestStockThatIsElsewhere(t *testing.T) {
	fake := newFakeShop(t)
	p := laws.Sample("p", 2)
	ref, _ := publish(t, fake.open(t), shopadapter.Ref{}, p, shopadapter.AllFields)
	fake.locations = append(
		fake.locations,
		object{"__typename": "Location", "id": "gid://shopify/Location/2", "name": "Annex"},
	)
	_, err := fake.open(t, "LOCATION", "annex").Publish(t.Context(), ref, p, shopadapter.FieldStock)
	fails(t, err, shopadapter.Blocked, "LOCATION")
	publish(t, fake.open(t, "LOCATION", "1"), ref, p, shopadapter.FieldStock)
	other := laws.Sample("other", 1)
	publish(t, fake.open(t, "LOCATION", "Annex"), shopadapter.Ref{}, other, shopadapter.AllFields)
	if got := fake.products[1].variants[0].levels; fmt.Sprint(got) != "map[gid://shopify/Location/2:12]" {
		t.Errorf("the stock is %v", got)
	}
}
