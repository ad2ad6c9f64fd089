package shopify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/graphqlfake"
	"github.com/pubsync/pubsync/shopadapter/shopify"
)

const token = `shpat_0123"456789abcdef`

// A fakeShop is a Shopify store in memory. It validates every document and every variable against
// Shopify's schema, charges for them, and does what the documentation says of productSet: lists are
// replaced, products are found by a custom id, pictures are processed in the background. It is an
// http.RoundTripper.
type fakeShop struct {
	t      testing.TB
	schema *graphqlfake.Schema

	mu   sync.Mutex
	next int

	products  []*fakeProduct
	defined   string // type of the metafield definition, "" for none
	jobs      map[string]*fakeJob
	uploads   int               // pictures that were fetched and are good
	tried     int               // pictures that the shop was asked to fetch
	gone      map[string]bool   // ids of pictures that were deleted from the files
	silent    map[string]bool   // addresses of pictures whose servers never answer
	faults    map[string]string // MediaErrorCode of what is at an address; "": it is good
	calls     []string          // operations, in order
	spent     float64           // points charged
	throttled int
	level     float64 // points in the bucket
	filled    time.Time

	watch func(*ast.OperationDefinition, map[string]any)

	// What a test may change before it starts.
	limit, rate  float64 // of the bucket
	token        string
	version      string // that is served
	scopes       []string
	locations    []object
	primary      string // id of the primary location
	publications []object
	locales      []object
	mostVariants int
	currency     string
	taxesOnTop   bool                 // prices do not include them; a customer pays 21 %
	vat          string               // what the adapter is told of PUBSYNC_PRICE_VAT_PERCENT
	processing   func() time.Duration // how long a new picture takes; nil: until it is looked at
	afterSet     func(*fakeProduct)
	rewrite      func(description string) string // as an app that tidies texts does
	answer       func(operation string) *http.Response
	dearer       float64 // what an observation costs is multiplied by, 0: by one
	latency      func(operation string, variants int) time.Duration
}

const (
	publicationID = "gid://shopify/Publication/1"
	locationID    = "gid://shopify/Location/1"
)

func newFakeShop(t testing.TB) *fakeShop {
	t.Helper()
	f := &fakeShop{
		t: t, schema: graphqlfake.New(loadSchema(t)), jobs: map[string]*fakeJob{}, faults: map[string]string{},
		limit: 1e9, rate: 1e9, level: 1e9, filled: time.Now(), token: token, version: "2026-07", mostVariants: 2048,
		currency: "EUR",
		scopes: []string{
			"write_products", "write_inventory", "read_locations", "read_publications", "write_publications", "read_locales",
			"write_translations",
		},
		locations: []object{{"__typename": "Location", "id": locationID, "name": "Warehouse"}}, primary: locationID,
		publications: []object{
			{"__typename": "Publication", "id": "gid://shopify/Publication/2", "name": "Point of Sale", "catalog": nil},
			{"__typename": "Publication", "id": publicationID, "name": "Webshop", "catalog": object{
				"__typename": "AppCatalog", "title": "Webshop", "apps": func(arguments) any {
					return object{"nodes": []object{{"handle": "online_store", "title": "Webshop"}}}
				},
			}},
		},
		locales: []object{{"locale": "en", "primary": true}},
	}
	f.schema.Check = f.fits
	return f
}

// settings are the adapter's for a store at an address that only this transport knows.
func settings(more ...string) map[string]string {
	s := map[string]string{"STORE": "lamps", "TOKEN": token}
	for i := 0; i+1 < len(more); i += 2 {
		s[more[i]] = more[i+1]
	}
	return s
}

