package e2e_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/shopify"
	"github.com/pubsync/pubsync/shopadapter/shopify/internal/shopifyserver"
)

// boot starts the judge, or skips the test where it is not installed.
func boot(t *testing.T) *shopifyserver.Server {
	t.Helper()
	dir := os.Getenv(shopifyserver.EnvDir)
	if dir == "" {
		t.Skipf("%s does not name a folder in which install.sh has installed the judge", shopifyserver.EnvDir)
	}
	server, err := shopifyserver.Start(t.Context(), dir, "fixture")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Stop()
		if t.Failed() {
			t.Logf("the end of the judge's output:\n%s", server.Output())
		}
	})
	return server
}

// innocent fails the test when the adapter made a request that is not valid.
func innocent(t *testing.T, shop *shopifyserver.Shop) {
	t.Helper()
	for _, fault := range shop.State().Faults {
		t.Errorf("an invalid request: %s", fault)
	}
}

// TestLaws holds the adapter to the conformance suite, each law in a shop of its own.
func TestLaws(t *testing.T) {
	t.Parallel()
	server := boot(t)
	transport := &http.Transport{MaxIdleConnsPerHost: 8}
	t.Cleanup(transport.CloseIdleConnections)
	for _, law := range laws.Laws() {
		if law.ID == "adopted" { // the adapter takes over no product of the merchant's own
			continue
		}
		t.Run(law.ID, func(t *testing.T) {
			shop := server.Open(t, nil)
			if err := law.Check(
				t.Context(),
				shop.Harness(transport, func(o shopadapter.Options) (shopadapter.Adapter, error) { return shopify.Open(o) }),
			); err != nil {
				t.Errorf("%s\n%v", law.Sentence, err)
			}
			innocent(t, shop)
		})
	}
}

