package woocommerce

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	testKey    = "ck_1f6c9a_key"
	testSecret = "cs_77b0de_secret"
	shopURL    = "https://shop.example.com"
)

// A fakeShop is a WooCommerce in this process. It does what a real one was seen to do, above all
// the unexpected; the comments name each such habit where it lives. It is a transport: a request
// sent through it is executed even when its client is gone.
type fakeShop struct {
	mu         sync.Mutex
	posts      map[int64]*post
	lookup     map[string]int64 // the lookup table of SKUs, lower case: also those of the trash
	media      map[int64]*attachment
	categories []map[string]any
	globals    map[int64]string      // the names of the global attributes
	terms      map[int64][]*fakeTerm // their values
	nextPost   int64
	uploads    int
	made       map[string]int // how often a variation of a SKU was made
	log        []string       // method and path of each request, in the order of arrival
	nonces     map[string]bool
	running    sync.WaitGroup

	complaints map[string]int // what the recorded schemas have against the requests
	lenient    bool           // requests are not held to the schemas by more than a shop does

	base     string
	broken   bool // refuses every key
	readOnly bool
	currency string // "": the key's user may not see the settings
	taxes    bool   // are calculated, at 21 % for a visitor
	exclude  bool   // prices are entered without them
	vat      string // what the adapter is told of PUBSYNC_PRICE_VAT_PERCENT
	bare     bool   // permalinks are on Plain
	nginx    bool   // and the web server passes every address on: WordPress shows its front page, or leads there
	mute     bool   // and nothing of the REST API shows, by any address
	leads    bool   // it leads there
	home     string // the Site Address of its settings; "": base
	notice   string // what PHP writes before each answer
	library  bool   // a security plugin closes the media library to strangers
	upkeep   bool   // .maintenance is there, during an update
	without  bool   // WooCommerce is not active
	foreign  bool   // not a WordPress at all
	blocked  bool   // a security plugin closes the REST API
	firewall bool

	refuseSKU   string                         // prefix of the SKUs that a plugin refuses
	refuseTitle string                         // prefix of the titles that a plugin refuses
	refusePrice string                         // a price that a plugin refuses
	rewrite     func(name string) string       // a plugin that changes names
	badPicture  func(src string) string        // why a picture cannot be had, "" for a good one
	work        func(kind string, items int)   // takes as long as the shop does
	dies        func(at string) bool           // PHP dies at this point of a write
	before      func(*http.Request, int) error // sees each request with its number
	// the addresses of variations begin with something else than that of their product
	stray   bool
	noTerms bool // the key's user may not make categories
	// a plugin has it leave out the pictures that it cannot load
	// (woocommerce_rest_suppress_image_upload_error)
	suppresses bool
	// the status of the web server's answer for a PHP that was killed; 0: PHP says itself that it
	// dies
	killedAs int
	kills    func(src string) bool    // a picture on which PHP dies
	silent   map[string]bool          // addresses of pictures whose servers accept and never answer
	slow     map[string]time.Duration // how long the shop takes to load a picture
}

// A post is a product or a variation.
type post struct {
	id, parent         int64
	kind               string // simple, variable, variation
	status             string
	sku, name, content string
	slug               string
	price              string
	managed            bool
	quantity           int64
	backorders         string
	order              int64 // menu_order
	stock              string
	sale               string
	saleFrom, saleTo   string
	categories         []int64
	images             []int64
	attributes         []fakeAttribute
	options            map[string]string // of a variation: key of the attribute -> value
	meta               map[string]any
}

type fakeAttribute struct {
	id                 int64 // of a global attribute; 0 for one of the product's own
	position           int
	key, name          string
	visible, variation bool
	options            []string
}

type attachment struct {
	src, file, name string
	parent          int64 // 0: of no product
	cut             bool  // PHP died while it took it in
}

func newFakeShop(t testing.TB) *fakeShop {
	f := &fakeShop{
		posts: map[int64]*post{}, lookup: map[string]int64{}, media: map[int64]*attachment{}, nonces: map[string]bool{},
		made: map[string]int{}, terms: map[int64][]*fakeTerm{}, complaints: map[string]int{}, nextPost: 100, base: shopURL, currency: "EUR",
		globals: map[int64]string{1: "Material", 2: "Brand"},
		categories: []map[string]any{
			{"id": 15, "name": "Uncategorized", "slug": "uncategorized", "parent": 0},
			{"id": 16, "name": "Home &amp; Garden", "slug": "home-garden", "parent": 0},
			{"id": 17, "name": "Lighting", "slug": "lighting", "parent": 16},
			{"id": 18, "name": "Furniture", "slug": "furniture", "parent": 16},
			{"id": 19, "name": "Textiles", "slug": "textiles", "parent": 16},
			{"id": 20, "name": "My own", "slug": "my-own", "parent": 0},
		},
	}
	t.Cleanup(func() {
		f.running.Wait()
		for complaint, times := range f.complaints {
			t.Errorf("%d requests that the recorded schemas do not allow: %s", times, complaint)
		}
	})
	return f
}

