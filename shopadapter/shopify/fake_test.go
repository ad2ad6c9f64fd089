package shopify_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/shopify"
)

const (
	token         = `shpat_0123"456789abcdef`
	publicationID = "gid://shopify/Publication/1"
	locationID    = "gid://shopify/Location/1"
	storeName     = "The Lamp Shop" // the vendor of a product that was given none
	prunedFile    = "testdata/admin.graphql"
)

// A fakeShop is a Shopify store in memory. It validates each request, charges for it, and does what
// the documentation says of productSet: lists are replaced, products are found by a custom id,
// pictures are processed in the background. It is an http.RoundTripper.
type fakeShop struct {
	t      testing.TB
	schema *graphSchema

	mu        sync.Mutex
	next      int
	products  []*fakeProduct
	defined   string // type of the metafield definition, "" for none
	jobs      map[string]*fakeJob
	uploads   int               // pictures that were fetched and are good
	tried     int               // pictures that the shop was asked to fetch
	silent    map[string]bool   // addresses of pictures whose servers never answer
	faults    map[string]string // MediaErrorCode of what is at an address; "": it is good
	calls     []string          // operations, in order
	spent     float64           // points charged
	throttled int
	level     float64 // points in the bucket
	filled    time.Time
	watch     func(*ast.OperationDefinition, map[string]any)

	// What a test may change before it starts.
	limit, rate  float64 // of the bucket
	token        string
	version      string // that is served
	scopes       []string
	locations    []object
	primary      string // id of the primary location
	publications []object
	locales      []object
	currency     string
	taxesOnTop   bool                            // prices do not include them; a customer pays 21 %
	vat          string                          // what the adapter is told of PUBSYNC_PRICE_VAT_PERCENT
	processing   func() time.Duration            // how long a new picture takes; nil: until it is looked at
	rewrite      func(description string) string // as an app that tidies texts does
	answer       func(operation string) *http.Response
	dearer       float64 // what a list costs is multiplied by, 0: by one
	latency      func(operation string, variants int) time.Duration
}

var prunedSchema = sync.OnceValues(func() (*ast.Schema, error) {
	sdl, err := os.ReadFile(prunedFile)
	if err != nil {
		return nil, err
	}
	return gqlparser.LoadSchema(&ast.Source{Name: prunedFile, Input: string(sdl)})
})

