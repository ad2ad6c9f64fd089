package medusa_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/medusa"
)

const (
	origin  = "https://medusa.example"
	fakeKey = "sk_0123456789abcdef0123456789abcdef"
)

// A fake is a Medusa in memory, held to answers that were recorded from a real one. It is an
// http.RoundTripper.
type fake struct {
	t testing.TB

	mu           sync.Mutex
	next         int
	products     []object
	categories   []object
	translations []object
	levels       map[string][]object  // by inventory item
	seen         map[string]laws.Seen // by product, until it changes
	calls        []string             // method and path, in order, of the adapter alone

	// What a test may change before it starts.
	store     object
	channels  []object
	locations []object
	profiles  []object
	// what the adapter is told of PUBSYNC_PRICE_VAT_PERCENT; a visitor pays 21 %
	vat         string
	inclusive   bool                            // prices include tax
	translation bool                            // the module is on
	rewrite     func(description string) string // as a hook of the owner's does
	levelled    bool                            // a hook of the owner's gives each new item a level of 0
	answer      func(r *http.Request) *http.Response
}

func newFake(t testing.TB) *fake {
	return &fake{
		t: t, levels: map[string][]object{}, seen: map[string]laws.Seen{}, inclusive: true, translation: true,
		store: object{
			"id": "store_1", "default_sales_channel_id": "sc_1", "default_location_id": nil,
			"supported_currencies": []any{object{"currency_code": "eur", "is_default": true}},
			"supported_locales":    []any{object{"locale_code": "en-US"}, object{"locale_code": "nl-NL"}},
		},
		channels:  []object{{"id": "sc_1", "name": "Default Sales Channel", "is_disabled": false}},
		locations: []object{{"id": "sloc_1", "name": "Warehouse", "sales_channels": []any{object{"id": "sc_1"}}}},
		profiles:  []object{{"id": "sp_1", "type": "default"}},
	}
}

// settings are the adapter's for this shop, with changes by name and value.
func (f *fake) settings(changes ...string) map[string]string {
	return with(
		map[string]string{"URL": origin, "TOKEN": fakeKey, "STOREFRONT_URL": "https://shop.example/products/{handle}"},
		changes...)
}

func with(s map[string]string, changes ...string) map[string]string {
	s = maps.Clone(s)
	for i := 0; i+1 < len(changes); i += 2 {
		s[changes[i]] = changes[i+1]
	}
	return s
}

func (f *fake) open(changes ...string) *medusa.Adapter {
	f.t.Helper()
	a, err := medusa.Open(
		shopadapter.Options{
			Settings:   f.settings(changes...),
			VATPercent: f.vat,
			HTTPClient: &http.Client{Transport: f},
		},
	)
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

// office is the owner's side. Its requests are not among the calls.
func (f *fake) office() *office {
	return &office{base: origin, key: fakeKey, client: &http.Client{Transport: owner{f}}}
}

type owner struct{ shop *fake }

func (o owner) RoundTrip(r *http.Request) (*http.Response, error) { return o.shop.serve(r) }

func (f *fake) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	f.calls = append(f.calls, r.Method+" "+r.URL.Path)
	answer := f.answer
	f.mu.Unlock()
	if answer != nil {
		if response := answer(r); response != nil {
			return response, nil
		}
	}
	return f.serve(r)
}

// observe is the owner's view of the fake without the detour over HTTP: the laws look often.
func (f *fake) observe(ctx context.Context) ([]laws.Seen, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := []laws.Seen{}
	for _, p := range f.products {
		id := text(p["id"])
		if _, known := f.seen[id]; !known {
			whole, err := json.Marshal(f.shown(p))
			if err != nil {
				return nil, err
			}
			var s shown
			if err := json.Unmarshal(whole, &s); err != nil {
				return nil, err
			}
			f.seen[id] = s.observed(f.taxOnTop())
		}
		all = append(all, f.seen[id])
	}
	return all, ctx.Err()
}

func (f *fake) taxOnTop() string {
	if f.inclusive {
		return ""
	}
	return f.vat
}

