package vendure_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/graphqlfake"
	"github.com/pubsync/pubsync/shopadapter/vendure"
	"github.com/pubsync/pubsync/shopadapter/vendure/internal/vendureserver"
)

const (
	username = "connector"
	password = "s3cret-pa55word"
)

// A fakeShop is a Vendure in memory. It validates every document and its variables against the real
// server's schema, and does what the real one was seen to do, oddities included. It is an
// http.RoundTripper.
type fakeShop struct {
	t      testing.TB
	schema *graphqlfake.Schema

	mu     sync.Mutex
	next   int
	tokens map[string]bool

	products []*fakeProduct
	groups   []*fakeGroup
	assets   []*fakeAsset
	facets   []*fakeFacet
	calls    []string // the operations that were asked for, in order

	// What a test may change before it starts.
	channel     object
	rights      []string
	cookiesOnly bool
	noTaxZone   bool
	precision   int
	global      object // settings for variants without their own
	// what the adapter is told of PUBSYNC_PRICE_VAT_PERCENT; visitors pay 21 %
	vat          string
	shed         bool                            // each variant is stocked at a second location
	refusedPrice int                             // a price that a plugin does not take, 0 for none
	rewrite      func(description string) string // as a plugin that cleans up text does
	uploadFails  func(name string) (code string)
	answer       func(operation string) *http.Response // in the shop's place, nil to go on
}

func newFakeShop(t testing.TB) *fakeShop {
	t.Helper()
	return newFakeShopWith(t, func(sdl string) string { return sdl })
}

func newFakeShopWith(t testing.TB, edit func(sdl string) string) *fakeShop {
	t.Helper()
	sdl, err := os.ReadFile("testdata/admin.graphql")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "admin.graphql", Input: edit(string(sdl))})
	if err != nil {
		t.Fatal(err)
	}
	return &fakeShop{
		t: t, schema: graphqlfake.New(schema), tokens: map[string]bool{},
		rights: []string{"CreateCatalog", "ReadCatalog", "UpdateCatalog", "DeleteCatalog"}, precision: 2,
		global: object{"trackInventory": true, "outOfStockThreshold": 0},
		channel: object{
			"token": "default-channel", "defaultLanguageCode": "en", "availableLanguageCodes": []any{"en", "nl"},
			"defaultCurrencyCode": "EUR",
			"defaultTaxZone":      object{"id": "1"}, "pricesIncludeTax": true,
		},
	}
}

