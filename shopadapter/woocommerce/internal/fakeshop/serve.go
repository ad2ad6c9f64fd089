package fakeshop

import (
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const apiRoot = "/wp-json/wc/v3"

const (
	faultNoProduct   = "woocommerce_rest_product_invalid_id"
	faultNoVariation = "woocommerce_rest_product_variation_invalid_id"
	faultCannotView  = "woocommerce_rest_cannot_view"
	faultUpload      = "woocommerce_product_image_upload_error"
)

type failure struct {
	status     int
	code, text string
	data       map[string]any
}

func fail(status int, code, text string) *failure {
	return &failure{status: status, code: code, text: text}
}

func (e *failure) with(resource any) *failure {
	e.data = map[string]any{"resource_id": resource}
	return e
}

func (e *failure) body() map[string]any {
	data := map[string]any{"status": e.status}
	maps.Copy(data, e.data)
	return map[string]any{"code": e.code, "message": e.text, "data": data}
}

// critical is what WordPress answers when PHP died, where it still can.
func critical() *failure {
	return fail(500, "internal_server_error", "<p>There has been a critical error on this website.</p>")
}

// Page answers with a web page.
func Page(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<!doctype html><title>"+text+"</title>")
}

func (f *Shop) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	local := f.local(r.URL.Path)
	route, isAPI := strings.CutPrefix(local, apiRoot)
	switch {
	case f.Front != nil && f.Front(w, r, local):
	case isAPI:
		f.serveAPI(w, r, route, body)
	default:
		Page(w, http.StatusNotFound, "Page not found")
	}
}