// took empties the list of calls and returns it.
func (f *fake) took() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := f.calls
	f.calls = nil
	return calls
}

// A refusal is an error that Medusa answers.
type refusal struct {
	status     int
	kind, text string
}

func refuse(format string, args ...any) {
	panic(refusal{http.StatusBadRequest, "invalid_data", fmt.Sprintf(format, args...)})
}

func absent(format string, args ...any) {
	panic(refusal{http.StatusNotFound, "not_found", fmt.Sprintf(format, args...)})
}

func (f *fake) serve(r *http.Request) (response *http.Response, err error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	text := []byte("{}")
	if r.Body != nil {
		if text, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
	}
	if user, _, _ := r.BasicAuth(); user != fakeKey {
		return respond(http.StatusUnauthorized, object{"message": "Unauthorized"}), nil
	}
	batch := strings.HasSuffix(r.URL.Path, "/batch")
	if len(text) > 100<<10 && !batch {
		return respond(
			http.StatusRequestEntityTooLarge,
			object{"message": "request entity too large", "type": "unknown_error"},
		), nil
	}
	var in object
	if len(text) > 0 && json.Unmarshal(text, &in) != nil {
		return respond(
			http.StatusBadRequest,
			object{"message": "Unexpected end of JSON input", "type": "invalid_data"},
		), nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	// What Medusa refuses it leaves undone: its workflows take back what they did.
	undo := f.copies(r)
	defer func() {
		if why, ok := recover().(refusal); ok {
			undo()
			response = respond(why.status, object{"type": why.kind, "message": why.text})
		}
	}()
	answer := f.route(r.Method, strings.TrimPrefix(r.URL.Path, "/admin/"), r.URL.Query(), in)
	if answer == nil {
		recorder := httptest.NewRecorder()
		recorder.Header().Set("Content-Type", "text/html; charset=utf-8")
		recorder.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(recorder, "<!DOCTYPE html>\n<pre>Cannot %s %s</pre>", r.Method, r.URL.Path)
		return recorder.Result(), nil
	}
	return respond(http.StatusOK, answer), nil
}

func respond(status int, answer object) *http.Response {
	recorder := httptest.NewRecorder()
	recorder.Header().Set("Content-Type", "application/json; charset=utf-8")
	recorder.WriteHeader(status)
	_ = json.NewEncoder(recorder).Encode(answer)
	return recorder.Result()
}

// copies keeps all that the request may change. undo puts it back.
func (f *fake) copies(r *http.Request) (undo func()) {
	if r.Method == http.MethodGet {
		return func() {}
	}
	products, categories, translations, levels := slices.Clone(f.products), slices.Clone(f.categories), slices.Clone(
		f.translations,
	), maps.Clone(f.levels)
	for i, p := range products {
		if !strings.Contains(r.URL.Path, text(p["id"])) {
			continue
		}
		delete(f.seen, text(p["id"]))
		whole, err := json.Marshal(p)
		products[i] = object{}
		if err != nil || json.Unmarshal(whole, &products[i]) != nil {
			f.t.Errorf("a product cannot be copied: %v", err)
		}
	}
	return func() {
		f.products, f.categories, f.translations, f.levels = products, categories, translations, levels
	}
}

// route is the answer to a request, nil where there is no such endpoint.
func (f *fake) route(method, path string, q url.Values, in object) object {
	parts := strings.Split(path, "/")
	key := method + " " + parts[0]
	switch len(parts) {
	case 1:
		switch key {
		case "GET stores":
			return page("stores", []object{f.store}, q)
		case "GET sales-channels":
			return page("sales_channels", f.channels, q)
		case "GET stock-locations":
			return page("stock_locations", f.locations, q)
		case "GET shipping-profiles":
			return page("shipping_profiles", filter(f.profiles, q, "type"), q)
		case "GET price-preferences":
			preference := object{
				"id":               "prpref_1",
				"attribute":        "currency_code",
				"value":            "eur",
				"is_tax_inclusive": f.inclusive,
			}
			return page("price_preferences", filter([]object{preference}, q, "attribute", "value"), q)
		case "GET feature-flags":
			return object{"feature_flags": object{"translation": f.translation}}
		case "GET product-categories":
			return page("product_categories", filter(f.categories, q, "handle"), q)
		case "POST product-categories":
			return object{"product_category": f.createCategory(in)}
		case "GET translations":
			if f.translation {
				return page("translations", filter(f.translations, q, "reference", "reference_id"), q)
			}
		case "GET products":
			return page("products", f.shownAll(filter(f.products, q, "external_id", "handle")), q)
		case "POST price-lists":
			strict(in, "title", "description", "type", "status", "prices")
			return object{"price_list": object{"id": f.id("plist")}} // its prices are none of the variants' own
		case "POST products":
			return object{"product": f.shown(f.createProduct(in))}
		}
	case 2:
		switch key + " " + parts[1] {
		case "POST translations batch":
			if f.translation {
				return f.translate(in)
			}
			return nil
		}
		switch key {
		case "GET products":
			return object{"product": f.shown(f.product(parts[1], "Product not found"))}
		case "POST products":
			return object{
				"product": f.shown(
					f.updateProduct(f.product(parts[1], `Product with id "`+parts[1]+`" not found`), in),
				),
			}
		case "POST product-options":
			f.rename(parts[1], "", in)
			return object{}
		case "DELETE products":
			f.products = slices.DeleteFunc(f.products, func(p object) bool { return p["id"] == parts[1] })
			return object{"id": parts[1], "object": "product", "deleted": true}
		}
	case 3:
		if path == "inventory-items/location-levels/batch" && method == http.MethodPost {
			return f.stock(in)
		}
	case 4:
		if parts[0] == "product-options" && parts[2] == "values" && method == http.MethodPost {
			f.rename(parts[1], parts[3], in)
			return object{}
		}
		if parts[0] == "products" && parts[3] == "batch" && method == http.MethodPost {
			p := f.product(parts[1], "Product not found")
			switch parts[2] {
			case "variants":
				return f.batchVariants(p, in)
			case "options":
				f.batchOptions(p, in)
				return object{"product": f.shown(p)}
			}
		}
	}
	return nil
}

// filter keeps what has the values that the query asks for: name=value, or one of name[0]=value,
// name[1]=value and so on.
func filter(list []object, q url.Values, names ...string) []object {
	asked := map[string][]any{}
	for member, values := range q {
		name, _, _ := strings.Cut(member, "[")
		asked[name] = append(asked[name], values[0])
	}
	return slices.DeleteFunc(slices.Clone(list), func(o object) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return len(asked[name]) > 0 && !slices.Contains(asked[name], o[name])
		})
	})
}