func loadSchema(t testing.TB) *ast.Schema {
	t.Helper()
	schema, err := prunedSchema()
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func newFakeShop(t testing.TB) *fakeShop {
	t.Helper()
	f := &fakeShop{
		t: t, schema: newGraphSchema(loadSchema(t)), jobs: map[string]*fakeJob{}, faults: map[string]string{},
		limit: 1e9, rate: 1e9, level: 1e9, filled: time.Now(), token: token, version: "2026-07",
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

// with is an adapter over a client, that waits for no picture.
func (f *fakeShop) with(client *http.Client, log *slog.Logger, more ...string) (*shopify.Adapter, error) {
	a, err := shopify.Open(shopadapter.Options{
		Settings: settings(more...), VATPercent: f.vat, HTTPClient: client, Logger: log,
	})
	if err != nil {
		return nil, err
	}
	a.SetTry(f.try)
	a.SetWaits(0, 0, 0)
	return a, nil
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
	return f.with(&http.Client{Transport: transport}, nil, more...)
}

// openPatient is an adapter with its own waits, and a client that waits ten seconds for an answer.
func (f *fakeShop) openPatient(t testing.TB) *shopify.Adapter {
	t.Helper()
	a, err := shopify.Open(shopadapter.Options{
		Settings: settings(), HTTPClient: &http.Client{Transport: f, Timeout: 10 * time.Second},
	})
	if err != nil {
		t.Fatal(err)
	}
	a.SetTry(f.try)
	return a
}

// try is what asking for pictures from here tells.
func (f *fakeShop) try(_ context.Context, addresses []string) map[string]error {
	f.mu.Lock()
	defer f.mu.Unlock()
	failed := map[string]error{}
	for _, address := range addresses {
		if f.silent[address] {
			failed[address] = errors.New("its server did not answer within 10s")
		} else if !strings.HasPrefix(address, "https://") {
			failed[address] = fmt.Errorf("the address is not http or https: %w", kit.ErrUnfit)
		}
	}
	return failed
}

// took empties the list of calls and returns it.
func (f *fakeShop) took() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := f.calls
	f.calls = nil
	return calls
}

func respond(status int, body string, header http.Header) *http.Response {
	h := header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set("Content-Type", "application/json; charset=utf-8")
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
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
	var asked struct {
		Query         string
		OperationName string
		Variables     map[string]any
	}
	f.mu.Lock()
	var refused *http.Response
	switch {
	case !strings.HasSuffix(r.URL.Path, "/admin/api/2026-07/graphql.json") || r.URL.Host == "lanterns.myshopify.com":
		refused = respond(http.StatusNotFound, `{"errors":"Not Found"}`, nil)
	case r.Header.Get("X-Shopify-Access-Token") != f.token:
		refused = respond(http.StatusUnauthorized, `{"errors":"[API] Invalid API key or access token"}`, nil)
	case json.Unmarshal(body, &asked) != nil:
		refused = respond(http.StatusBadRequest, `{"errors":"Required parameter missing or invalid"}`, nil)
	default:
		recordRequest(body)
		f.calls = append(f.calls, asked.OperationName)
		if f.answer != nil {
			refused = f.answer(asked.OperationName)
		}
	}
	if refused != nil {
		f.mu.Unlock()
		return refused, nil
	}
	answer := f.run(asked.Query, asked.OperationName, asked.Variables)
	latency := f.latency
	f.mu.Unlock()
	if latency != nil {
		set, _ := asked.Variables["set"].(map[string]any)
		variants, _ := set["variants"].([]any)
		select {
		case <-time.After(latency(asked.OperationName, len(variants))):
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

// run answers one request, and charges for it. A request that is not valid fails the test: the
// adapter must send none.
func (f *fakeShop) run(query, name string, raw map[string]any) object {
	document, err := f.schema.Document(query)
	if err != nil {
		f.t.Errorf("an invalid document: %v\n%s", err, query)
		return failed(faultf("undefinedField", "%v", err))
	}
	operation := document.Operations.ForName(name)
	if operation == nil {
		f.t.Errorf("the document has no operation named %q:\n%s", name, query)
		return failed(faultf("", "No operation named %q", name))
	}
	variables, err := validator.VariableValues(f.schema.Schema, operation, raw)
	if err != nil {
		f.t.Errorf("invalid variables: %v", err)
		return failed(faultf("INVALID_VARIABLE", "%v", err))
	}
	if f.watch != nil {
		f.watch(operation, raw)
	}
	requested := math.Ceil(cost(operation.SelectionSet, variables, nil) + inputCost(raw))
	if f.dearer > 0 && (name == "Observe" || name == "Stock") {
		requested = math.Ceil(f.dearer * requested)
	}
	now := time.Now()
	f.level, f.filled = min(f.limit, f.level+now.Sub(f.filled).Seconds()*f.rate), now
	bill := object{"requestedQueryCost": requested, "actualQueryCost": nil, "throttleStatus": f.status()}
	if requested > 1000 {
		return failed(faultf("MAX_COST_EXCEEDED",
			"Query cost is %g, which exceeds the single query max cost limit (1000).", requested))
	}
	if requested > f.level {
		f.throttled++
		answer := failed(faultf("THROTTLED", "Throttled"))
		answer["extensions"] = object{"cost": bill}
		return answer
	}
	answer := object{"extensions": object{"cost": bill}}
	data := object{}
	for _, field := range selected(operation.SelectionSet, nil) {
		value, err := f.resolve(field.Name, field.ArgumentMap(variables))
		if err == nil {
			value, err = f.schema.Project(value, field.SelectionSet, variables)
		}
		if err == nil {
			f.fits(field, value)
		} else {
			answer["errors"], value = failed(err)["errors"], nil
		}
		data[field.Alias] = value
	}
	actual := min(math.Ceil(cost(operation.SelectionSet, variables, data)+inputCost(raw)), requested)
	f.level -= actual
	f.spent += actual
	answer["data"], bill["actualQueryCost"], bill["throttleStatus"] = data, actual, f.status()
	return answer
}

func (f *fakeShop) status() object {
	return object{"maximumAvailable": f.limit, "currentlyAvailable": math.Floor(f.level), "restoreRate": f.rate}
}

// fits tells the test of a value that Shopify's schema does not let a field have: null where there
// is none, an unknown value of an enumeration.
func (f *fakeShop) fits(field *ast.Field, value any) {
	t := field.Definition.Type
	if value == nil && t.NonNull {
		f.t.Errorf("the fake answers null for %s.%s, which is %s", field.ObjectDefinition.Name, field.Name, t)
	}
	definition := f.schema.Types[t.Name()]
	if text, ok := value.(string); ok && definition.Kind == ast.Enum && definition.EnumValues.ForName(text) == nil {
		f.t.Errorf("the fake answers %q for %s.%s, which is no %s", text, field.ObjectDefinition.Name, field.Name, t)
	}
}

// cost is what a selection may cost: a mutation 10, an object 1, a connection as many objects as it
// may hold. actual, where it is given, says how many a connection did hold. A mutation that was
// refused is charged all the same.
func cost(selection ast.SelectionSet, variables map[string]any, actual any) float64 {
	total := 0.0
	data, _ := actual.(object)
	for _, field := range selected(selection, nil) {
		inner, each, times := data[field.Alias], 1.0, 1.0
		if field.ObjectDefinition.Name == "Mutation" {
			each = 10
		}
		switch list, ok := inner.([]any); {
		case len(field.SelectionSet) == 0, field.Name == "pageInfo":
		case actual != nil && inner == nil && each > 1:
			total += each
		case actual != nil && inner == nil:
		case ok:
			for _, item := range list {
				total += each + cost(field.SelectionSet, variables, item)
			}
		default:
			if first := field.ArgumentMap(variables)["first"]; actual == nil && first != nil {
				times = number(first)
			}
			total += each + times*cost(field.SelectionSet, variables, inner)
		}
	}
	return total
}

// inputCost is what the schema's descriptions say of the input of productSet.
func inputCost(variables map[string]any) float64 {
	set, _ := variables["set"].(map[string]any)
	variants, files := list(set, "variants"), list(set, "files")
	metafields := len(list(set, "metafields"))
	for _, v := range variants {
		metafields += len(list(v.(map[string]any), "metafields"))
	}
	return 0.2*float64(len(variants)) + 1.9*float64(len(files)) + 0.4*float64(metafields)
}

func list(in map[string]any, name string) []any {
	all, _ := in[name].([]any)
	return all
}

func number(v any) float64 {
	n, err := json.Number(fmt.Sprint(v)).Float64()
	if err != nil {
		return 0
	}
	return n
}
