//go:build unix

package medusa_test

import (
	"flag"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/medusa"
)

// openReal makes an adapter as a start of the process does.
func openReal(t *testing.T, settings map[string]string, transport http.RoundTripper) *medusa.Adapter {
	t.Helper()
	a, err := medusa.Open(shopadapter.Options{Settings: settings, HTTPClient: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

var whole = flag.Bool("medusa.whole", false, "hold the real Medusa to all laws, which takes very long")

// TestReal holds the adapter to the life of listings, and to the laws, on a real Medusa: each law takes that
// server up to a minute or more.
func TestReal(t *testing.T) {
	s := boot(t)
	plain := s.office.client.Transport
	settings := map[string]string{
		"URL":            s.url,
		"TOKEN":          s.key,
		"STOREFRONT_URL": "https://shop.example/products/{handle}",
	}
	var shop stocked
	t.Run("a new Medusa says what it lacks", func(t *testing.T) {
		a := openReal(t, settings, plain)
		for _, step := range s.steps(t.Context(), &shop) {
			_, err := a.Check(t.Context())
			if e := shopadapter.Explain(err); step.lacks != "" &&
				(e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide || !strings.Contains(e.Error(), step.lacks)) {
				t.Errorf("the error is %v, and should say: %s", err, step.lacks)
			}
			if err := step.mend(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := a.Check(t.Context()); err != nil {
			t.Error(err)
		}
	})
	a := openReal(t, settings, plain)
	page := storefront{base: s.url, key: shop.Publishable, region: shop.Region, client: s.office.client}
	life := story{s, shop, page, settings, a}
	life.tell(t)
	life.texts(t)
	t.Run("laws", func(t *testing.T) {
		leftOut := []string{
			"observed-variant-off", // Medusa has no switch for a single variant
			// Medusa shows pictures by address: it takes none in, and never looks at one
			"image-once", "late-picture", "refused-picture",
		}
		// the laws that ask most of what the server itself does
		asked := []string{
			"publish", "last-wins", "restart-without-hint", "merchants-edit", "variants", "choice", "restock", "unpublish",
			"lister", "observed-as-written", "details-shown", "lost-answer",
		}
		for _, law := range laws.Laws() {
			if slices.Contains(leftOut, law.ID) || !*whole && !slices.Contains(asked, law.ID) {
				continue
			}
			t.Run(law.ID, func(t *testing.T) {
				if err := s.office.clear(t.Context()); err != nil {
					t.Fatal(err)
				}
				h := harness(s.office, plain, settings)
				if h.Visit = page.visit; !*whole {
					h.Stride = 12 // a call is struck at one place in so many
				}
				if err := law.Check(t.Context(), h); err != nil {
					t.Errorf("%s\n%v", law.Sentence, err)
				}
			})
		}
	})
}

// A story is the life of listings in one shop.
type story struct {
	server   *server
	shop     stocked
	page     storefront
	settings map[string]string
	a        *medusa.Adapter
}

// visit is what a visitor gets at a handle, in a locale.
func (s story) visit(t *testing.T, handle, locale string) []bought {
	t.Helper()
	products, err := s.page.products(t.Context(), "handle", handle, locale)
	if err != nil {
		t.Fatal(err)
	}
	return products
}

func (s story) product(id shopadapter.PublicationID, variants int) shopadapter.Product {
	p := laws.Sample(id, variants)
	p.Translations["nl"] = shopadapter.Translation{Title: "Leeslamp", Description: "<p>Een lamp.</p>"}
	return p
}

func (s story) tell(t *testing.T) {
	office, a := s.server.office, s.a
	t.Run("what a visitor sees", func(t *testing.T) {
		p := s.product("visited", 3)
		l := publish(t, a, p, shopadapter.AllFields)
		got := office.of(t, p.ID)
		if l.URL != "https://shop.example/products/"+got.Handle || len(l.Variants) != 3 ||
			!strings.HasPrefix(got.Handle, "reading-lamp-") {
			t.Errorf("the listing is %+v, the handle %q", l, got.Handle)
		}
		seen := s.visit(t, got.Handle, "en-US")
		if len(seen) != 1 || seen[0].Title != p.Title || len(seen[0].Variants) != 3 {
			t.Fatalf("the visitor sees %+v", seen)
		}
		for _, v := range seen[0].Variants {
			i := slices.IndexFunc(p.Variants, func(want shopadapter.Variant) bool { return want.SKU == v.SKU })
			if i < 0 || v.Quantity != p.Variants[i].Quantity || string(v.Price.WithTax) != p.Variants[i].Price {
				t.Errorf("a variant is %+v", v)
			}
		}
		if seen := s.visit(t, got.Handle, "nl-NL"); len(seen) != 1 || seen[0].Title != "Leeslamp" {
			t.Errorf("a Dutch visitor sees %+v", seen)
		}
		if _, err := a.Unpublish(t.Context(), shopadapter.Ref{Publication: p.ID}, shopadapter.TakeOffline); err != nil {
			t.Fatal(err)
		}
		if seen := s.visit(t, got.Handle, "en-US"); len(seen) != 0 {
			t.Errorf("taken offline the visitor sees %+v", seen)
		}
		if again := publish(t, a, p, shopadapter.NoFields); again.ID != l.ID ||
			len(s.visit(t, got.Handle, "en-US")) != 1 {
			t.Errorf("brought back it is %s, it was %s", again.ID, l.ID)
		}
		for range 2 {
			if _, err := a.Unpublish(t.Context(), shopadapter.Ref{Publication: p.ID}, shopadapter.Delete); err != nil {
				t.Fatal(err)
			}
		}
		var left struct {
			Count int `json:"count"`
		}
		if err := office.ask(
			t.Context(), http.MethodGet, "/admin/translations?reference_id="+string(l.ID), nil, &left,
		); err != nil ||
			left.Count != 0 {
			t.Errorf("%d translations are left: %v", left.Count, err)
		}
	})
	t.Run("the merchant's prices stay", func(t *testing.T) {
		p := s.product("prices", 1)
		l := publish(t, a, p, shopadapter.AllFields)
		id := l.ShopIDs()[p.Variants[0].ID]
		change := object{"update": []object{{"id": id, "prices": []object{
			{"currency_code": "eur", "amount": 19.95},
			{"currency_code": "usd", "amount": 30},
			{"currency_code": "eur", "amount": 15, "min_quantity": 10},
			{"currency_code": "eur", "amount": 18, "rules": object{"region_id": s.shop.Region}},
		}}}}
		if err := office.ask(
			t.Context(), http.MethodPost, "/admin/products/"+string(l.ID)+"/variants/batch", change, nil,
		); err != nil {
			t.Fatal(err)
		}
		p.Variants[0].Price = "123.45"
		publish(t, a, p, shopadapter.FieldPrice)
		v := office.of(t, p.ID).Variants[0]
		if v.base() != "123.45" || len(v.Prices) != 4 {
			t.Errorf("the prices are %+v", v.Prices)
		}
	})
	t.Run("a SKU of another product", func(t *testing.T) {
		p, other := s.product("sku", 2), s.product("other", 1)
		other.Variants[0].SKU = p.Variants[1].SKU
		publish(t, a, other, shopadapter.AllFields)
		l, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
		e := shopadapter.Explain(err)
		if e == nil || e.Kind != shopadapter.Blocked || e.ShopWide ||
			!strings.Contains(e.Error(), "PUBSYNC_SHOP_SKU_PREFIX") ||
			l.Refused[p.Variants[1].ID] == "" {
			t.Errorf("the error is %v, refused %v", err, l.Refused)
		}
		if got := office.of(t, p.ID); got.Status != "draft" {
			t.Errorf("the product is %+v", got)
		}
	})
	t.Run("an EAN of another product", func(t *testing.T) {
		p := s.product("ean", 2)
		p.Variants[0].EAN, p.Variants[1].EAN = "8712345678906", "8712345678913"
		publish(t, a, p, shopadapter.AllFields)
		other := s.product("same-ean", 2)
		other.Variants[0].EAN = p.Variants[1].EAN
		publish(t, a, other, shopadapter.AllFields)
		if got := office.of(t, other.ID); len(got.Variants) != 2 || got.Status != "published" {
			t.Errorf("the product is %+v", got)
		}
	})
	t.Run("an option of the merchant's own", func(t *testing.T) {
		p := s.product("option", 2)
		l := publish(t, a, p, shopadapter.AllFields)
		add := object{"add": []object{{"title": "Engraving", "values": []string{"None"}, "is_exclusive": true}}}
		if err := office.ask(
			t.Context(), http.MethodPost, "/admin/products/"+string(l.ID)+"/options/batch", add, nil,
		); err != nil {
			t.Fatal(err)
		}
		p.Variants[0].Price = "77.00"
		publish(t, a, p, shopadapter.FieldPrice)
		more := s.product("option", 3)
		_, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, more, shopadapter.FieldVariants)
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked ||
			!strings.Contains(e.Error(), "Engraving") {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("what is done by hand is observed", func(t *testing.T) {
		publish(t, a, s.product("drift", 9), shopadapter.AllFields)
		publish(t, a, s.product("untouched", 2), shopadapter.AllFields)
		for _, h := range handiworks() {
			t.Run(h.name, func(t *testing.T) { h.check(t, a, office, "drift") })
		}
	})
}
