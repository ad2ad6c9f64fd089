package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

// choices is what a customer can choose: the marketplace's id of each variant, and its options.
func (s *shop) choices() map[string]string {
	s.Helper()
	all := map[string]string{}
	for _, v := range s.only().Variants {
		var options []string
		for _, o := range v.Options {
			options = append(options, o.Group.Name+"="+o.Name)
		}
		slices.Sort(options)
		all[v.CustomFields.PubsyncID] = strings.Join(options, " ")
	}
	return all
}

// options are the option groups of the product with their options.
func (s *shop) options() map[string][]string {
	s.Helper()
	all := map[string][]string{}
	for _, g := range s.only().OptionGroups {
		for _, o := range g.Options {
			all[g.Name] = append(all[g.Name], o.Name)
		}
		slices.Sort(all[g.Name])
	}
	return all
}

func TestOptionsFollow(t *testing.T) {
	s := fresh(t)
	a, p := s.open(), lamp("p", 1)
	for _, step := range []struct {
		name     string
		options  []string
		variants []shopadapter.Variant
		want     map[string]string
		values   map[string][]string
	}{
		{"one without options", nil, []shopadapter.Variant{choice("a")}, map[string]string{"a": ""}, map[string][]string{}},
		{
			"two by color",
			[]string{"Color"},
			[]shopadapter.Variant{choice("a", "Color", "Red"), choice("b", "Color", "Blue")},
			map[string]string{"a": "Color=Red", "b": "Color=Blue"},
			map[string][]string{"Color": {"Blue", "Red"}},
		},
		{
			"the colors swapped",
			[]string{"Color"},
			[]shopadapter.Variant{choice("a", "Color", "Blue"), choice("b", "Color", "Red")},
			map[string]string{"a": "Color=Blue", "b": "Color=Red"},
			map[string][]string{"Color": {"Blue", "Red"}},
		},
		{
			"a value renamed",
			[]string{"Color"},
			[]shopadapter.Variant{choice("a", "Color", "Azure"), choice("b", "Color", "Red")},
			map[string]string{"a": "Color=Azure", "b": "Color=Red"},
			map[string][]string{"Color": {"Azure", "Red"}},
		},
		{
			"the option renamed",
			[]string{"Tint"},
			[]shopadapter.Variant{choice("a", "Tint", "Azure"), choice("b", "Tint", "Red")},
			map[string]string{"a": "Tint=Azure", "b": "Tint=Red"},
			map[string][]string{"Tint": {"Azure", "Red"}},
		},
		{
			"an option more, in front",
			[]string{"Size", "Tint"},
			[]shopadapter.Variant{choice("a", "Size", "S", "Tint", "Azure"), choice("b", "Size", "L", "Tint", "Red")},
			map[string]string{"a": "Size=S Tint=Azure", "b": "Size=L Tint=Red"},
			map[string][]string{"Size": {"L", "S"}, "Tint": {"Azure", "Red"}},
		},
		{
			"every variant another, with the same choices",
			[]string{"Size", "Tint"},
			[]shopadapter.Variant{choice("c", "Size", "S", "Tint", "Azure"), choice("d", "Size", "L", "Tint", "Red")},
			map[string]string{"c": "Size=S Tint=Azure", "d": "Size=L Tint=Red"},
			map[string][]string{"Size": {"L", "S"}, "Tint": {"Azure", "Red"}},
		},
		{
			"several without options", nil,
			[]shopadapter.Variant{choice("c", "First", ""), choice("d", "Second", "")},
			map[string]string{"c": "Variant=First ", "d": "Variant=Second "},
			map[string][]string{"Variant": {"First ", "Second "}},
		},
		{"back to one", nil, []shopadapter.Variant{choice("d")}, map[string]string{"d": ""}, map[string][]string{}},
		{"more than its options allow", []string{"Color", "Size"}, lamp("p", 4).Variants, nil, nil},
	} {
		t.Run(step.name, func(t *testing.T) {
			p.Options, p.Variants = step.options, step.variants
			if l := s.publish(a, p, shopadapter.FieldVariants); len(l.Refused) > 0 || len(l.Variants) != len(step.variants) {
				t.Errorf("refused: %v of %v", l.Refused, l.Variants)
			}
			if diff := cmp.Diff(step.want, s.choices()); diff != "" && step.want != nil {
				t.Errorf("choices (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(step.values, s.options()); diff != "" && step.want != nil {
				t.Errorf("options (-want +got):\n%s", diff)
			}
			if got := s.only(); !got.Enabled || len(got.Variants) != len(step.variants) {
				t.Errorf("the product is %+v", got)
			}
		})
	}
}

// What is on sale has all its options, and something to buy, before each request.
func TestOffSaleWhileTheOptionsChange(t *testing.T) {
	s := fresh(t)
	a, p := s.open(), lamp("p", 1)
	p.Variants = []shopadapter.Variant{choice("a")}
	s.publish(a, p, shopadapter.AllFields)
	looks, onSale := 0, 0
	s.before = func(operation string) {
		looks++
		product := s.only()
		if !product.Enabled {
			return
		}
		onSale++
		if len(product.Variants) == 0 {
			t.Errorf("before %s nothing can be bought of a product on sale", operation)
		}
		for _, v := range product.Variants {
			if len(v.Options) != len(product.OptionGroups) {
				t.Errorf("before %s the variant %s has %d options of %d", operation, v.SKU, len(v.Options),
					len(product.OptionGroups))
			}
		}
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
		s.publish(a, p, shopadapter.FieldVariants)
		if !s.only().Enabled {
			t.Error("the product is not on sale")
		}
	}
	if looks == 0 || onSale == 0 || onSale == looks {
		t.Errorf("on sale in %d looks of %d", onSale, looks)
	}
}

func TestRefusedVariants(t *testing.T) {
	changed := func(change func(*shopadapter.Variant)) shopadapter.Variant {
		v := choice("x", "Color", "Green")
		change(&v)
		return v
	}
	for _, row := range []struct {
		name    string
		refused shopadapter.Variant
		says    string
	}{
		{"no price", changed(func(v *shopadapter.Variant) { v.Price = "" }), "not an amount"},
		{"an option is missing", choice("x"), "no value for the option Color"},
		{"an option is empty", choice("x", "Color", " "), "no value for the option Color"},
		{"the same choice twice", choice("x", "Color", "Red"), "same options as the variant Color Red"},
		{"the shop's own reason", changed(func(v *shopadapter.Variant) { v.SKU = "REFUSED" }), "does not like"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := fresh(t)
			s.answer = func(x exchange) (*http.Response, error) {
				if strings.Contains(x.body, `"sku":"REFUSED"`) {
					return refusal("USER_INPUT_ERROR", "the shop does not like this SKU")
				}
				return x.send()
			}
			a, p := s.open(), lamp("p", 1)
			p.Options = []string{"Color"}
			p.Variants = []shopadapter.Variant{choice("a", "Color", "Red"), row.refused, choice("b", "Color", "Blue")}
			for _, attempt := range []string{"at first", "again"} {
				l := s.publish(a, p, shopadapter.AllFields)
				if len(l.Refused) != 1 || !strings.Contains(l.Refused["x"], row.says) {
					t.Errorf("%s refused %v, want %q", attempt, l.Refused, row.says)
				}
				if diff := cmp.Diff(map[string]string{"a": "Color=Red", "b": "Color=Blue"}, s.choices()); diff != "" {
					t.Errorf("%s choices (-want +got):\n%s", attempt, diff)
				}
			}
			p.Variants[1] = choice("x", "Color", "Green")
			if l := s.publish(a, p, shopadapter.FieldPrice); len(l.Refused) > 0 || len(s.choices()) != 3 {
				t.Errorf("mended, refused %v of %v", l.Refused, s.choices())
			}
		})
	}
}

