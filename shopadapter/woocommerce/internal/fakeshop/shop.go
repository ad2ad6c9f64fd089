package fakeshop

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

// The key and the secret that a shop knows, and its address.
const (
	Key    = "ck_1f6c9a_key"
	Secret = "cs_77b0de_secret" //nolint:gosec // of a shop that is nowhere
	URL    = "https://shop.example.com"
)

// A Shop is a WooCommerce in this process. It does what a real one was seen to do, above all
// the unexpected; the comments name each such habit where it lives. It is a transport: a request
// sent through it is executed even when its client is gone.
type Shop struct {
	Mu         sync.Mutex
	Posts      map[int64]*Post
	Lookup     map[string]int64 // the lookup table of SKUs, lower case: also those of the trash
	Media      map[int64]*Attachment
	Categories []map[string]any
	globals    map[int64]string  // the names of the global attributes
	terms      map[int64][]*Term // their values
	NextPost   int64
	Loaded     int
	Made       map[string]int // how often a variation of a SKU was made
	log        []string       // method and path of each request, in the order of arrival
	nonces     map[string]bool
	Running    sync.WaitGroup

	complaints map[string]int // what the recorded schemas have against the requests
	Lenient    bool           // requests are not held to the schemas by more than a shop does

	Base   string
	Brands []Brand

	// of weight and size
	WeightUnit, DimensionUnit string

	Broken   bool // refuses every key
	ReadOnly bool
	// the key's user may do nothing with products, as a customer
	Powerless bool
	// stock management is switched off: a product is in stock or not
	Uncounting bool
	Currency   string // "": the key's user may not see the settings
	Taxes      bool   // are calculated, at 21 % for a visitor
	Exclude    bool   // prices are entered without them
	VAT        string // what the adapter is told of PUBSYNC_PRICE_VAT_PERCENT
	Bare       bool   // permalinks are on Plain
	Nginx      bool   // and the web server passes every address on: WordPress shows its front page, or leads there
	Mute       bool   // and nothing of the REST API shows, by any address
	Leads      bool   // it leads there
	home       string // the Site Address of its settings; "": base
	Notice     string // what PHP writes before each answer
	Soon       string // "site" or "store": visitors see a placeholder in place of all pages, or of products
	Library    bool   // a security plugin closes the media library to strangers
	Upkeep     bool   // .maintenance is there, during an update
	Without    bool   // WooCommerce is not active
	Foreign    bool   // not a WordPress at all
	Blocked    bool   // a security plugin closes the REST API
	Firewall   bool

	RefuseSKU   string                         // prefix of the SKUs that a plugin refuses
	RefuseTitle string                         // prefix of the titles that a plugin refuses
	RefusePrice string                         // a price that a plugin refuses
	Rewrite     func(name string) string       // a plugin that changes names
	BadPicture  func(src string) string        // why a picture cannot be had, "" for a good one
	Work        func(kind string, items int)   // takes as long as the shop does
	Dies        func(at string) bool           // PHP dies at this point of a write
	Before      func(*http.Request, int) error // sees each request with its number
	// the addresses of variations begin with something else than that of their product
	Stray   bool
	NoTerms bool // the key's user may not make categories
	// a plugin has it leave out the pictures that it cannot load
	// (woocommerce_rest_suppress_image_upload_error)
	Suppresses bool
	// the status of the web server's answer for a PHP that was killed; 0: PHP says itself that it
	// dies
	KilledAs int
	Kills    func(src string) bool    // a picture on which PHP dies
	Silent   map[string]bool          // addresses of pictures whose servers accept and never answer
	Slow     map[string]time.Duration // how long the shop takes to load a picture
}

// A Post is a product or a variation.
type Post struct {
	ID, Parent         int64
	Kind               string // simple, variable, variation
	Status             string
	SKU, Name, content string
	Slug               string
	Price              string
	Managed            bool
	Quantity           int64
	Backorders         string
	order              int64 // menu_order
	Stock              string
	Sale               string
	SaleFrom, SaleTo   string
	Categories         []int64
	Brands             []int64
	Images             []int64
	Attributes         []Attribute
	Options            map[string]string // of a variation: key of the attribute -> value
	Meta               map[string]any
	Visibility         string            // in the catalogue; "": visible
	Password           string            // that a visitor has to know; "": none
	Sizes              map[string]string // weight, length, width, height, ean
}

// An Attribute is one of a product's, as WooCommerce keeps it.
type Attribute struct {
	ID                 int64 // of a global attribute; 0 for one of the product's own
	Position           int
	Key, Name          string
	Visible, Variation bool
	Options            []string
}

// An Attachment is a picture in the media library.
type Attachment struct {
	Source, File, Name string
	Parent             int64 // 0: of no product
}

// New is a shop with a few categories and global attributes, and no product. At the end of the test
// it reports the requests that the schemas do not allow.
func New(t testing.TB) *Shop {
	f := &Shop{
		Posts: map[int64]*Post{}, Lookup: map[string]int64{}, Media: map[int64]*Attachment{}, nonces: map[string]bool{},
		Made: map[string]int{}, terms: map[int64][]*Term{}, complaints: map[string]int{}, NextPost: 100, Base: URL,
		Currency: "EUR", WeightUnit: "g", DimensionUnit: "mm",
		globals: map[int64]string{1: "Material", 2: "Brand"},
		Categories: []map[string]any{
			{"id": 15, "name": "Uncategorized", "slug": "uncategorized", "parent": 0},
			{"id": 16, "name": "Home &amp; Garden", "slug": "home-garden", "parent": 0},
			{"id": 17, "name": "Lighting", "slug": "lighting", "parent": 16},
			{"id": 18, "name": "Furniture", "slug": "furniture", "parent": 16},
			{"id": 19, "name": "Textiles", "slug": "textiles", "parent": 16},
			{"id": 20, "name": "My own", "slug": "my-own", "parent": 0},
		},
	}
	t.Cleanup(func() {
		f.Running.Wait()
		for complaint, times := range f.complaints {
			t.Errorf("%d requests that the recorded schemas do not allow: %s", times, complaint)
		}
	})
	return f
}