// RoundTrip executes a request. The execution goes on when the request's context ends.
func (f *fakeShop) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		_ = req.Body.Close()
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.log = append(f.log, req.Method+" "+strings.TrimPrefix(f.local(req.URL.Path), apiPath))
	number := len(f.log)
	f.mu.Unlock()
	if f.before != nil {
		if err := f.before(req, number); err != nil {
			return nil, err
		}
	}
	server := req.Clone(context.WithoutCancel(req.Context()))
	server.Body = io.NopCloser(bytes.NewReader(body))
	done := make(chan *httptest.ResponseRecorder, 1)
	f.running.Go(func() {
		w := httptest.NewRecorder()
		f.serve(w, server, body)
		done <- f.noisy(w)
	})
	select {
	case w := <-done:
		resp := w.Result()
		resp.Request = req
		return resp, nil
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
}

// requests is the log since it was last asked for.
func (f *fakeShop) requests() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	log := f.log
	f.log = nil
	return log
}

// local is a path below the shop's address.
func (f *fakeShop) local(path string) string {
	base, err := url.Parse(f.site())
	if err != nil {
		return path
	}
	return strings.TrimPrefix(path, base.Path)
}

func (f *fakeShop) takes(kind string, items int) {
	if f.work != nil {
		f.work(kind, items)
	}
}

type failure struct {
	status int
	code   string
	text   string
	data   map[string]any
}

func (e *failure) body() map[string]any {
	data := map[string]any{"status": e.status}
	for name, value := range e.data {
		data[name] = value
	}
	return map[string]any{"code": e.code, "message": e.text, "data": data}
}

func fail(status int, code, text string) *failure {
	return &failure{status: status, code: code, text: text}
}

var (
	productRoute    = regexp.MustCompile(`^/products/(\d+)$`)
	variationsRoute = regexp.MustCompile(`^/products/(\d+)/variations$`)
	variationRoute  = regexp.MustCompile(`^/products/(\d+)/variations/(\d+)$`)
	batchRoute      = regexp.MustCompile(`^/products/(\d+)/variations/batch$`)
)

func (f *fakeShop) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	page := func(status int, text string) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<!doctype html><title>"+text+"</title>")
	}
	reply := func(status int, value any) {
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value)
	}
	namespaces := []string{"wp/v2", "oembed/1.0"}
	if !f.without {
		namespaces = append(namespaces, "wc/v3")
	}
	local := f.local(r.URL.Path)
	route, isAPI := strings.CutPrefix(local, apiPath)
	switch {
	case f.firewall || strings.HasPrefix(r.UserAgent(), "Go-http-client") || r.UserAgent() == "":
		page(http.StatusForbidden, "403 Forbidden")
		return
	case f.foreign:
		page(http.StatusNotFound, "Not Found")
		return
	case f.upkeep:
		w.Header().Set("Retry-After", "600")
		page(http.StatusServiceUnavailable, "Briefly unavailable for scheduled maintenance. Check back in a minute.")
		return
	case !f.ours(r.URL.Path):
		page(http.StatusNotFound, "Not Found")
		return
	case local == "/" && r.URL.Query().Get("wc-ajax") == "get_variation" && r.Method == http.MethodPost:
		if found, err := f.visit(string(body)); err == nil {
			reply(http.StatusOK, found)
			return
		}
		page(http.StatusBadRequest, "-1")
		return
	case local == "/" && r.URL.Query().Get("rest_route") == "/" && !f.mute, local == "/wp-json/" && !f.bare:
		reply(
			http.StatusOK,
			onlyFields(
				map[string]any{"name": "A shop", "home": f.site(), "namespaces": namespaces},
				r.URL.Query().Get("_fields"),
			),
		)
		return
	case local == mediaPath && !f.bare:
		reply(f.showMedia(r))
		return
	case f.bare && f.nginx && f.leads && local != "/":
		w.Header().Set("Location", f.site()+"/")
		page(http.StatusMovedPermanently, "Moved")
		return
	case f.bare && f.nginx, local == "/":
		w.Header().Set("Link", "<"+f.site()+`/wp-json/>; rel="https://api.w.org/"`)
		page(
			http.StatusOK,
			`A shop</title><link rel="stylesheet" href="/wp-content/themes/storefront/style.css"><title>`,
		)
		return
	case !isAPI || f.bare:
		page(http.StatusNotFound, "Page not found")
		return
	case f.without:
		reply(
			http.StatusNotFound,
			fail(404, "rest_no_route", "No route was found matching the URL and request method.").body(),
		)
		return
	case f.blocked:
		reply(http.StatusForbidden, fail(403, "rest_forbidden", "REST API restricted to authenticated users.").body())
		return
	}
	if e := f.authenticate(r); e != nil {
		reply(e.status, e.body())
		return
	}
	var input map[string]any
	if len(body) > 0 && json.Unmarshal(body, &input) != nil {
		reply(400, fail(400, "rest_invalid_json", "Invalid JSON body passed.").body())
		return
	}
	if !f.lenient {
		f.mu.Lock()
		for _, complaint := range complaints(r.Method, route, r.URL.Query(), input) {
			f.complaints[complaint]++
		}
		f.mu.Unlock()
	}
	if !strings.HasSuffix(route, "/batch") { // what is in a batch is not looked at
		if e := invalid(shape(r.Method, route), r.URL.Query(), input); e != nil {
			reply(e.status, e.body())
			return
		}
	}
	status, value, e := f.route(w.Header(), r.Method, route, r.URL.Query(), input)
	if e != nil && e.code == "" {
		page(e.status, http.StatusText(e.status))
		return
	}
	if e != nil {
		reply(e.status, e.body())
		return
	}
	reply(status, onlyFields(value, r.URL.Query().Get("_fields")))
}

