package woocommerce

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
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
	var attributes []map[string]any
	for i, a := range p.attributes {
		attributes = append(attributes, map[string]any{
			"id": 0, "name": a.name, "slug": a.name, "position": i, "visible": a.visible, "variation": a.variation, "options": a.options,
		})
	}
	var images []map[string]any
	for _, id := range p.images {
		images = append(images, map[string]any{"id": id, "src": f.base + "/wp-content/uploads/" + f.media[id].file, "name": f.media[id].name})
	}
	var categories []map[string]any
	for _, id := range p.categories {
		for _, c := range f.categories {
			if c["id"].(int) == int(id) {
				categories = append(categories, map[string]any{"id": id, "name": c["name"], "slug": c["slug"]})
			}
		}
	}
	out := map[string]any{
		"id": p.id, "type": p.kind, "status": p.status, "parent_id": 0, "sku": p.sku, "name": p.name, "description": content, "slug": p.slug,
		"permalink": f.link(p), "regular_price": p.price, "manage_stock": p.managed, "stock_quantity": nil, "backorders": p.backorders,
		"categories": categories, "images": images, "attributes": attributes, "variations": f.children(p.id), "meta_data": f.shownMeta(p, query),
	}
	if p.kind == "variable" {
		out["regular_price"] = "" // a price on the product itself is ignored
	}
	if p.managed {
		out["stock_quantity"] = p.quantity
	}
	return out
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
		return &failure{400, codeSKU, "Invalid or duplicated SKU.", map[string]any{"resource_id": p.id, "unique_sku": sku + "-1"}}
	}
	if f.refuseSKU != "" && strings.HasPrefix(sku, f.refuseSKU) {
		return fail(400, "product_refused_by_plugin", "This article number is not allowed.")
	}
	return nil
}

func (f *fakeShop) createProduct(input map[string]any) (int, any, *failure) {
	p := &post{kind: "simple", status: "publish", backorders: "no", meta: map[string]any{}, categories: []int64{15}, name: "Product"}
	f.mu.Lock()
	e := f.check(p, input)
	f.mu.Unlock()
	if e != nil {
		return 0, nil, e
	}
	// Pictures are loaded before anything is saved: until then the SKU is not to be seen.
	images, e := f.download(input)
	if e != nil {
		return 0, nil, e
	}
	f.takes("create", 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if e := f.check(p, input); e != nil {
		return 0, nil, e
	}
	sku := keptSKU(input)
	if _, taken := f.lookup[strings.ToLower(sku)]; taken && sku != "" {
		return 0, nil, fail(400, codeNotCreated, fmt.Sprintf("The product with SKU (%s) you are trying to insert is already present in the lookup table", sku))
	}
	f.nextPost++
	p.id = f.nextPost
	f.apply(p, input, images)
	if p.slug == "" {
		p.slug = f.freeSlug(slugOf(p.name), p.id)
	}
	f.posts[p.id] = p
	return http.StatusCreated, f.shown(p, nil), nil
}

// check validates what a request for one product holds. Requests in a batch are not looked at as closely.
func (f *fakeShop) check(p *post, input map[string]any) *failure {
	invalid := func(name, why string) *failure {
		return &failure{400, "rest_invalid_param", "Invalid parameter(s): " + name, map[string]any{"params": map[string]any{name: why}}}
	}
	for _, name := range []string{"regular_price", "name", "sku", "description"} {
		if v, ok := input[name]; ok {
			if _, isText := v.(string); !isText {
				return invalid(name, name+" is not of type string.")
			}
		}
	}
	if v, ok := input["stock_quantity"].(float64); ok && v != float64(int64(v)) {
		return invalid("stock_quantity", "stock_quantity is not of type integer.")
	}
	if v, ok := input["type"].(string); ok && v != "simple" && v != "variable" {
		return invalid("type", "type is not one of simple, grouped, external, and variable.")
	}
	if v, ok := input["backorders"].(string); ok && v != "no" && v != "yes" && v != "notify" {
		return invalid("backorders", "backorders is not one of no, notify, and yes.")
	}
	if name, _ := input["name"].(string); f.refuseTitle != "" && strings.HasPrefix(name, f.refuseTitle) {
		return fail(400, "woocommerce_rest_invalid_name", "A plugin refuses the <b>name</b>.")
	}
	if sku := keptSKU(input); input["sku"] != nil && sku != p.sku {
		return f.skuTaken(sku, p.id)
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
	if v, ok := input["slug"].(string); ok {
		p.slug = f.freeSlug(slugOf(v), p.id)
	}
	if v, ok := input["status"].(string); ok {
		if p.status == "trash" && v != "trash" {
			p.slug = strings.TrimSuffix(p.slug, "__trashed")
		}
		p.status = v
	}
	f.applyFigures(p, input)
	if v, ok := input["categories"].([]any); ok {
		p.categories = nil
		for _, c := range v {
			id := int64(c.(map[string]any)["id"].(float64))
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
			p.attributes = append(p.attributes, readAttribute(a.(map[string]any)))
		}
	}
	if images != nil {
		p.images = images
	}
	f.applyMeta(p, input)
}

// readAttribute keeps the values of an attribute as one text with bars between them.
func readAttribute(in map[string]any) fakeAttribute {
	a := fakeAttribute{name: optionOfProduct(in["name"].(string))}
	a.key = attributeKey(a.name)
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
	return a
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
			p.sku = entry["value"].(string) // goes around every check
		case entry["value"] == nil:
			delete(p.meta, key)
		default:
			p.meta[key] = entry["value"]
		}
	}
}