func (f *Shop) serveAPI(w http.ResponseWriter, r *http.Request, route string, body []byte) {
	var input map[string]any
	query := r.URL.Query()
	e := f.authenticate(r)
	_ = json.Unmarshal(body, &input)
	status, value := 0, any(nil)
	if e == nil {
		if !f.lenient {
			f.Mu.Lock()
			for name, values := range query {
				f.complain(map[string]any{name: values[0]})
			}
			f.complain(input)
			f.Mu.Unlock()
		}
		status, value, e = f.route(r.Method, route, query, input)
	}
	switch {
	case e != nil && e.code == "":
		Page(w, e.status, http.StatusText(e.status))
		return
	case e != nil:
		status, value = e.status, e.body()
	default:
		value = onlyFields(value, query.Get("_fields"))
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// words are the arguments that take few values. A real shop refuses others.
var words = map[string]string{
	"status": "any future trash draft pending private publish", "type": "simple variable", "context": "view edit",
	"backorders": "no notify yes", "catalog_visibility": "visible catalog search hidden", "order": "asc desc",
	"orderby": "date id include title slug modified menu_order", "stock_status": "instock outofstock onbackorder",
}

// others are the other arguments of the routes, with their members, that an adapter may send. A real shop passes over
// those that it does not know.
var others = strings.Fields(`_fields alt attributes brands categories create delete description dimensions force
	global_unique_id height id images include include_meta key length manage_stock menu_order meta_data name offset option
	options page parent per_page position post_password regular_price sku slug src stock_quantity update value variation
	visible weight width`)

// complain notes what a real shop passes over, or refuses.
func (f *Shop) complain(given any) {
	switch given := given.(type) {
	case map[string]any:
		for name, value := range given {
			text, isText := value.(string)
			few := strings.Fields(words[name])
			switch {
			case strings.HasPrefix(name, "oauth_"):
			case len(few) == 0 && !slices.Contains(others, name), len(few) > 0 && isText && !slices.Contains(few, text):
				f.complaints[name+" "+text]++
			}
			f.complain(value)
		}
	case []any:
		for _, one := range given {
			f.complain(one)
		}
	}
}

// authenticate takes Basic over https, and any signature over http. An unknown key may do nothing; a wrong secret,
// and a read-only key that writes, get the same code.
func (f *Shop) authenticate(r *http.Request) *failure {
	wrong := func(text string) *failure { return fail(401, "woocommerce_rest_authentication_error", text) }
	none := fail(401, faultCannotView, "Sorry, you cannot list resources.")
	f.Mu.Lock()
	defer f.Mu.Unlock()
	query := r.URL.Query()
	key, secret, basic := r.BasicAuth()
	switch signed := r.URL.Scheme == "http"; {
	case f.Broken:
		return none
	case signed && query.Get("oauth_consumer_key") != Key:
		return wrong("Consumer key is invalid.")
	case signed && query.Get("oauth_signature") == "":
		return wrong("Invalid signature - provided signature does not match.")
	case !signed && (!basic || key != Key):
		return none
	case !signed && secret != Secret:
		return wrong("Consumer secret is invalid.")
	}
	if f.ReadOnly && r.Method != http.MethodGet {
		return wrong("The API key provided does not have write permissions.")
	}
	return nil
}

var ofProduct = regexp.MustCompile(`^/products/(\d+)(/variations(?:/(\d+|batch))?)?$`)

// shape replaces the numbers of a route.
func shape(method, route string) (where string, parent, id int64) {
	if m := ofProduct.FindStringSubmatch(route); m != nil {
		route = "/products/{product}" + m[2]
		parent, _ = strconv.ParseInt(m[1], 10, 64)
		if id, _ = strconv.ParseInt(m[3], 10, 64); id > 0 {
			route = "/products/{product}/variations/{variation}"
		} else if m[2] == "" {
			parent, id = 0, parent
		}
	}
	return method + " " + route, parent, id
}

func (f *Shop) route(method, route string, query url.Values, input map[string]any) (int, any, *failure) {
	where, parent, id := shape(method, route)
	switch where {
	case "GET /products":
		return f.list(query, f.products(query))
	case "GET /variations":
		return f.list(query, func(p *Post) bool { return p.Kind == "variation" && p.Status != "trash" })
	case "GET /products/{product}/variations":
		return f.list(query, func(p *Post) bool { // none of a product that does not exist
			return p.Parent == parent && (p.Status == "trash") == (query.Get("status") == "trash")
		})
	case "GET /products/{product}", "GET /products/{product}/variations/{variation}":
		f.Mu.Lock()
		defer f.Mu.Unlock()
		p, e := f.at(method, parent, id)
		if e != nil {
			return 0, nil, e
		}
		return http.StatusOK, f.shown(p, query), nil
	case "POST /products", "POST /products/{product}/variations":
		shown, e := f.create(parent, input)
		return http.StatusCreated, shown, e
	case "PUT /products/{product}", "PUT /products/{product}/variations/{variation}":
		shown, e := f.update(parent, id, input)
		return http.StatusOK, shown, e
	case "DELETE /products/{product}", "DELETE /products/{product}/variations/{variation}":
		shown, e := f.remove(parent, id, query.Get("force") == "true")
		return http.StatusOK, shown, e
	case "POST /products/batch": // an empty one
		return http.StatusOK, []any{}, nil // PHP's empty list
	case "POST /products/{product}/variations/batch":
		return f.batch(parent, input)
	case "GET /products/categories", "GET /products/brands":
		f.Mu.Lock()
		defer f.Mu.Unlock()
		return http.StatusOK, paged(slices.Clone(*f.listOf(route)), query), nil
	case "POST /products/categories", "POST /products/brands":
		return f.createTerm(f.listOf(route), input)
	}
	if group, ok := strings.CutPrefix(where, "GET /settings/"); ok {
		return f.settings(group)
	}
	return 0, nil, fail(404, "rest_no_route", "No route was found matching the URL and request method.")
}

// settings answers only a shop manager.
func (f *Shop) settings(group string) (int, any, *failure) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if f.Currency == "" {
		return 0, nil, fail(403, faultCannotView, "Sorry, you cannot list resources.")
	}
	word := map[bool]string{true: "yes", false: "no"}
	groups := map[string]map[string]string{
		"general": {
			"woocommerce_calc_taxes": word[f.Taxes], "woocommerce_currency": f.Currency,
			"woocommerce_price_num_decimals": cmp.Or(f.Decimals, "2"),
		},
		"tax": {"woocommerce_prices_include_tax": word[!f.Exclude]},
		"products": {
			"woocommerce_manage_stock": word[!f.Uncounting], "woocommerce_weight_unit": f.WeightUnit,
			"woocommerce_dimension_unit": f.DimensionUnit,
		},
	}
	all := []map[string]any{}
	for name, value := range groups[group] {
		all = append(all, map[string]any{"id": name, "value": value})
	}
	return http.StatusOK, all, nil
}

// products ignores arguments that it does not know. A look-up by SKU splits at commas, ignores case and shows
// variations.
func (f *Shop) products(query url.Values) func(*Post) bool {
	skus := strings.ToLower(query.Get("sku"))
	status := query.Get("status")
	return func(p *Post) bool {
		switch sku := strings.ToLower(p.SKU); {
		case p.Status == "trash" && status != "trash":
		case status != "" && status != "any" && p.Status != status:
		case skus == "" && p.Kind == "variation":
		case skus != "" && sku != skus && !slices.Contains(strings.Split(skus, ","), sku):
		default:
			return true
		}
		return false
	}
}

func (f *Shop) list(query url.Values, keeps func(*Post) bool) (int, any, *failure) {
	f.takes("list")
	f.Mu.Lock()
	defer f.Mu.Unlock()
	among := func(name string, id int64) bool {
		return query.Get(name) == "" ||
			slices.Contains(strings.Split(query.Get(name), ","), strconv.FormatInt(id, 10))
	}
	ids := slices.Sorted(maps.Keys(f.Posts))
	if query.Get("order") != "asc" {
		slices.Reverse(ids)
	}
	ids = slices.DeleteFunc(ids, func(id int64) bool {
		p := f.Posts[id]
		return !keeps(p) || !among("include", p.ID) || !among("parent", p.Parent)
	})
	found := []map[string]any{}
	for _, id := range paged(ids, query) {
		found = append(found, f.shown(f.Posts[id], query))
	}
	return http.StatusOK, found, nil
}

func paged[T any](all []T, query url.Values) []T {
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(query.Get(name)); err == nil {
			return n
		}
		return otherwise
	}
	per := number("per_page", 10)
	from := number("offset", (number("page", 1)-1)*per)
	return all[min(from, len(all)):min(from+per, len(all))]
}

func onlyFields(value any, fields string) any {
	names := strings.Split(fields, ",")
	switch v := value.(type) {
	case map[string]any:
		return only(v, names...)
	case []map[string]any:
		for i := range v {
			v[i] = only(v[i], names...)
		}
	}
	return value
}

// only returns all values for the name "".
func only(all map[string]any, names ...string) map[string]any {
	if slices.Equal(names, []string{""}) {
		return all
	}
	some := map[string]any{}
	for _, name := range names {
		if value, ok := all[name]; ok {
			some[name] = value
		}
	}
	return some
}
