package e2e_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
	"github.com/pubsync/pubsync/shopadapter/shopify"
	"github.com/pubsync/pubsync/shopadapter/shopify/internal/shopifyserver"
)

// TestAVersionThatLacksSomething is named by the check, which changes nothing.
func TestAVersionThatLacksSomething(t *testing.T) {
	t.Parallel()
	server := boot(t)
	without := []string{
		"ProductSetInput.files", "Mutation.productSet(synchronous:)", "Product.publishedOnPublication", "ProductStatus.DRAFT",
		"Mutation.publishablePublish",
		"ProductVariantSetInput.price",
	}
	shop := server.Open(t, map[string]any{"without": without})
	err := open(t, shop).Check(t.Context())
	e := shopadapter.Explain(err)
	if e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide || !strings.Contains(e.Message, "2026-07") ||
		!strings.Contains(e.Message, "and 1 more") {
		t.Fatalf("the check says: %v", err)
	}
	named := 0
	for _, name := range without {
		if strings.Contains(e.Message, name) {
			named++
		}
	}
	if named != 5 {
		t.Errorf("of %v it names %d: %v", without, named, err)
	}
	innocent(t, shop)
}

// TestVersions holds the check to graphql-js for each version of the API whose schema Shopify
// publishes: it passes where every request of a listing's life is valid, and nowhere else.
func TestVersions(t *testing.T) {
	t.Parallel()
	server := boot(t)
	older, newer := recordLife(t, server, "2026-04"), recordLife(t, server, "2026-07")
	for _, version := range []string{"2025-10", "2026-01", "2026-04", "2026-07", "2026-10", "unstable"} {
		recorded := newer
		if version < "2026-07" { // which do not tell of a single variant whether it is on sale
			recorded = older
		}
		faults, err := server.Judge(t.Context(), version, recorded)
		if err != nil {
			t.Fatal(err)
		}
		wrong := strings.Join(faults, "")
		err = open(t, server.Open(t, nil), "API_VERSION", version).Check(t.Context())
		t.Logf("version %s: graphql-js says %q, the check says %v", version, wrong, err)
		if (wrong == "") != (err == nil) {
			t.Errorf("version %s: graphql-js says %q, the check says %v", version, wrong, err)
		}
		if err != nil && !strings.Contains(err.Error(), "version "+version+" of Shopify lacks") {
			t.Errorf("version %s: the check says %v", version, err)
		}
	}
	retired := open(t, server.Open(t, nil), "API_VERSION", "2024-01").Check(t.Context())
	if e := shopadapter.Explain(retired); e == nil || e.Kind != shopadapter.Blocked ||
		!strings.Contains(e.Message, "API_VERSION") {
		t.Errorf("a retired version: %v", retired)
	}
}

// recordLife is every request of a listing's life, from the check to the deletion.
// The adapter is set to a version.
func recordLife(t *testing.T, server *shopifyserver.Server, version string) []shopifyserver.Request {
	t.Helper()
	shop := server.Open(
		t,
		map[string]any{"locales": []shopifyserver.Locale{{Locale: "en", Primary: true}, {Locale: "nl"}}},
	)
	r := &recorder{next: &http.Transport{}}
	t.Cleanup(r.next.CloseIdleConnections)
	a, err := shopify.Open(shopadapter.Options{
		Settings: shop.Settings("API_VERSION", version), HTTPClient: &http.Client{Transport: r},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := shopadaptertest.Sample("lamp", 3)
	p.Translations["nl"] = shopadapter.Translation{Title: "Leeslamp", Description: "<p>Een lamp.</p>"}
	shop.LosePicture(p.Images[1])
	ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	p = shopadaptertest.Revise(p, 1)
	ref, l := publish(t, a, ref, p, shopadapter.AllFields)
	if _, err := a.Restock(
		t.Context(), ref, shopadapter.FiguresOf(p.Variants), shopadapter.FieldPrice|shopadapter.FieldStock,
	); err != nil {
		t.Error(err)
	}
	for _, err := range a.Listings(t.Context()) {
		if err != nil {
			t.Error(err)
		}
	}
	for _, what := range []shopadapter.Observation{{}, {Refs: []shopadapter.Ref{ref}}, {Since: time.Now()}} {
		for _, err := range a.Observe(t.Context(), what) {
			if err != nil {
				t.Error(err)
			}
		}
	}
	off := map[string]any{"off": []string{shopifyserver.OnlineStore}}
	if err := shop.ChangeVariant(t.Context(), ref.Listing, l.Variants[p.Variants[1].ID], off); err != nil {
		t.Error(err)
	}
	ref.Revive = true
	ref, _ = publish(t, a, ref, p, shopadapter.FieldVariants)
	for _, how := range []shopadapter.Removal{shopadapter.TakeOffline, shopadapter.Delete} {
		if err := a.Unpublish(t.Context(), ref, how); err != nil {
			t.Error(err)
		}
	}
	innocent(t, shop)
	return r.list
}

// A recorder keeps the requests that pass through it.
type recorder struct {
	next *http.Transport

	mu   sync.Mutex
	list []shopifyserver.Request
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	_ = request.Body.Close()
	if err != nil {
		return nil, err
	}
	var asked shopifyserver.Request
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.list = append(r.list, asked)
	r.mu.Unlock()
	request = request.Clone(request.Context())
	request.Body = io.NopCloser(bytes.NewReader(body))
	return r.next.RoundTrip(request)
}