// withoutCustomFields is the schema of a Vendure whose owner has not added pubsync's lines.
func withoutCustomFields(sdl string) string {
	var lines []string
	for _, line := range strings.Split(sdl, "\n") {
		switch {
		case strings.Contains(line, "pubsync") && !strings.HasPrefix(line, "#"):
			line = "  none: String"
		case strings.HasPrefix(line, "  customFields: ") && !strings.Contains(line, "JSON"):
			line = "  customFields: JSON"
		}
		if line == "  none: String" && len(lines) > 0 && lines[len(lines)-1] == line {
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// settings are the adapter's for a shop at an address that only this transport knows.
func settings(more ...string) map[string]string {
	s := map[string]string{
		"URL": "https://vendure.example", "USERNAME": username, "PASSWORD": password,
		"STOREFRONT_URL": "https://shop.example/product/{slug}",
		"IMAGE_HOSTS":    "127.0.0.1",
	}
	for i := 0; i+1 < len(more); i += 2 {
		s[more[i]] = more[i+1]
	}
	return s
}

func (f *fakeShop) open(t testing.TB, more ...string) *vendure.Adapter {
	t.Helper()
	a, err := vendure.Open(
		shopadapter.Options{Settings: settings(more...), VATPercent: f.vat, HTTPClient: &http.Client{Transport: f}},
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// office is the owner's side. Its requests are not among the calls.
func (f *fakeShop) office() *vendureserver.Backoffice {
	return vendureserver.NewBackoffice(
		"https://vendure.example/admin-api",
		username,
		password,
		&http.Client{Transport: owner{f}},
	)
}

type owner struct{ shop *fakeShop }

func (o owner) RoundTrip(r *http.Request) (*http.Response, error) {
	return o.shop.serve(r, false)
}

func (f *fakeShop) RoundTrip(r *http.Request) (*http.Response, error) {
	return f.serve(r, true)
}

// took empties the list of calls and returns it.
func (f *fakeShop) took() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := f.calls
	f.calls = nil
	return calls
}

// expire makes the shop forget every session.
func (f *fakeShop) expire() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tokens = map[string]bool{}
}

type request struct {
	Query     string         `json:"query"`
	Variables map[string]any `json:"variables"`

	files map[string]*multipart.FileHeader // by the name of their part
}

func (f *fakeShop) serve(r *http.Request, recorded bool) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if r.URL.Path != "/admin-api" {
		return respond(http.StatusNotFound, "text/html", "<p>Not Found", nil), nil
	}
	body, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	if err != nil {
		return nil, err
	}
	var asked request
	if kind, parameters, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "multipart/form-data" {
		if asked, err = readForm(body, parameters["boundary"]); err != nil ||
			r.Header.Get("Apollo-Require-Preflight") == "" {
			return respond(
				http.StatusBadRequest,
				"application/json",
				`{"errors":[{"message":"blocked as a potential CSRF"}]}`,
				nil,
			), nil
		}
	} else if len(body) > 100*1024 {
		return respond(http.StatusInternalServerError, "application/json", `{"statusCode":500,"message":""}`, nil), nil
	} else if err := json.Unmarshal(body, &asked); err != nil {
		return respond(http.StatusBadRequest, "application/json", `{"errors":[{"message":"the body is not JSON"}]}`, nil), nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	name := operationName(asked.Query)
	if recorded {
		f.calls = append(f.calls, name)
		if f.answer != nil {
			if response := f.answer(name); response != nil {
				return response, nil
			}
		}
	}
	header := http.Header{}
	status, answer := f.run(r, asked, header)
	text, err := json.Marshal(answer)
	if err != nil {
		f.t.Errorf("the fake cannot encode its answer: %v", err)
	}
	return respond(status, "application/json", string(text), header), nil
}

func readForm(body []byte, boundary string) (request, error) {
	form, err := multipart.NewReader(bytes.NewReader(body), boundary).ReadForm(32 << 20)
	if err != nil {
		return request{}, err
	}
	var asked request
	if err := json.Unmarshal([]byte(form.Value["operations"][0]), &asked); err != nil {
		return request{}, err
	}
	var places map[string][]string
	if err := json.Unmarshal([]byte(form.Value["map"][0]), &places); err != nil {
		return request{}, err
	}
	asked.files = map[string]*multipart.FileHeader{}
	for part, paths := range places {
		if len(paths) != 1 || paths[0] != "variables.input."+part+".file" || len(form.File[part]) != 1 {
			return request{}, fmt.Errorf("a file without its place: %v", places)
		}
		asked.files[part] = form.File[part][0]
	}
	// The schema wants a file in the place of the null; the scalar is anything.
	for _, in := range asked.Variables["input"].([]any) {
		in.(map[string]any)["file"] = "file"
	}
	return asked, nil
}

func respond(status int, kind, body string, header http.Header) *http.Response {
	recorder := httptest.NewRecorder()
	for name, values := range header {
		recorder.Header()[name] = values
	}
	recorder.Header().Set("Content-Type", kind)
	recorder.WriteHeader(status)
	_, _ = recorder.WriteString(body)
	return recorder.Result()
}

// operationName is the word after the document's first keyword.
func operationName(document string) string {
	fields := strings.FieldsFunc(document, func(r rune) bool { return strings.ContainsRune(" ({\n", r) })
	if len(fields) < 2 {
		return document
	}
	return fields[1]
}

// id makes a new one; ids rise, as a database's do.
func (f *fakeShop) id() string {
	f.next++
	return fmt.Sprint(f.next)
}
