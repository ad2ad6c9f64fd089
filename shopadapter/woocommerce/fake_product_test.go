package woocommerce

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

func (f *fakeShop) link(p *post) string {
	switch p.status {
	case "draft", "pending", "future":
		return fmt.Sprintf("%s/?post_type=product&p=%d", f.base, p.id)
	}
	return f.base + "/product/" + p.slug + "/"
}

// shown is a product as the API shows it.
func (f *fakeShop) shown(p *post, query url.Values) map[string]any {
	if p.kind == "variation" {
		v := f.shownVariation(p, query)
		v["type"], v["parent_id"] = "variation", p.parent
		return v
	}
	content := p.content
	if query != nil && query.Get("context") != "edit" {
		content = paragraphs(content)
	}
	attributes, images, categories := []map[string]any{}, []map[string]any{}, []map[string]any{}
	for _, a := range p.attributes {
		attributes = append(attributes, map[string]any{
			"id": a.id, "name": a.name, "slug": a.slug(), "position": a.position, "visible": a.visible, "variation": a.variation,
			"options": a.options,
		})
	}
	for _, id := range p.images {
		images = append(images, map[string]any{
			"id": id, "src": f.base + "/wp-content/uploads/" + f.media[id].file, "name": f.media[id].name, "alt": "",
			"date_created": day, "date_created_gmt": day, "date_modified": day, "date_modified_gmt": day,
		})
	}
	for _, id := range p.categories {
		for _, c := range f.categories {
			if c["id"].(int) == int(id) {
				categories = append(categories, map[string]any{"id": id, "name": c["name"], "slug": c["slug"]})
			}
		}
	}
	out := map[string]any{
		"id": p.id, "type": p.kind, "status": p.status, "parent_id": 0, "sku": p.sku, "name": p.name, "description": content, "slug": p.slug,
		"permalink": f.link(
			p,
		), "regular_price": p.price, "manage_stock": p.managed, "stock_quantity": nil, "backorders": p.backorders,
		"categories": categories, "images": images, "attributes": attributes, "variations": f.children(p.id), "meta_data": f.shownMeta(p, query),
	}
	f.showFigures(p, out)
	if p.kind == "variable" {
		// a price on the product itself is ignored
		out["regular_price"], out["sale_price"], out["has_options"] = "", "", true
	}
	return completed("answer product", out, query == nil || query.Get("context") == "edit")
}

// day is when everything in the shop was made.
const day = "2026-11-20T11:23:16"

// showFigures adds what an answer shows of price and stock.
func (f *fakeShop) showFigures(p *post, out map[string]any) {
	out["sale_price"], out["price"], out["on_sale"] = p.sale, cmp.Or(p.sale, p.price), p.sale != ""
	out["purchasable"] = p.price != ""
	for name, value := range map[string]string{"date_on_sale_from": p.saleFrom, "date_on_sale_to": p.saleTo} {
		if out[name] = nil; value != "" {
			out[name] = value
		}
		out[name+"_gmt"] = out[name]
	}
	if p.managed {
		out["stock_quantity"] = p.quantity
	}
	out["backorders_allowed"] = p.backorders != "no"
	out["backordered"] = p.managed && p.quantity < 0
	switch {
	case !p.managed:
		out["stock_status"] = cmp.Or(p.stock, "instock")
	case p.quantity > 0:
		out["stock_status"] = "instock"
	case p.backorders != "no":
		out["stock_status"] = "onbackorder"
	default:
		out["stock_status"] = "outofstock"
	}
}

// completed adds to an answer what a real one shows besides, empty.
func completed(form string, out map[string]any, edit bool) map[string]any {
	usual := map[string]any{
		"catalog_visibility": "visible", "tax_status": "taxable", "download_limit": -1, "download_expiry": -1, "reviews_allowed": true, "average_rating": "0",
		"shipping_required": true, "shipping_taxable": true, "date_created": day, "date_created_gmt": day, "date_modified": day, "date_modified_gmt": day,
	}
	for name, a := range schema()[form] {
		if _, there := out[name]; there {
			continue
		}
		if out[name] = usual[name]; out[name] == nil {
			out[name] = a.empty()
		}
	}
	if !edit {
		delete(out, "permalink_template")
		delete(out, "generated_slug")
	}
	return out
}

// empty is what stands in an answer for nothing.
func (a *argument) empty() any {
	if slices.Contains(a.Type, "null") {
		return nil
	}
	switch a.Type[0] {
	case "string":
		return ""
	case "boolean":
		return false
	case "array":
		return []any{}
	case "object":
		fields := map[string]any{}
		for name, field := range a.Fields {
			fields[name] = field.empty()
		}
		return fields
	}
	return 0
}

func (f *fakeShop) children(id int64) []int64 {
	list := []int64{}
	for _, v := range f.posts {
		if v.parent == id && v.status != "trash" {
			list = append(list, v.id)
		}
	}
	slices.Sort(list)
	return list
}