func (f *fakeShop) route(
	h http.Header,
	method, route string,
	query url.Values,
	input map[string]any,
) (int, any, *failure) {
	id := func(m []string, i int) int64 {
		n, _ := strconv.ParseInt(m[i], 10, 64)
		return n
	}
	writes := method == http.MethodPut || method == http.MethodPost || method == http.MethodPatch
	switch m := productRoute.FindStringSubmatch(route); {
	case route == "/products" && method == http.MethodGet:
		return f.listProducts(h, query)
	case route == "/products" && method == http.MethodPost:
		return f.createProduct(input, "create")
	case route == "/products/batch" && writes:
		return f.batchProducts(input)
	case route == "/products/categories" && method == http.MethodGet:
		f.takes("read", 1)
		f.mu.Lock()
		defer f.mu.Unlock()
		return http.StatusOK, paged(h, slices.Clone(f.categories), query), nil
	case route == "/products/categories" && method == http.MethodPost:
		return f.createCategory(input)
	case route == "/data/currencies/current" && method == http.MethodGet && f.currency == "":
		return 0, nil, fail(403, codeCannotView, "Sorry, you cannot list resources.")
	case route == "/data/currencies/current" && method == http.MethodGet:
		return http.StatusOK, map[string]any{
			"code":   f.currency,
			"name":   "A currency",
			"symbol": "&curren;",
			"_links": map[string]any{},
		}, nil
	case strings.HasPrefix(route, "/settings/") && method == http.MethodGet:
		return f.setting(strings.TrimPrefix(route, "/settings/"))
	case m != nil && method == http.MethodGet:
		return f.getProduct(id(m, 1), query)
	case m != nil && writes:
		return f.updateProduct(id(m, 1), input, "update")
	case m != nil && method == http.MethodDelete:
		return f.deleteProduct(id(m, 1), query.Get("force") == "true")
	}
	if m := variationsRoute.FindStringSubmatch(route); m != nil && method == http.MethodGet {
		return f.listVariations(h, id(m, 1), query)
	}
	if m := variationsRoute.FindStringSubmatch(route); m != nil && method == http.MethodPost {
		v, e := f.createVariation(id(m, 1), input)
		return http.StatusCreated, v, e
	}
	if m := batchRoute.FindStringSubmatch(route); m != nil && writes {
		return f.batchVariations(id(m, 1), input)
	}
	if m := variationRoute.FindStringSubmatch(route); m != nil {
		switch {
		case writes:
			input["id"] = float64(id(m, 2))
			v, e := f.updateVariation(id(m, 1), input)
			return http.StatusOK, v, e
		case method == http.MethodGet:
			return f.getVariation(id(m, 1), id(m, 2), query)
		case method == http.MethodDelete:
			v, e := f.deleteVariation(id(m, 1), id(m, 2))
			return http.StatusOK, v, e
		}
	}
	return 0, nil, fail(404, "rest_no_route", "No route was found matching the URL and request method.")
}
