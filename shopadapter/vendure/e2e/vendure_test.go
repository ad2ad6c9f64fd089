package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/nodeserver"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/vendure"
	"github.com/pubsync/pubsync/shopadapter/vendure/internal/vendureserver"
)

// boot starts a Vendure, or skips the test where none is installed.
func boot(t *testing.T, o vendureserver.Options) *vendureserver.Server {
	t.Helper()
	dir := os.Getenv(vendureserver.EnvDir)
	if dir == "" {
		t.Skipf("%s does not name a folder in which install.sh has installed a Vendure", vendureserver.EnvDir)
	}
	for _, name := range []string{"shop.cjs", "package-lock.json"} {
		installed, err := os.ReadFile(dir + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		wanted, err := os.ReadFile("fixture/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if string(installed) != string(wanted) {
			t.Fatalf("%s in %s is not the one of this repository: run install.sh again", name, dir)
		}
	}
	server, err := vendureserver.Start(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Stop()
		if t.Failed() {
			t.Logf("the end of Vendure's output:\n%s", server.Output())
		}
	})
	return server
}

// settings are the adapter's for a server, with changes by name and value.
func settings(server *vendureserver.Server, changes ...string) map[string]string {
	s := map[string]string{
		"URL": server.URL, "USERNAME": server.Username, "PASSWORD": server.Password,
		"STOREFRONT_URL": "https://shop.example/product/{slug}", "IMAGE_HOSTS": "127.0.0.1",
	}
	for i := 0; i+1 < len(changes); i += 2 {
		s[changes[i]] = changes[i+1]
	}
	return s
}

// open makes an adapter as a start of the process does.
func open(t *testing.T, settings map[string]string, transport http.RoundTripper) *vendure.Adapter {
	t.Helper()
	plain := &http.Transport{}
	if transport == nil {
		transport = plain
	}
	a, err := vendure.Open(
		shopadapter.Options{Settings: settings, VATPercent: "21", HTTPClient: &http.Client{Transport: transport}},
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = a.Close()
		plain.CloseIdleConnections()
	})
	return a
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