func (f *fakeShop) shownMeta(p *post, query url.Values) []map[string]any {
	list := []map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(p.meta)) {
		if only := query.Get("include_meta"); only == "" || slices.Contains(strings.Split(only, ","), key) {
			list = append(list, map[string]any{"id": 1, "key": key, "value": p.meta[key]})
		}
	}
	return list
}

// holder is the product or variation, not in the trash, that has a SKU. Case makes no difference.
func (f *fakeShop) holder(sku string, but int64) *post {
	for _, id := range slices.Sorted(maps.Keys(f.posts)) {
		if p := f.posts[id]; p.id != but && p.status != "trash" && sku != "" && strings.EqualFold(p.sku, sku) {
			return p
		}
	}
	return nil
}

func (f *fakeShop) skuTaken(sku string, but int64) *failure {
	if p := f.holder(sku, but); p != nil {
		return &failure{
			400,
			codeSKU,
			"Invalid or duplicated SKU.",
			map[string]any{"resource_id": p.id, "unique_sku": sku + "-1"},
		}
	}
	if f.refuseSKU != "" && strings.HasPrefix(sku, f.refuseSKU) {
		return fail(400, "product_refused_by_plugin", "This article number is not allowed.")
	}
	return nil
}

func (f *fakeShop) createProduct(input map[string]any, work string) (int, any, *failure) {
	p := &post{
		kind:       "simple",
		status:     "publish",
		backorders: "no",
		meta:       map[string]any{},
		categories: []int64{15},
		name:       "Product",
	}
	f.mu.Lock()
	e := f.check(p, input)
	f.mu.Unlock()
	if e != nil {
		return 0, nil, e
	}
	// Pictures are loaded before anything is saved: until then the SKU is not to be seen.
	images, e := f.download(input, 0)
	if e != nil {
		return 0, nil, e
	}
	f.takes(work, 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if e := f.check(p, input); e != nil {
		return 0, nil, e
	}
	sku := keptSKU(input)
	if _, taken := f.lookup[strings.ToLower(sku)]; taken && sku != "" {
		return 0, nil, fail(
			400,
			codeNotCreated,
			fmt.Sprintf(
				"The product with SKU (%s) you are trying to insert is already present in the lookup table",
				sku,
			),
		)
	}
	f.nextPost++
	p.id = f.nextPost
	f.posts[p.id] = p
	// The row holds name, texts, status, slug and order. SKU, price and stock follow, then the
	// type, and the metadata at the end.
	row := only(input, "name", "description", "status", "slug", "menu_order")
	f.apply(p, row, nil)
	if f.dead("product row") {
		return 0, nil, critical()
	}
	f.apply(p, only(input, "sku", "regular_price", "manage_stock", "stock_quantity", "backorders"), images)
	if f.dead("product sku") {
		return 0, nil, critical()
	}
	f.apply(p, input, images)
	if f.dead("product whole") {
		return 0, nil, critical()
	}
	return http.StatusCreated, f.shown(p, nil), nil
}

// dead tells whether PHP dies here. What was written until then stays.
func (f *fakeShop) dead(at string) bool { return f.dies != nil && f.dies(at) }

// critical is what WordPress answers when PHP died, where it still can.
func critical() *failure {
	return fail(500, "internal_server_error", "<p>There has been a critical error on this website.</p>")
}

// only is the fields of a request that are named.
func only(input map[string]any, names ...string) map[string]any {
	some := map[string]any{}
	for _, name := range names {
		if value, ok := input[name]; ok {
			some[name] = value
		}
	}
	return some
}

// check is what the shop has against a product besides the types of the arguments.
func (f *fakeShop) check(p *post, input map[string]any) *failure {
	if name, _ := input["name"].(string); f.refuseTitle != "" && strings.HasPrefix(name, f.refuseTitle) {
		return fail(400, "woocommerce_rest_invalid_name", "A plugin refuses the <b>name</b>.")
	}
	if e := f.checkPrice(input); e != nil {
		return e
	}
	if sku := keptSKU(input); input["sku"] != nil && sku != p.sku {
		return f.skuTaken(sku, p.id)
	}
	return nil
}

func (f *fakeShop) checkPrice(input map[string]any) *failure {
	if price, _ := input["regular_price"].(string); f.refusePrice != "" && price == f.refusePrice {
		return fail(400, "price_refused_by_plugin", "This price is not allowed.")
	}
	return nil
}

func (f *fakeShop) apply(p *post, input map[string]any, images []int64) {
	if v, ok := input["name"].(string); ok {
		p.name = filtered(v)
		if f.rewrite != nil {
			p.name = f.rewrite(p.name)
		}
	}
	if v, ok := input["description"].(string); ok {
		p.content = filtered(v)
	}
	if v, ok := input["type"].(string); ok {
		if p.kind == "variable" && v != "variable" {
			for _, id := range f.children(p.id) {
				f.erase(id) // another type has no variations
			}
		}
		p.kind = v
	}
	if v := keptSKU(input); input["sku"] != nil {
		delete(f.lookup, strings.ToLower(p.sku))
		if p.sku = v; v != "" {
			f.lookup[strings.ToLower(v)] = p.id
		}
	}
	if v, ok := input["status"].(string); ok {
		if p.status == "trash" && v != "trash" {
			p.slug = strings.TrimSuffix(p.slug, "__trashed")
		}
		p.status = v
	}
	if v, ok := input["slug"].(string); ok {
		p.slug = postSlug(v)
	}
	if p.status != "draft" && p.status != "pending" && p.status != "trash" {
		p.slug = f.freeSlug(cmp.Or(p.slug, postSlug(p.name)), p.id) // a draft may have a slug that another has, or none
	}
	if v, ok := input["menu_order"].(float64); ok {
		p.order = int64(v)
	}
	f.applyFigures(p, input)
	if v, ok := input["categories"].([]any); ok {
		p.categories = nil
		for _, c := range v {
			n, _ := c.(map[string]any)["id"].(float64)
			id := int64(n)
			if slices.ContainsFunc(f.categories, func(c map[string]any) bool { return c["id"].(int) == int(id) }) {
				p.categories = append(p.categories, id)
			}
		}
		if len(p.categories) == 0 {
			p.categories = []int64{15} // a category that does not exist is no error
		}
	}
	if v, ok := input["attributes"].([]any); ok {
		p.attributes = nil // the list is replaced
		for _, a := range v {
			if read, ok := f.readAttribute(a.(map[string]any)); ok {
				p.attributes = append(p.attributes, read)
			}
		}
	}
	if images != nil {
		p.images = images
	}
	f.applyMeta(p, input)
}

// readAttribute keeps the values of an attribute as one text with bars between them. A global
// attribute goes by its id, whatever its name is said to be; one with neither an id nor a name is
// dropped.
func (f *fakeShop) readAttribute(in map[string]any) (fakeAttribute, bool) {
	id, _ := in["id"].(float64)
	name, _ := in["name"].(string)
	a := fakeAttribute{id: int64(id), name: optionOfProduct(name)}
	if a.id > 0 {
		a.name = f.globals[a.id]
	}
	if a.name == "" {
		return a, false
	}
	a.key = a.slug()
	if a.id == 0 {
		a.key = attributeKey(a.name)
	}
	if position, ok := in["position"].(float64); ok {
		a.position = int(position)
	}
	a.visible, _ = in["visible"].(bool)
	a.variation, _ = in["variation"].(bool)
	values, _ := in["options"].([]any)
	var kept []string
	for _, v := range values {
		kept = append(kept, optionOfProduct(v.(string)))
	}
	for part := range strings.SplitSeq(strings.Join(kept, " | "), "|") {
		if part = strings.TrimSpace(part); part != "" {
			a.options = append(a.options, part)
		}
	}
	if a.id > 0 {
		f.makeTerms(a.id, a.options)
	}
	return a, true
}

// slug is what a product shows of an attribute beside its name: that of a global one is
// pa_material, that of one of its own the name itself.
func (a fakeAttribute) slug() string {
	if a.id > 0 {
		return "pa_" + attributeKey(a.name)
	}
	return a.name
}

func (f *fakeShop) applyFigures(p *post, input map[string]any) {
	if v, ok := input["regular_price"].(string); ok {
		switch {
		case strings.Contains(v, ","):
			p.price = strings.ReplaceAll(v, ",", "") // 25,55 is 2555
		case strings.ContainsFunc(v, func(r rune) bool { return (r < '0' || '9' < r) && r != '.' && r != '-' }):
			p.price = ""
		default:
			p.price = v
		}
	}
	for name, to := range map[string]*string{"sale_price": &p.sale, "date_on_sale_from": &p.saleFrom, "date_on_sale_to": &p.saleTo} {
		if v, ok := input[name].(string); ok {
			*to = v
		}
	}
	sale, _ := strconv.ParseFloat(p.sale, 64)
	if regular, _ := strconv.ParseFloat(p.price, 64); sale >= regular {
		p.sale = "" // what is no reduction is dropped, whichever of the two was written
	}
	if v, ok := input["stock_status"].(string); ok {
		p.stock = v
	}
	if v, ok := input["manage_stock"].(bool); ok {
		p.managed = v
	}
	if v, ok := input["stock_quantity"].(float64); ok && p.managed {
		p.quantity = int64(v) // without managed stock it is ignored
	}
	if v, ok := input["backorders"].(string); ok {
		p.backorders = v
	}
}

func (f *fakeShop) applyMeta(p *post, input map[string]any) {
	list, _ := input["meta_data"].([]any)
	for _, m := range list {
		entry := m.(map[string]any)
		key := entry["key"].(string)
		switch {
		case key == "_sku":
			p.sku, _ = entry["value"].(string) // goes around every check, and is not shown
		case entry["value"] == nil:
			delete(p.meta, key)
		default:
			p.meta[key] = entry["value"]
		}
	}
}