// A group that the merchant added blocks changes of the variants, and nothing else.
func TestWhatTheMerchantAddedByHand(t *testing.T) {
	s := fresh(t)
	a, p := s.open(), lamp("p", 1)
	p.Options = []string{"Color"}
	p.Variants = []shopadapter.Variant{choice("a", "Color", "Red"), choice("b", "Color", "Blue")}
	l := s.publish(a, p, shopadapter.AllFields)
	group := s.addGroup("engraving")
	s.must(s.attach(l.ID, group.ID))
	s.must(s.AddVariant(t.Context(), l.ID, "MINE", s.only().Group("Color").Options[0].ID, group.Options[0].ID))

	p.Variants[0].Price = "11.00"
	s.publish(a, p, shopadapter.AllFields)
	if got := s.only().Variants; len(got) != 3 {
		t.Errorf("the shop has %v", got)
	}
	p.Variants = append(p.Variants, choice("c", "Color", "Green"))
	_, err := a.Publish(t.Context(), ref(p, l), p, shopadapter.AllFields)
	if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || e.ShopWide ||
		!strings.Contains(e.Message, `"engraving`) {
		t.Errorf("the error is %v", err)
	}
	s.must(s.Do(t.Context(), `mutation ($product: ID!, $group: ID!) {
		removeOptionGroupFromProduct(productId: $product, optionGroupId: $group, force: true) { __typename } }`,
		vars{"product": string(l.ID), "group": group.ID}))
	if l = s.publish(a, p, shopadapter.AllFields); len(l.Variants) != 3 {
		t.Errorf("with the group gone the variants are %v", l.Variants)
	}
}