func (f *fakeShop) open(t testing.TB, more ...string) *shopify.Adapter {
	t.Helper()
	a, err := f.openOver(f, more...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (f *fakeShop) openOver(transport http.RoundTripper, more ...string) (*shopify.Adapter, error) {
	a, err := shopify.Open(
		shopadapter.Options{
			Settings:   settings(more...),
			VATPercent: f.vat,
			HTTPClient: &http.Client{Transport: transport},
		},
	)
	if err != nil {
		return nil, err
	}
	a.SetWaits(0, 0, 0)
	a.SetTry(f.try)
	return a, nil
}

// openPatient is open with the adapter's own waits.
func (f *fakeShop) openPatient() (*shopify.Adapter, error) {
	a, err := shopify.Open(shopadapter.Options{Settings: settings(), HTTPClient: &http.Client{Transport: f}})
	if err == nil {
		a.SetTry(f.try)
	}
	return a, err
}

// try is what asking for pictures from here tells.
func (f *fakeShop) try(_ context.Context, addresses []string) map[string]error {
	f.mu.Lock()
	defer f.mu.Unlock()
	failed := map[string]error{}
	for _, address := range addresses {
		if f.silent[address] {
			failed[address] = errors.New("its server did not answer within 10s")
		}
	}
	return failed
}

func (f *fakeShop) openLogging(t testing.TB, log io.Writer) *shopify.Adapter {
	t.Helper()
	a, err := shopify.Open(shopadapter.Options{
		Settings: settings(), HTTPClient: &http.Client{Transport: f}, Logger: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	a.SetTry(f.try)
	a.SetWaits(0, 0, 0)
	return a
}

// took empties the list of calls and returns it.
func (f *fakeShop) took() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := f.calls
	f.calls = nil
	return calls
}

func (f *fakeShop) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	if r.URL.Path != "/admin/api/2026-07/graphql.json" && r.URL.Path != "/admin/api/"+f.version+"/graphql.json" ||
		r.URL.Host != "lamps.myshopify.com" {
		f.mu.Unlock()
		return respond(http.StatusNotFound, `{"errors":"Not Found"}`, nil), nil
	}
	if r.Header.Get("X-Shopify-Access-Token") != f.token {
		f.mu.Unlock()
		return respond(
			http.StatusUnauthorized,
			`{"errors":"[API] Invalid API key or access token (unrecognized login or wrong password)"}`,
			nil,
		), nil
	}
	var asked struct {
		Query         string         `json:"query"`
		OperationName string         `json:"operationName"`
		Variables     map[string]any `json:"variables"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		f.mu.Unlock()
		return respond(http.StatusBadRequest, `{"errors":"Required parameter missing or invalid"}`, nil), nil
	}
	recordRequest(body)
	name := asked.OperationName
	f.calls = append(f.calls, name)
	if f.answer != nil {
		if response := f.answer(name); response != nil {
			f.mu.Unlock()
			return response, nil
		}
	}
	answer := f.run(asked.Query, name, asked.Variables)
	latency := f.latency
	f.mu.Unlock()
	if latency != nil {
		timer := time.NewTimer(latency(name, variantsIn(asked.Variables)))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		f.t.Errorf("the fake cannot encode its answer: %v", err)
	}
	return respond(http.StatusOK, string(text), http.Header{"X-Shopify-Api-Version": {f.version}}), nil
}

func variantsIn(variables map[string]any) int {
	set, _ := variables["set"].(map[string]any)
	list, _ := set["variants"].([]any)
	return len(list)
}

func respond(status int, body string, header http.Header) *http.Response {
	h := maps.Clone(header)
	if h == nil {
		h = http.Header{}
	}
	h.Set("Content-Type", "application/json; charset=utf-8")
	return &http.Response{
		StatusCode: status, Status: fmt.Sprint(status, " ", http.StatusText(status)), Header: h, Proto: "HTTP/1.1",
		ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body)),
	}
}

// id makes a new one of a kind.
func (f *fakeShop) id(kind string) string {
	f.next++
	return fmt.Sprintf("gid://shopify/%s/%d", kind, f.next)
}

func (f *fakeShop) find(id string) *fakeProduct {
	if i := slices.IndexFunc(f.products, func(p *fakeProduct) bool { return p.id == id }); i >= 0 {
		return f.products[i]
	}
	return nil
}

// findVariant is a variant and its product.
func (f *fakeShop) findVariant(id string) (*fakeProduct, *fakeVariant) {
	for _, p := range f.products {
		if i := slices.IndexFunc(p.variants, func(v *fakeVariant) bool { return v.id == id }); i >= 0 {
			return p, p.variants[i]
		}
	}
	return nil, nil
}

// findByKey is the product whose custom id this is. Like a database that compares without regard to
// case, it takes a for A.
func (f *fakeShop) findByKey(key string) *fakeProduct {
	for _, p := range f.products {
		if strings.EqualFold(p.metafields["pubsync.publication"], key) {
			return p
		}
	}
	return nil
}
