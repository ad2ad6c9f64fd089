package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

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