// TestShopify goes through the life of a listing.
func TestShopify(t *testing.T) {
	t.Parallel()
	server := boot(t)
	shop := server.Open(
		t,
		map[string]any{"locales": []shopifyserver.Locale{{Locale: "en", Primary: true}, {Locale: "nl"}}},
	)
	a := open(t, shop)
	if is, err := a.Check(t.Context()); is.Currency != "EUR" || err != nil {
		t.Fatalf("the currency is %q: %v", is.Currency, err)
	}
	p := laws.WithDetails(laws.Sample("lamp", 3), 1)
	p.Translations["nl"] = shopadapter.Translation{Title: "Leeslamp", Description: "<p>Een lamp.</p>"}
	ref, l := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	got := only(t, shop)
	if !got.OnSale || got.Title != p.Title || got.Description != p.Description ||
		got.Category != "Home & Garden > Lighting" ||
		!slices.Equal(got.Tags, []string{"ECO", "SEASON_1", "pubsync"}) || got.Vendor != p.Brand {
		t.Errorf("the product is %+v", got)
	}
	if got.Translations["nl"]["title"].Value != "Leeslamp" ||
		got.Translations["nl"]["body_html"].Value != "<p>Een lamp.</p>" {
		t.Errorf("the translations are %+v", got.Translations)
	}
	if !slices.Equal(got.Shown(), p.Images) || len(l.Missing) > 0 ||
		!strings.HasPrefix(l.URL, "https://lamps.example/products/") {
		t.Errorf("it shows %v at %s, missing %v", got.Shown(), l.URL, l.Missing)
	}
	for i, v := range got.Variants {
		w := p.Variants[i]
		if v.Mark != w.ID || v.SKU != w.SKU || v.Barcode != w.EAN || v.Price != w.Price || v.Cost != w.Cost ||
			!v.Tracked ||
			v.Policy != "DENY" ||
			v.Levels["gid://shopify/Location/1"] != w.Quantity {
			t.Errorf("variant %d is %+v", i+1, v)
		}
	}

	p.Variants[1].Price, p.Variants[1].Quantity, p.Variants[1].Backorders = "123.45", 0, true
	ref, _ = publish(t, a, ref, p, shopadapter.FieldPrice|shopadapter.FieldStock)
	if v := only(t, shop).Variants[1]; v.Price != "123.45" || v.Levels["gid://shopify/Location/1"] != 0 ||
		v.Policy != "CONTINUE" {
		t.Errorf("the variant is %+v", v)
	}
	p.Variants[0].Price, p.Variants[0].Quantity, p.Variants[0].Backorders = "234.50", 7, true
	if _, err := a.Publish(t.Context(), ref, p.OnlyFigures(), shopadapter.FieldPrice|shopadapter.FieldStock); err != nil {
		t.Error(err)
	}
	if v := only(t, shop).Variants[0]; v.Price != "234.50" || v.Levels["gid://shopify/Location/1"] != 7 ||
		v.Policy != "CONTINUE" {
		t.Errorf("after a restock the variant is %+v", v)
	}
	p.Variants = append(p.Variants[1:], laws.Sample("lamp", 4).Variants[3])
	ref, l = publish(t, a, ref, p, shopadapter.FieldVariants)
	if got = only(t, shop); len(got.Variants) != 3 || len(l.Variants) != 3 || got.Variants[2].Mark != p.Variants[2].ID {
		t.Errorf("the variants are %+v", got.Variants)
	}
	for listed, err := range a.List(t.Context(), shopadapter.Query{}) {
		if err != nil || listed.Ref.Publication != p.ID || listed.Ref.Listing != l.ID || !listed.OnSale ||
			listed.URL != l.URL {
			t.Errorf("it is listed as %+v, %v", listed, err)
		}
	}
	if _, err := a.Unpublish(t.Context(), ref, shopadapter.TakeOffline); err != nil || only(t, shop).OnSale {
		t.Errorf("taken out of sale: %v", err)
	}
	if publish(t, open(t, shop), shopadapter.Ref{}, p, shopadapter.AllFields); !only(t, shop).OnSale {
		t.Error("brought back it is not on sale")
	}
	if _, err := a.Unpublish(t.Context(), ref, shopadapter.Delete); err != nil {
		t.Error(err)
	}
	if list, err := shop.Products(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("after the deletion there are %+v, %v", list, err)
	}
	innocent(t, shop)
}

// TestAWriteInTheBackground is that of a product with many variants.
func TestAWriteInTheBackground(t *testing.T) {
	t.Parallel()
	shop := boot(t).Open(t, nil)
	p := laws.Sample("lamp", 201)
	a := open(t, shop)
	ref, l := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	if got := only(t, shop); len(got.Variants) != 201 || len(l.Variants) != 201 || !got.OnSale {
		t.Errorf("%d variants, of which %d are known, on sale %t", len(got.Variants), len(l.Variants), got.OnSale)
	}
	p.Variants[200].Quantity = 7
	if _, err := a.Publish(t.Context(), ref, p.OnlyFigures(), shopadapter.FieldStock); err != nil {
		t.Error(err)
	}
	if got := only(t, shop); len(got.Variants) != 201 || got.Variants[200].Levels["gid://shopify/Location/1"] != 7 {
		t.Errorf("after a restock there are %d variants", len(got.Variants))
	}
	innocent(t, shop)
}

