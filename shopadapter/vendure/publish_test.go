package vendure_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/vendure/internal/vendureserver"
)

// lamp is a product without pictures.
func lamp(id shopadapter.PublicationID, variants int) shopadapter.Product {
	p := laws.Sample(id, variants)
	p.Images = []string{}
	return p
}

func publish(
	t *testing.T,
	a shopadapter.Adapter,
	p shopadapter.Product,
	changed shopadapter.Fields,
) shopadapter.Listing {
	t.Helper()
	l, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, changed)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// only is the shop's one product.
func only(t *testing.T, f *fakeShop) vendureserver.Product {
	t.Helper()
	products, err := f.office().Products(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(products) != 1 {
		t.Fatalf("the shop has %d products", len(products))
	}
	return products[0]
}

// TestRequests shows what a change costs: how many requests, and which.
func TestRequests(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 3)
	publish(t, a, p, shopadapter.AllFields)
	want := []string{
		"Login", "Look", "CreateProduct", "FindGroups", "CreateGroup", "AttachGroup", "CreateGroup", "AttachGroup",
		"CreateVariants", "FindValue", "CreateFacet", "UpdateProduct",
	}
	if diff := cmp.Diff(want, fake.took()); diff != "" {
		t.Errorf("a new product (-want +got):\n%s", diff)
	}
	for _, tc := range []struct {
		name    string
		change  func()
		changed shopadapter.Fields
		want    []string
	}{
		{"nothing", func() {}, shopadapter.AllFields, []string{"Look", "Details"}},
		{"one price", func() { p.Variants[1].Price = "7.00" }, shopadapter.FieldPrice, []string{"Look", "UpdateVariants"}},
		{"one stock", func() { p.Variants[1].Quantity = 7 }, shopadapter.FieldStock, []string{"Look", "UpdateVariants"}},
		{
			"title", func() { p.Title = "Lamp II" }, shopadapter.FieldTitle, []string{"Look", "UpdateVariants", "UpdateProduct"},
		},
		{"description", func() { p.Description = "<p>II" }, shopadapter.FieldDescription, []string{"Look", "UpdateProduct"}},
		{
			"a category that is there", func() { p.Category = shopadapter.Category{Path: "NEW", Name: "New"} },
			shopadapter.FieldCategory,
			[]string{"Look", "FindValue", "CreateFacetValue", "UpdateProduct"},
		},
		{
			"a variant less", func() { p.Variants = p.Variants[:2] }, shopadapter.FieldVariants,
			[]string{"Look", "Details", "DeleteVariants", "DeleteOption"},
		},
		{"shipping, which Vendure has no place for", func() {}, shopadapter.FieldShipping, []string{"Look"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.change()
			publish(t, a, p, tc.changed)
			if diff := cmp.Diff(tc.want, fake.took()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestListingAddress(t *testing.T) {
	fake := newFakeShop(t)
	if l := publish(t, fake.open(t), lamp("p", 1), shopadapter.AllFields); !strings.HasPrefix(
		l.URL,
		"https://shop.example/product/reading-lamp-",
	) {
		t.Errorf("the address is %q", l.URL)
	}
	l := publish(t, fake.open(t, "STOREFRONT_URL", ""), lamp("p", 1), shopadapter.NoFields)
	if !strings.HasPrefix(l.URL, "https://vendure.example/product/reading-lamp-") {
		t.Errorf("without a setting the address is %q", l.URL)
	}
}

func TestManyVariantsStayUnderTheLimit(t *testing.T) {
	fake := newFakeShop(t)
	p := lamp("p", 2)
	p.Title = strings.Repeat("<lamp> ", 30)
	for i := range 300 {
		v := p.Variants[0]
		v.ID, v.SKU = fmt.Sprintf("v%d", i), fmt.Sprintf("SKU-%d", i)
		v.Options = []shopadapter.Option{
			{Name: "Color", Value: fmt.Sprintf("Color %d", i)},
			{Name: "Size", Value: "One"},
		}
		p.Variants = append(p.Variants, v)
	}
	l := publish(t, fake.open(t), p, shopadapter.AllFields)
	if len(l.Refused) > 0 || len(l.Variants) != 302 {
		t.Errorf("%d variants, refused %v", len(l.Variants), l.Refused)
	}
	if got := len(only(t, fake).Variants); got != 302 {
		t.Errorf("the shop has %d variants", got)
	}
}

func TestLongTextsAreSentApart(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 1)
	p.Description = "<p>" + strings.Repeat("long ", 14_000)
	p.Translations["nl"] = shopadapter.Translation{Title: "Lamp", Description: "<p>" + strings.Repeat("lang ", 14_000)}
	publish(t, a, p, shopadapter.AllFields)
	p.Description += " and longer"
	p.Translations["nl"] = shopadapter.Translation{
		Title:       "Lamp",
		Description: p.Translations["nl"].Description + " en langer",
	}
	l := publish(t, a, p, shopadapter.AllFields)
	got := only(t, fake)
	if l.Kept != 0 || got.In("en").Description != p.Description ||
		got.In("nl").Description != p.Translations["nl"].Description {
		t.Errorf(
			"kept %s; the texts have %d and %d bytes",
			l.Kept,
			len(got.In("en").Description),
			len(got.In("nl").Description),
		)
	}
}

func TestTooLongATextIsRejectedBeforeAnythingIsMade(t *testing.T) {
	fake := newFakeShop(t)
	p := lamp("p", 1)
	p.Description = strings.Repeat("<b>x</b>", 20_000)
	_, err := fake.open(t).Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
	if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Rejected ||
		!strings.Contains(e.Message, "too long for Vendure") {
		t.Errorf("the error is %v", err)
	}
	if diff := cmp.Diff([]string{"Login", "Look"}, fake.took()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestTextThatThePluginsOfAShopRewriteIsNoEdit(t *testing.T) {
	fake := newFakeShop(t)
	fake.rewrite = func(text string) string { return strings.ReplaceAll(text, "<strong>", "<b>") + "<!-- cleaned -->" }
	a := fake.open(t)
	p := lamp("p", 1)
	p.Translations["nl"] = shopadapter.Translation{Title: "Lamp", Description: "<p><strong>Oud</strong>"}
	publish(t, a, p, shopadapter.AllFields)
	p.Description = "<p><strong>New</strong>"
	p.Translations["nl"] = shopadapter.Translation{Title: "Lamp", Description: "<p><strong>Nieuw</strong>"}
	if l := publish(t, a, p, shopadapter.FieldDescription); l.Kept != 0 {
		t.Errorf("kept %s", l.Kept)
	}
	if got := only(t, fake); !strings.Contains(got.In("en").Description, "New") ||
		!strings.Contains(got.In("nl").Description, "Nieuw") {
		t.Errorf("the texts are %q and %q", got.In("en").Description, got.In("nl").Description)
	}
}

func TestTheShopsOwnWords(t *testing.T) {
	for _, tc := range []struct {
		name   string
		answer func(string) *http.Response
		kind   shopadapter.Kind
		wide   bool
		says   string
	}{
		{"429", status(http.StatusTooManyRequests), shopadapter.Transient, true, "come back later"},
		{"500", status(http.StatusInternalServerError), shopadapter.Transient, false, "HTTP 500"},
		{"401 of a proxy", status(http.StatusUnauthorized), shopadapter.Blocked, true, "refuses access"},
		{"403 of a proxy", status(http.StatusForbidden), shopadapter.Blocked, true, "refuses access"},
		{"404", status(http.StatusNotFound), shopadapter.Blocked, true, "no Admin API"},
		{"redirect", status(http.StatusMovedPermanently), shopadapter.Blocked, true, "redirected"},
		{"413", status(http.StatusRequestEntityTooLarge), shopadapter.Rejected, false, "too large"},
		{"202", status(http.StatusAccepted), shopadapter.Transient, false, "not GraphQL"},
		{"page of HTML", body("<!doctype html>"), shopadapter.Transient, false, "not GraphQL"},
		{"nothing", body(""), shopadapter.Transient, false, "not GraphQL"},
		{"no data", body(`{"data":null}`), shopadapter.Transient, false, "no data"},
		{"unknown form", body(`{"data":{"products":7}}`), shopadapter.Transient, false, "unknown form"},
		{
			"too many", body(`{"data":{"products":{"items":[{}` + strings.Repeat(",{}", 100_000) + `]}}}`),
			shopadapter.Transient, false, "more than 60000 elements",
		},
		{
			"too many errors", body(`{"errors":[{}` + strings.Repeat(",{}", 100_000) + `]}`), shopadapter.Transient, false,
			"more than 60000 elements",
		},
		{"too long", body(`{"data":"` + strings.Repeat("x", 4<<20) + `"}`), shopadapter.Transient, false, "longer " +
			"than 4 MiB"},
		{"no rights", coded("FORBIDDEN", "no"), shopadapter.Blocked, true, "may not do this"},
		{"no channel", coded("CHANNEL_NOT_FOUND", "no"), shopadapter.Blocked, true, "CHANNEL"},
		{
			"another API", coded("GRAPHQL_VALIDATION_FAILED", `Cannot query field "x" on type "Query".`), shopadapter.Blocked,
			true, "Vendure 3.7",
		},
		{"user input", coded("USER_INPUT_ERROR", "bad"), shopadapter.Rejected, false, "refuses it: bad"},
		{
			"read-only field", coded("BAD_USER_INPUT", `Field "pubsyncStamp" is not defined`), shopadapter.Blocked, true,
			"customFields: {",
		},
		{"gone meanwhile", coded("ENTITY_NOT_FOUND", "No Product"), shopadapter.Transient, false, "changed meanwhile"},
		{"its own fault", coded("INTERNAL_SERVER_ERROR", "oops"), shopadapter.Transient, false, "oops"},
		{"without a code", coded("", "FOREIGN KEY"), shopadapter.Transient, false, "FOREIGN KEY"},
		{
			"a secret", coded("USER_INPUT_ERROR", "you sent "+password+" with session-1"), shopadapter.Rejected, false,
			"you sent *** with ***",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fake := newFakeShop(t)
			fake.answer = func(operation string) *http.Response {
				if operation == "Login" {
					return nil
				}
				return tc.answer(operation)
			}
			p := lamp("p", 1)
			_, err := fake.open(t).Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
			e := shopadapter.Explain(err)
			if e == nil || e.Kind != tc.kind || e.ShopWide != tc.wide || !strings.Contains(e.Message, tc.says) {
				t.Errorf("the error is %+v, want %s, shop-wide %t, with %q", e, tc.kind, tc.wide, tc.says)
			}
		})
	}
}

func status(code int) func(string) *http.Response {
	return func(string) *http.Response { return respond(code, "text/html", "<h1>"+http.StatusText(code), nil) }
}

func body(text string) func(string) *http.Response {
	return func(string) *http.Response { return respond(http.StatusOK, "text/html", text, nil) }
}

func coded(code, message string) func(string) *http.Response {
	extensions := fmt.Sprintf(`{"code":%q}`, code)
	if code == "" {
		extensions = "{}"
	}
	return body(fmt.Sprintf(`{"errors":[{"message":%q,"extensions":%s}],"data":null}`, message, extensions))
}
