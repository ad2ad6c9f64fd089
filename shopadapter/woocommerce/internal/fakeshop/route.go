package fakeshop

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ofProduct are the routes of a product and of its variations: the product, and the variation.
var ofProduct = regexp.MustCompile(`^/products/(\d+)(/variations(?:/(\d+|batch))?)?$`)

// shape is a route without its numbers.
func shape(method, route string) string {
	if method == http.MethodPatch {
		method = http.MethodPut
	}
	if m := ofProduct.FindStringSubmatch(route); m != nil {
		route = "/products/{product}" + m[2]
		if _, err := strconv.Atoi(m[3]); err == nil {
			route = "/products/{product}/variations/{variation}"
		}
	}
	return method + " " + route
}

func (f *Shop) route(method, route string, query url.Values, input map[string]any) (int, any, *failure) {
	var parent, id int64
	if m := ofProduct.FindStringSubmatch(route); m != nil {
		parent, _ = strconv.ParseInt(m[1], 10, 64)
		if id, _ = strconv.ParseInt(m[3], 10, 64); m[2] == "" {
			parent, id = 0, parent
		}
	}
	where := shape(method, route)
	switch where {
	case "GET /products":
		return f.list(query, f.products(query))
	case "GET /variations":
		return f.list(query, func(p *Post) bool { return p.Kind == "variation" && p.Status != "trash" })
	case "GET /products/{product}/variations":
		sku := query.Get("sku")
		return f.list(query, func(p *Post) bool { // of a product that does not exist: none
			return p.Parent == parent && (p.Status == "trash") == (query.Get("status") == "trash") &&
				(sku == "" || strings.EqualFold(sku, p.SKU))
		})
	case "GET /products/{product}", "GET /products/{product}/variations/{variation}":
		f.takes("read")
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
	case "POST /products/batch", "POST /products/{product}/variations/batch":
		return f.batch(parent, input)
	case "GET /products/categories", "GET /products/brands":
		f.takes("read")
		f.Mu.Lock()
		defer f.Mu.Unlock()
		return http.StatusOK, paged(slices.Clone(*f.listOf(route)), query), nil
	case "POST /products/categories", "POST /products/brands":
		return f.createTerm(f.listOf(route), input)
	}
	if group, ok := strings.CutPrefix(where, "GET /settings/"); ok {
		return f.settings(group)
	}
	return 0, nil, noRoute()
}

// settings are those of one group, which only a shop manager may see.
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
			"woocommerce_price_num_decimals": f.decimals(),
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

// products is the filter of the list of products. It knows some arguments and ignores all others. A
// look-up by SKU splits at commas, takes no notice of case and shows variations.
func (f *Shop) products(query url.Values) func(*Post) bool {
	skus := strings.ToLower(query.Get("sku"))
	status := query.Get("status")
	if query.Get("slug") != "" && status == "" {
		status = "publish" // of a slug alone WordPress shows what a visitor may see
	}
	return func(p *Post) bool {
		switch sku := strings.ToLower(p.SKU); {
		case p.Status == "trash" && status != "trash":
		case status != "" && status != "any" && p.Status != status:
		case skus == "" && p.Kind == "variation":
		case skus != "" && sku != skus && !slices.Contains(strings.Split(skus, ","), sku):
		case query.Get("slug") != "" && postSlug(query.Get("slug")) != p.Slug:
		default:
			return true
		}
		return false
	}
}

// list is a page of what a filter keeps, of the ids and parents that are asked for.
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

// paged is one page of a list, at most 100 long.
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

// onlyFields is value, an object or a list of objects, with the fields asked for.
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

// only is the values of the names given, and all of them for the name "".
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
