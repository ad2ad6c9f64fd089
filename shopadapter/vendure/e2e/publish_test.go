package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/vendure"
)

// Where a customer finds a listing, what its variants are called, and where it is filed.
func TestImport(t *testing.T) {
	s := fresh(t)
	p := laws.Sample("import", 3)
	p.Images = []string{}
	p.Translations["nl"] = shopadapter.Translation{Title: "Leeslamp", Description: "<p>Een lamp.</p>"}
	l := s.publish(s.open(), p, shopadapter.AllFields)
	got := s.only()
	if l.URL != "https://shop.example/product/"+got.In("en").Slug || !strings.Contains(l.URL, "/reading-lamp-") {
		t.Errorf("the address is %q, the slug %q", l.URL, got.In("en").Slug)
	}
	if got.In("nl").Name != "Leeslamp" || len(s.values("pubsync-category")) != 1 {
		t.Errorf("in Dutch it is %+v; it has the values %v", got.In("nl"), got.FacetValues)
	}
	for _, v := range got.Variants {
		if v.TrackInventory != "TRUE" || !strings.HasPrefix(v.Name, p.Title) {
			t.Errorf("a variant is %+v", v)
		}
	}
	b := s.open("STOREFRONT_URL", "")
	address := s.URL + "/product/" + got.In("en").Slug
	if again := s.publish(b, p, shopadapter.AllFields); again.URL != address {
		t.Errorf("without a setting the address is %q", again.URL)
	}
	if listed := s.list(b, shopadapter.Query{})[p.ID]; listed.URL != address {
		t.Errorf("it is listed as %+v", listed)
	}
}

// What a change costs: how many requests, and which.
func TestRequests(t *testing.T) {
	s := fresh(t)
	a, p := s.open(), lamp("requests", 3)
	p.Category = shopadapter.Category{Path: "REQUESTS", Name: "Requests"}
	s.publish(a, p, shopadapter.AllFields)
	want := []string{
		"Login", "ReadProduct", "CreateProduct", "FindOptionGroups", "CreateOptionGroup", "AttachOptionGroup",
		"CreateOptionGroup", "AttachOptionGroup", "CreateVariants", "FindFacetValue", "CreateFacet", "UpdateProduct",
	}
	got := s.took()
	if i := len(got) - 2; got[i] == "CreateFacetValue" { // an earlier test has made the facet
		got[i] = "CreateFacet"
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a new product (-want +got):\n%s", diff)
	}
	for _, row := range []struct {
		name    string
		change  func()
		changed shopadapter.Fields
		want    []string
	}{
		{"nothing", func() {}, shopadapter.AllFields, []string{"ReadProduct", "ReadDetails"}},
		{
			"one price", func() { p.Variants[1].Price = "7.00" }, shopadapter.FieldPrice,
			[]string{"ReadProduct", "UpdateVariants"},
		},
		{
			"one stock", func() { p.Variants[1].Quantity = 7 }, shopadapter.FieldStock,
			[]string{"ReadProduct", "UpdateVariants"},
		},
		{
			"title", func() { p.Title = "Lamp II" }, shopadapter.FieldTitle,
			[]string{"ReadProduct", "UpdateVariants", "UpdateProduct"},
		},
		{
			"description", func() { p.Description = "<p>II" }, shopadapter.FieldDescription,
			[]string{"ReadProduct", "UpdateProduct"},
		},
		{
			"another category", func() { p.Category = shopadapter.Category{Path: "REQUESTS_NEW", Name: "New"} },
			shopadapter.FieldCategory,
			[]string{"ReadProduct", "FindFacetValue", "CreateFacetValue", "UpdateProduct"},
		},
		{
			"a variant less", func() { p.Variants = p.Variants[:2] }, shopadapter.FieldVariants,
			[]string{"ReadProduct", "ReadDetails", "DeleteVariants", "DeleteOption"},
		},
		{"shipping, which Vendure has no place for", func() {}, shopadapter.FieldShipping, []string{"ReadProduct"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.change()
			s.publish(a, p, row.changed)
			if diff := cmp.Diff(row.want, s.took()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// A hundred variants whose names alone measure 3 KB each in a request go in parts of 100 KB at most.
func TestManyVariantsStayUnderTheLimit(t *testing.T) {
	s := fresh(t)
	p := lamp("many", 2)
	p.Title = strings.Repeat("<lamp> ", 34)
	p.Translations["nl"] = shopadapter.Translation{Title: p.Title, Description: "<p>Een lamp.</p>"}
	for i := range 100 {
		v := p.Variants[0]
		v.ID, v.SKU = fmt.Sprintf("v%d", i), fmt.Sprintf("SKU-%d", i)
		v.Options = []shopadapter.Option{
			{Name: "Color", Value: fmt.Sprintf("Color %d", i)}, {Name: "Size", Value: "One"},
		}
		p.Variants = append(p.Variants, v)
	}
	l := s.publish(s.open(), p, shopadapter.AllFields)
	if len(l.Refused) > 0 || len(l.Variants) != 102 {
		t.Errorf("%d variants, refused %v", len(l.Variants), l.Refused)
	}
	if got := len(s.only().Variants); got != 102 {
		t.Errorf("the shop has %d variants", got)
	}
}

// TestAnUnpreparedShop is a Vendure whose owner has not added the custom fields, and who gives
// sessions as cookies alone.
func TestAnUnpreparedShop(t *testing.T) {
	server := boot(t.Context(), t, "SHOP_WITHOUT_CUSTOM_FIELDS=1", "SHOP_TOKEN_METHOD=cookie")
	defer server.Stop()
	a := (&shop{Server: server, T: t}).open()
	p := lamp("p", 1)
	_, published := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
	_, checked := a.Check(t.Context())
	_, removed := a.Unpublish(t.Context(), shopadapter.Ref{Publication: p.ID}, shopadapter.Delete)
	for name, err := range map[string]error{"check": checked, "publish": published, "unpublish": removed} {
		e := shopadapter.Explain(err)
		if e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide || !strings.Contains(e.Message, vendure.ConfigLines) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

// TestACookieShop gives sessions as cookies alone, which is Vendure's default, and has a plugin that
// rewrites texts: that is no edit.
func TestACookieShop(t *testing.T) {
	server := boot(t.Context(), t, "SHOP_TOKEN_METHOD=cookie", "SHOP_TIDIES_TEXT=1")
	defer server.Stop()
	s := &shop{Server: server, T: t}
	a, p := s.open(), lamp("p", 1)
	_, err := a.Check(t.Context())
	s.must(err)
	p.Translations["nl"] = shopadapter.Translation{Title: "Lamp", Description: "<p><strong>Oud</strong>"}
	s.publish(a, p, shopadapter.AllFields)
	p.Description = "<p><strong>New</strong>"
	p.Translations["nl"] = shopadapter.Translation{Title: "Lamp", Description: "<p><strong>Nieuw</strong>"}
	if l := s.publish(a, p, shopadapter.FieldDescription); l.Kept != 0 {
		t.Errorf("kept %s", l.Kept)
	}
	if got := s.only(); got.In("en").Description != "<p><b>New</strong><!-- cleaned -->" ||
		!strings.Contains(got.In("nl").Description, "Nieuw") {
		t.Errorf("the texts are %q and %q", got.In("en").Description, got.In("nl").Description)
	}
}