// now is the shop's clock, as Medusa writes it.
func now() string { return time.Now().UTC().Format(time.RFC3339Nano) }

func page(name string, list []object, q url.Values) object {
	offset, _ := strconv.Atoi(q.Get("offset"))
	limit, err := strconv.Atoi(q.Get("limit"))
	if err != nil {
		limit = 50
	}
	some := list[min(offset, len(list)):min(offset+limit, len(list))]
	return object{name: append([]object{}, some...), "count": len(list), "offset": offset, "limit": limit}
}

// id makes a new one; ids rise, as Medusa's do.
func (f *fake) id(prefix string) string {
	f.next++
	return fmt.Sprintf("%s_%026d", prefix, f.next)
}

// strict refuses members that Medusa does not know.
func strict(in object, known ...string) {
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if !slices.Contains(known, name) {
			refuse("Invalid request: Unrecognized fields: '%s'", name)
		}
	}
}

// objects is a list of objects; none where there is no list.
func objects(list any) []object {
	var all []object
	items, _ := list.([]any)
	for _, item := range items {
		all = append(all, item.(object))
	}
	return all
}

func words(list any) []string {
	var all []string
	items, _ := list.([]any)
	for _, item := range items {
		all = append(all, item.(string))
	}
	return all
}

func text(value any) string {
	s, _ := value.(string)
	return s
}