// TestPictures are really fetched, from a server that is down for a while.
func TestPictures(t *testing.T) {
	t.Parallel()
	shop := boot(t).Open(t, nil)
	var down atomic.Bool
	down.Store(true)
	pictures := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/page.jpg":
			_, _ = w.Write([]byte("<html>no picture</html>"))
		case down.Load() && r.URL.Path == "/2.jpg":
			w.WriteHeader(http.StatusBadGateway)
		default:
			_, _ = w.Write([]byte("\xff\xd8\xff\xe0 a picture"))
		}
	}))
	t.Cleanup(pictures.Close)
	p := laws.Sample("lamp", 1)
	p.Images = []string{pictures.URL + "/1.jpg", pictures.URL + "/2.jpg", pictures.URL + "/page.jpg"}
	a := open(t, shop)
	ref, l := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	if got := only(t, shop); !got.OnSale || !slices.Equal(got.Shown(), p.Images[:1]) {
		t.Errorf("on sale %t, it shows %v", got.OnSale, got.Shown())
	}
	if len(l.Missing) != 2 || l.Missing[0].URL != p.Images[1] || !l.Missing[0].Later ||
		l.Missing[1].URL != p.Images[2] ||
		l.Missing[1].Later {
		t.Errorf("missing: %+v", l.Missing)
	}
	down.Store(false)
	_, l = publish(t, a, ref, p, shopadapter.FieldImages)
	if got := only(t, shop); !slices.Equal(got.Shown(), p.Images[:2]) || len(l.Missing) != 1 || l.Missing[0].Later {
		t.Errorf("it shows %v, missing %+v", got.Shown(), l.Missing)
	}
	if state := shop.State(); state.Taken != 2 || state.Tried != 4 {
		t.Errorf("%d pictures were asked for, %d taken", state.Tried, state.Taken)
	}
	innocent(t, shop)
}

// TestASmallBucket refuses nothing that the adapter has reserved points for.
func TestASmallBucket(t *testing.T) {
	t.Parallel()
	shop := boot(t).Open(t, map[string]any{"bucket": map[string]any{"limit": 1000, "rate": 1500}})
	a := open(t, shop)
	for n := range 12 {
		publish(
			t,
			a,
			shopadapter.Ref{},
			laws.Sample(shopadapter.PublicationID(fmt.Sprint("p", n)), 3),
			shopadapter.AllFields,
		)
	}
	state := shop.State()
	t.Logf("%d requests, %d throttled", state.Requests, state.Throttled)
	if state.Throttled > state.Requests/10 {
		t.Errorf("%d of %d requests were throttled", state.Throttled, state.Requests)
	}
	innocent(t, shop)
}

// TestScopes: without any one of those that the documentation names, the check names it.
func TestScopes(t *testing.T) {
	t.Parallel()
	server := boot(t)
	all := []string{
		"write_products", "write_inventory", "read_locations", "read_publications", "write_publications",
	}
	for i, scope := range all {
		shop := server.Open(t, map[string]any{"scopes": slices.Delete(slices.Clone(all), i, i+1)})
		_, err := open(t, shop).Check(t.Context())
		if scope == "read_publications" { // who may write may read
			if err != nil {
				t.Errorf("without %s: %v", scope, err)
			}
			continue
		}
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide ||
			!strings.Contains(e.Message, scope) {
			t.Errorf("without %s: %v", scope, err)
		}
	}
	shop := server.Open(t, map[string]any{"scopes": all})
	a := open(t, shop)
	if _, err := a.Check(t.Context()); err != nil {
		t.Error(err)
	}
	publish(t, a, shopadapter.Ref{}, laws.Sample("lamp", 2), shopadapter.AllFields)
	innocent(t, shop)
}

func open(t *testing.T, shop *shopifyserver.Shop, changes ...string) *shopify.Adapter {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	a, err := shopify.Open(
		shopadapter.Options{Settings: shop.Settings(changes...), HTTPClient: &http.Client{Transport: transport}},
	)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func publish(
	t *testing.T,
	a shopadapter.Adapter,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (
	shopadapter.Ref, shopadapter.Listing,
) {
	t.Helper()
	ref.Publication = p.ID
	l, err := a.Publish(t.Context(), ref, p, changed)
	if err != nil {
		t.Fatal(err)
	}
	return shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State}, l
}

// only is the shop's only product.
func only(t *testing.T, shop *shopifyserver.Shop) shopifyserver.Product {
	t.Helper()
	list, err := shop.Products(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("the shop holds %d products, %v", len(list), err)
	}
	return list[0]
}