// of is the shop's product of a publication, which it must hold once.
func of(t *testing.T, office *vendureserver.Backoffice, id shopadapter.PublicationID) vendureserver.Product {
	t.Helper()
	products, err := office.Products(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var found []vendureserver.Product
	for _, p := range products {
		if p.CustomFields.PubsyncID == string(id) {
			found = append(found, p)
		}
	}
	if len(found) != 1 {
		t.Fatalf("the shop holds %d products of %s", len(found), id)
	}
	return found[0]
}

// TestVendure goes through the life of a listing on one server.
func TestVendure(t *testing.T) {
	server, pictures := boot(t, vendureserver.Options{}), vendureserver.NewPictures(t)
	office := server.Backoffice()
	a := open(t, settings(server), nil)
	if _, err := a.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	product := func(id shopadapter.PublicationID, variants int) shopadapter.Product {
		p := laws.Sample(id, variants)
		p.Images = []string{pictures.Address(1), pictures.Address(2)}
		p.Translations["nl"] = shopadapter.Translation{Title: "Leeslamp", Description: "<p>Een lamp.</p>"}
		return p
	}

	t.Run("import", func(t *testing.T) {
		p := product("import", 3)
		l := publish(t, a, p, shopadapter.AllFields)
		got := of(t, office, p.ID)
		if !got.Enabled || got.In("en").Name != p.Title || got.In("en").Description != p.Description ||
			got.In("nl").Name != "Leeslamp" {
			t.Errorf("the product is %+v", got)
		}
		if l.URL != "https://shop.example/product/"+got.In("en").Slug {
			t.Errorf("the address is %q, the slug %q", l.URL, got.In("en").Slug)
		}
		if len(got.Variants) != 3 || len(got.Assets) != 2 || got.FeaturedAsset == nil || len(got.FacetValues) != 1 {
			t.Errorf(
				"it has %d variants, %d pictures, %d categories",
				len(got.Variants),
				len(got.Assets),
				len(got.FacetValues),
			)
		}
		for _, v := range got.Variants {
			if len(v.Options) != 2 || v.PriceWithTax < 1995 || v.StockOnHand < 12 || v.TrackInventory != "TRUE" ||
				!strings.HasPrefix(v.Name, p.Title) {
				t.Errorf("a variant is %+v", v)
			}
		}
	})

	t.Run("price and stock", func(t *testing.T) {
		p := product("price", 3)
		publish(t, a, p, shopadapter.AllFields)
		p.Variants[1].Price, p.Variants[1].Quantity, p.Variants[1].Backorders = "123.45", 0, true
		publish(t, a, p, shopadapter.FieldPrice|shopadapter.FieldStock)
		for _, v := range of(t, office, p.ID).Variants {
			mine := v.CustomFields.PubsyncID == p.Variants[1].ID
			if mine != (v.PriceWithTax == 12345) || mine != (v.StockOnHand == 0) || mine != (v.Threshold < 0) {
				t.Errorf("a variant is %+v", v)
			}
		}
	})

	t.Run("a new and a vanished variant", func(t *testing.T) {
		p := product("variants", 3)
		first := publish(t, a, p, shopadapter.AllFields)
		more := product("variants", 4)
		p.Variants = append(p.Variants[1:], more.Variants[3])
		l := publish(t, a, p, shopadapter.FieldVariants)
		got := of(t, office, p.ID)
		if len(got.Variants) != 3 || l.ShopIDs()[p.Variants[0].ID] != first.ShopIDs()[p.Variants[0].ID] {
			t.Errorf("the variants were %v, are %v", first.Variants, l.Variants)
		}
		for _, g := range got.OptionGroups {
			if g.Name == "Color" && len(g.Options) != 3 {
				t.Errorf("the colors are %+v", g.Options)
			}
		}
	})

	t.Run("a variant more than its options allow, then one alone", func(t *testing.T) {
		p := product("growth", 1)
		publish(t, a, p, shopadapter.AllFields)
		for _, variants := range []int{4, 1, 2} {
			p = product("growth", variants)
			if l := publish(t, a, p, shopadapter.FieldVariants); len(l.Refused) > 0 || len(l.Variants) != variants {
				t.Errorf("of %d variants %v, refused %v", variants, l.Variants, l.Refused)
			}
			if got := of(t, office, p.ID); len(got.Variants) != variants || len(got.OptionGroups) != len(p.Options) ||
				!got.Enabled {
				t.Errorf("with %d variants the product is %+v", variants, got)
			}
		}
	})

	t.Run("removal", func(t *testing.T) {
		p := product("removal", 2)
		l := publish(t, a, p, shopadapter.AllFields)
		ref := shopadapter.Ref{Publication: p.ID, Listing: l.ID}
		if _, err := a.Unpublish(t.Context(), ref, shopadapter.TakeOffline); err != nil {
			t.Fatal(err)
		}
		if of(t, office, p.ID).Enabled {
			t.Error("it is still on sale")
		}
		if again := publish(t, a, p, shopadapter.NoFields); again.ID != l.ID || !of(t, office, p.ID).Enabled {
			t.Errorf("brought back it is %s, it was %s", again.ID, l.ID)
		}
		for range 2 {
			if _, err := a.Unpublish(t.Context(), ref, shopadapter.Delete); err != nil {
				t.Fatal(err)
			}
		}
		if again := publish(t, a, p, shopadapter.AllFields); again.ID == l.ID || !of(t, office, p.ID).Enabled {
			t.Errorf("made anew it is %s", again.ID)
		}
	})

	t.Run("a restart with a lost store", func(t *testing.T) {
		p := product("restart", 3)
		l := publish(t, a, p, shopadapter.AllFields)
		before := of(t, office, p.ID)
		again := publish(t, open(t, settings(server), nil), p, shopadapter.AllFields)
		if after := of(t, office, p.ID); again.ID != l.ID || fmt.Sprint(before.Variants) != fmt.Sprint(after.Variants) {
			t.Errorf("the listing was %s %+v, is %s %+v", l.ID, before, again.ID, after)
		}
		for listed, err := range a.List(t.Context(), shopadapter.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			if listed.Ref.Publication == p.ID && (listed.Ref.Listing != l.ID || !listed.OnSale || listed.URL != l.URL) {
				t.Errorf("it is listed as %+v", listed)
			}
		}
	})

	t.Run("the merchant's title stays", func(t *testing.T) {
		p := product("edit", 2)
		l := publish(t, a, p, shopadapter.AllFields)
		if err := office.Edit(t.Context(), l.ID, shopadapter.FieldTitle); err != nil {
			t.Fatal(err)
		}
		p.Title, p.Variants[0].Price = "The supplier's new title", "77.00"
		if l = publish(t, a, p, shopadapter.AllFields); l.Kept != shopadapter.FieldTitle {
			t.Errorf("kept %s", l.Kept)
		}
		if got := of(t, office, p.ID); got.In("en").Name != "The lamp on my own desk" ||
			got.Variants[0].PriceWithTax != 7700 {
			t.Errorf("the product is %+v", got)
		}
	})

	t.Run("what is done by hand is observed", func(t *testing.T) {
		p := product("drift", 3)
		p.Images = []string{pictures.Address(61), pictures.Address(62)}
		drift(t, server, a, p)
	})

	t.Run("pictures are uploaded once", func(t *testing.T) {
		p := product("pictures", 1)
		p.Images = []string{pictures.Address(51), pictures.Address(52)}
		before, err := office.Uploads(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		publish(t, a, p, shopadapter.AllFields)
		p.Images = []string{pictures.Address(52), pictures.Address(53), pictures.Address(51)}
		publish(t, open(t, settings(server), nil), p, shopadapter.AllFields)
		after, err := office.Uploads(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var shown []string
		for _, picture := range of(t, office, p.ID).Assets {
			shown = append(shown, pictures.OfSize(picture.FileSize))
		}
		if after-before != 3 || fmt.Sprint(shown) != fmt.Sprint(p.Images) {
			t.Errorf("%d uploads of 3 pictures; shown are %v", after-before, shown)
		}
	})

	t.Run("whatever answer of a creation is lost", func(t *testing.T) { lostAnswers(t, server, product) })

	t.Run("a wrong password", func(t *testing.T) {
		_, err := open(t, settings(server, "PASSWORD", "hunter2"), nil).Check(t.Context())
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide ||
			strings.Contains(e.Error(), "hunter2") {
			t.Errorf("the error is %v", err)
		}
	})

	t.Run("a text that fits no request", func(t *testing.T) {
		p := product("long", 1)
		p.Description = strings.Repeat("<b>long</b>", 10_000)
		_, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Rejected {
			t.Errorf("the error is %v", err)
		}
		p.Description = strings.Repeat("long ", 17_000) // just below what the adapter sends
		publish(t, a, p, shopadapter.AllFields)
	})

	t.Run(
		"prices and stock alone, beside another stock location",
		func(t *testing.T) { restock(t, office, a, product("restock", 3)) },
	)

	t.Run(
		"a channel whose prices do not include tax",
		func(t *testing.T) { netPrices(t, office, a, product("net", 2)) },
	)
}

// netPrices has the channel add tax to prices, and looks at what a visitor pays.
func netPrices(t *testing.T, office *vendureserver.Backoffice, a *vendure.Adapter, p shopadapter.Product) {
	inclusive := func(value bool) {
		err := office.Query(t.Context(), `mutation ($value: Boolean!) {
			updateChannel(input: { id: "1", pricesIncludeTax: $value }) {
				__typename ... on ErrorResult { message }
			} }`, map[string]any{"value": value}, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	p.Variants[0].Price, p.Variants[1].Price = "24.20", "20.02"
	l := publish(t, a, p, shopadapter.AllFields)
	inclusive(false)
	defer inclusive(true)
	publish(t, a, p, shopadapter.FieldPrice)
	is, err := a.Check(t.Context())
	if err != nil || !is.Prices.Net() {
		t.Errorf("prices are told as %+v, %v", is.Prices, err)
	}
	for i, want := range []int{2420, 2003} { // 16.54 is 20.01, and 16.55 is 20.03
		for _, v := range of(t, office, p.ID).Variants {
			if v.ID == l.ShopIDs()[p.Variants[i].ID] && v.PriceWithTax != want {
				t.Errorf("of %s a visitor pays %d, want %d", p.Variants[i].Price, v.PriceWithTax, want)
			}
		}
	}
}

// restock brings figures alone in line, of a product whose second variant is also stocked at a
// location of the owner's.
func restock(t *testing.T, office *vendureserver.Backoffice, a *vendure.Adapter, p shopadapter.Product) {
	l := publish(t, a, p, shopadapter.AllFields)
	shop := l.ShopIDs()[p.Variants[1].ID]
	var made struct {
		Location struct{ ID string } `json:"createStockLocation"`
	}
	if err := office.Query(
		t.Context(), `mutation { createStockLocation(input: { name: "Shed" }) { id } }`, nil, &made,
	); err != nil {
		t.Fatal(err)
	}
	err := office.Query(t.Context(), `mutation ($variant: ID!, $shed: ID!) {
		updateProductVariants(input: [{ id: $variant, stockLevels: [{ stockLocationId: $shed, stockOnHand: 55 }] }]) {
			id } }`,
		map[string]any{"variant": shop, "shed": made.Location.ID}, nil)
	if err != nil {
		t.Fatal(err)
	}
	before := of(t, office, p.ID)
	p.Variants[1].Price, p.Variants[1].Quantity, p.Variants[1].Backorders = "123.45", 7, true
	for range 2 {
		ref := shopadapter.Ref{Publication: p.ID, Listing: l.ID, OnSale: true}
		again, err := a.Publish(t.Context(), ref, p.OnlyFigures(), shopadapter.FieldPrice|shopadapter.FieldStock)
		if err != nil || again.ID != l.ID || again.URL != l.URL ||
			fmt.Sprint(again.Variants) != fmt.Sprint(l.Variants) ||
			len(again.Refused) > 0 {
			t.Fatalf("the listing was %+v, is %+v, %v", l, again, err)
		}
	}
	for i := range before.Variants {
		if v := &before.Variants[i]; v.ID == shop {
			v.PriceWithTax, v.StockOnHand, v.Threshold = 12345, 7+55, -1_000_000
		}
	}
	if diff := cmp.Diff(before, of(t, office, p.ID)); diff != "" {
		t.Errorf("the product (-want +got):\n%s", diff)
	}
	var seen struct {
		Variant struct {
			Levels []struct {
				Stocked  int                   `json:"stockOnHand"`
				Location struct{ Name string } `json:"stockLocation"`
			} `json:"stockLevels"`
		} `json:"productVariant"`
	}
	err = office.Query(
		t.Context(),
		`query ($variant: ID!) { productVariant(id: $variant) { stockLevels { stockOnHand stockLocation { name } } } }`,
		map[string]any{"variant": shop},
		&seen,
	)
	if err != nil {
		t.Fatal(err)
	}
	stocked := map[string]int{}
	for _, level := range seen.Variant.Levels {
		stocked[level.Location.Name] = level.Stocked
	}
	if len(stocked) != 2 || stocked["Default Stock Location"] != 7 || stocked["Shed"] != 55 {
		t.Errorf("the variant is stocked as %v", stocked)
	}
}

// lostAnswers loses the answer to the k-th request of a creation, for each k, and calls again with
// nothing but the key.
func lostAnswers(
	t *testing.T,
	server *vendureserver.Server,
	product func(shopadapter.PublicationID, int) shopadapter.Product,
) {
	office := server.Backoffice()
	plain := &http.Transport{}
	t.Cleanup(plain.CloseIdleConnections)
	lossy := &nodeserver.Lossy{Next: plain}
	a := open(t, settings(server), lossy)
	for k := 1; ; k++ {
		p := product(shopadapter.PublicationID(fmt.Sprint("lost-", k)), 3)
		p.Images = []string{fmt.Sprintf("%s?k=%d", p.Images[0], k)}
		before, err := office.Uploads(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		lossy.Left = k
		_, err = a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
		if lossy.Left > 0 {
			if k < 10 {
				t.Errorf("a creation takes %d requests", k-1)
			}
			return
		}
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Transient {
			t.Errorf("with answer %d lost the error is %v", k, err)
		}
		publish(t, a, p, shopadapter.AllFields)
		after, err := office.Uploads(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := of(t, office, p.ID)
		if len(got.Variants) != 3 || len(got.OptionGroups) != 2 || len(got.Assets) != 1 || after-before != 1 ||
			!got.Enabled {
			t.Errorf("with answer %d lost there were %d uploads and the product is %+v", k, after-before, got)
		}
	}
}

// TestAnUnpreparedShop is a Vendure whose owner has not added the custom fields, and who gives
// sessions as cookies alone.
func TestAnUnpreparedShop(t *testing.T) {
	server := boot(t, vendureserver.Options{WithoutCustomFields: true, TokenMethod: "cookie"})
	a := open(t, settings(server), nil)
	p := laws.Sample("p", 1)
	_, published := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
	_, checked := a.Check(t.Context())
	_, removed := a.Unpublish(t.Context(), shopadapter.Ref{Publication: p.ID}, shopadapter.Delete)
	for name, err := range map[string]error{"check": checked, "publish": published, "unpublish": removed} {
		e := shopadapter.Explain(err)
		if e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide ||
			!strings.Contains(e.Message, vendure.ConfigLines) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

// TestACookieShop gives sessions as cookies alone, which is Vendure's default.
func TestACookieShop(t *testing.T) {
	a := open(t, settings(boot(t, vendureserver.Options{TokenMethod: "cookie"})), nil)
	if _, err := a.Check(t.Context()); err != nil {
		t.Error(err)
	}
	publish(t, a, laws.Sample("p", 2), shopadapter.AllFields)
}

// TestLaws holds the adapter to the conformance suite on the real server. The laws that repeat a
// scenario for every request and every fault take minutes here. The adapter's own tests hold the
// fake shop to them.
func TestLaws(t *testing.T) {
	server := boot(t, vendureserver.Options{})
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	leftOut := []string{"lost-answer", "fault-half-way", "image-once", "edit-not-invented", "cancel"}
	leftOut = append(leftOut, "adopted")            // the adapter takes over no product of the merchant's own
	leftOut = append(leftOut, "observed-reduction") // Vendure has no former price
	for _, law := range laws.Laws() {
		if slices.Contains(leftOut, law.ID) {
			continue
		}
		t.Run(law.ID, func(t *testing.T) {
			office := server.Backoffice()
			if err := office.Clear(t.Context()); err != nil {
				t.Fatal(err)
			}
			// Pictures stay in the library, so each law has some of its own.
			shop := vendureserver.Shop{
				Office: office, Pictures: vendureserver.NewPictures(t), Settings: settings(server), Transport: transport,
				Open:  func(o shopadapter.Options) (shopadapter.Adapter, error) { return vendure.Open(o) },
				Visit: server.Visit,
			}
			if err := law.Check(t.Context(), shop.Harness(t)); err != nil {
				t.Errorf("%s\n%v", law.Sentence, err)
			}
		})
	}
}