type group struct {
	ID      string
	Options []struct{ ID string }
}

// addGroup makes an option group of the merchant's.
func (s *shop) addGroup(code string) group {
	s.Helper()
	var made struct{ CreateProductOptionGroup group }
	s.must(s.Query(s.Context(), `mutation ($input: CreateProductOptionGroupInput!) {
		createProductOptionGroup(input: $input) { id options { id } } }`,
		vars{"input": vars{
			"code": code, "translations": english(code), "options": []vars{{"code": code, "translations": english(code)}},
		}}, &made))
	return made.CreateProductOptionGroup
}

func (s *shop) attach(listing shopadapter.ListingID, group string) error {
	return s.Do(s.Context(), `mutation ($product: ID!, $group: ID!) {
		addOptionGroupToProduct(productId: $product, optionGroupId: $group) { id } }`,
		vars{"product": string(listing), "group": group})
}

// Vendure leaves the option groups of a deleted product behind. One that a product of the merchant's
// uses stays, and so does another publication's.
func TestDeletingTakesTheOptionGroups(t *testing.T) {
	s := fresh(t)
	a, p := s.open(), lamp("p", 2)
	l := s.publish(a, p, shopadapter.AllFields)
	own := s.only().OptionGroups
	other := s.publish(a, lamp("other", 2), shopadapter.AllFields)
	mine, err := s.AddForeign(t.Context(), p)
	s.must(err)
	s.must(s.attach(mine, own[0].ID))
	_, err = a.Unpublish(t.Context(), ref(p, l), shopadapter.Delete)
	s.must(err)
	kept, err := s.Product(t.Context(), other.ID)
	s.must(err)
	var left struct {
		ProductOptionGroups struct{ Items []struct{ ID string } }
	}
	s.must(s.Query(t.Context(), `{ productOptionGroups(options: { take: 1000 }) { items { id } } }`, nil, &left))
	there := func(id string) bool {
		return slices.ContainsFunc(left.ProductOptionGroups.Items, func(g struct{ ID string }) bool { return g.ID == id })
	}
	got := []bool{there(own[0].ID), there(own[1].ID), there(kept.OptionGroups[0].ID), there(kept.OptionGroups[1].ID)}
	if diff := cmp.Diff([]bool{true, false, true, true}, got); diff != "" {
		t.Errorf("groups that are left (-want +got):\n%s", diff)
	}
}

// Groups and options keep the names that the merchant gave them, and a variant more gets the option
// that the merchant renamed.
func TestOptionsOfTheMerchant(t *testing.T) {
	s := fresh(t)
	a, p := s.open(), lamp("p", 1)
	p.Options = []string{"Color", "Size"}
	p.Variants = []shopadapter.Variant{
		choice("a", "Color", "Red", "Size", "S"), choice("b", "Color", "Blue", "Size", "S"),
	}
	l := s.publish(a, p, shopadapter.AllFields)
	s.must(s.RenameOption(t.Context(), l.ID, "Color", "Farbe"), s.RenameValue(t.Context(), l.ID, "Farbe", "Red", "Rot"))
	p.Variants = append(p.Variants, choice("c", "Color", "Red", "Size", "M"))
	s.publish(a, p, shopadapter.FieldVariants)
	if got := s.options(); !slices.Equal(got["Farbe"], []string{"Blue", "Rot"}) || len(got) != 2 {
		t.Errorf("the groups are %v", got)
	}
	// The supplier's new name for a group that the merchant has left alone still comes through.
	p.Options[1] = "Maat"
	for i := range p.Variants {
		p.Variants[i].Options[1].Name = "Maat"
	}
	s.publish(a, p, shopadapter.FieldVariants)
	if got := s.options(); len(got["Maat"]) != 2 || len(got["Farbe"]) != 2 {
		t.Errorf("after the supplier renamed a group the groups are %v", got)
	}
}