// RoundTrip executes a request. The execution goes on when the request's context ends.
func (f *Shop) RoundTrip(req *http.Request) (*http.Response, error) {
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
	f.Mu.Lock()
	f.log = append(f.log, req.Method+" "+strings.TrimPrefix(f.local(req.URL.Path), apiRoot))
	number := len(f.log)
	f.Mu.Unlock()
	if f.Before != nil {
		if err := f.Before(req, number); err != nil {
			return nil, err
		}
	}
	server := req.Clone(context.WithoutCancel(req.Context()))
	server.Body = io.NopCloser(bytes.NewReader(body))
	done := make(chan *httptest.ResponseRecorder, 1)
	f.Running.Go(func() {
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

// Requests is the log since it was last asked for.
func (f *Shop) Requests() []string {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	log := f.log
	f.log = nil
	return log
}

// local is a path below the shop's address.
func (f *Shop) local(path string) string {
	base, err := url.Parse(f.site())
	if err != nil {
		return path
	}
	return strings.TrimPrefix(path, base.Path)
}

func (f *Shop) takes(kind string, items int) {
	if f.Work != nil {
		f.Work(kind, items)
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
	allRoute        = regexp.MustCompile(`^/variations$`)
	variationsRoute = regexp.MustCompile(`^/products/(\d+)/variations$`)
	variationRoute  = regexp.MustCompile(`^/products/(\d+)/variations/(\d+)$`)
	batchRoute      = regexp.MustCompile(`^/products/(\d+)/variations/batch$`)
)

func (f *Shop) serve(w http.ResponseWriter, r *http.Request, body []byte) {
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
	if !f.Without {
		namespaces = append(namespaces, "wc/v3")
	}
	local := f.local(r.URL.Path)
	route, isAPI := strings.CutPrefix(local, apiRoot)
	switch {
	case f.Firewall || strings.HasPrefix(r.UserAgent(), "Go-http-client") || r.UserAgent() == "":
		page(http.StatusForbidden, "403 Forbidden")
		return
	case f.Foreign:
		page(http.StatusNotFound, "Not Found")
		return
	case f.Upkeep:
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
	case local == "/" && r.URL.Query().Get("rest_route") == "/" && !f.Mute, local == "/wp-json/" && !f.Bare:
		reply(
			http.StatusOK,
			onlyFields(
				map[string]any{"name": "A shop", "home": f.site(), "namespaces": namespaces}, r.URL.Query().Get("_fields"),
			),
		)
		return
	case local == mediaRoute && !f.Bare:
		reply(f.showMedia(r))
		return
	case !isAPI && (f.Soon == "site" || f.Soon == "store" && strings.HasPrefix(local, "/product/")):
		page(http.StatusOK, "A shop</title><meta name='woo-coming-soon-page' content='yes'><title>")
		return
	case strings.HasPrefix(local, "/product/"):
		page(http.StatusOK, "A product")
		return
	case f.Bare && f.Nginx && f.Leads && local != "/":
		w.Header().Set("Location", f.site()+"/")
		page(http.StatusMovedPermanently, "Moved")
		return
	case f.Bare && f.Nginx, local == "/":
		api := "wp-json/"
		if f.Bare {
			api = "index.php?rest_route=/"
		}
		w.Header().Set("Link", "<"+f.site()+"/"+api+`>; rel="https://api.w.org/"`)
		page(http.StatusOK, `A shop</title><link rel="stylesheet" href="/wp-content/themes/storefront/style.css"><title>`)
		return
	case !isAPI || f.Bare:
		page(http.StatusNotFound, "Page not found")
		return
	case f.Without:
		reply(
			http.StatusNotFound, fail(404, "rest_no_route", "No route was found matching the URL and request method.").body(),
		)
		return
	case f.Blocked:
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
	if !f.Lenient {
		f.Mu.Lock()
		for _, complaint := range complaints(r.Method, route, r.URL.Query(), input) {
			f.complaints[complaint]++
		}
		f.Mu.Unlock()
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

func (f *Shop) route(h http.Header, method, route string, query url.Values, input map[string]any) (int, any, *failure) {
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
		f.Mu.Lock()
		defer f.Mu.Unlock()
		return http.StatusOK, paged(h, slices.Clone(f.Categories), query), nil
	case route == "/products/categories" && method == http.MethodPost:
		return f.createCategory(input)
	case route == "/products/brands" && method == http.MethodGet:
		return f.listBrands(h, query)
	case route == "/products/brands" && method == http.MethodPost:
		return f.createBrand(input)
	case route == "/data/currencies/current" && method == http.MethodGet && f.Currency == "":
		return 0, nil, fail(403, faultCannotView, "Sorry, you cannot list resources.")
	case route == "/data/currencies/current" && method == http.MethodGet:
		return http.StatusOK, map[string]any{
			"code": f.Currency, "name": "A currency", "symbol": "&curren;", "_links": map[string]any{},
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
	if allRoute.MatchString(route) && method == http.MethodGet {
		return f.listAllVariations(h, query)
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
