package woocommerce

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

func (f *fakeShop) shownVariation(v *post, query url.Values) map[string]any {
	parent := f.posts[v.parent]
	attributes := []map[string]any{}
	link := f.base + "/?p=gone"
	if parent != nil {
		link = f.link(parent)
		if f.stray && parent.status == "publish" {
			link = strings.Replace(link, "/product/", "/en/product/", 1)
		}
		mark := "?"
		if strings.Contains(link, "?") {
			mark = "&"
		}
		for _, a := range parent.attributes {
			if value, ok := v.options[a.key]; ok && a.variation {
				attributes = append(attributes, map[string]any{"id": 0, "name": a.name, "slug": a.key, "option": value})
				link += mark + "attribute_" + a.key + "=" + url.QueryEscape(value)
				mark = "&"
			}
		}
	}
	out := map[string]any{
		"id": v.id, "status": v.status, "sku": v.sku, "permalink": link, "regular_price": v.price, "manage_stock": v.managed, "stock_quantity": nil,
		"backorders": v.backorders, "attributes": attributes, "meta_data": f.shownMeta(v, query),
		"name": strings.Join(slices.Collect(maps.Values(v.options)), ", "),
	}
	if v.sku == "" && parent != nil {
		out["sku"] = parent.sku // not its own
	}
	if v.managed {
		out["stock_quantity"] = v.quantity
	} else if parent != nil && parent.managed {
		out["manage_stock"], out["stock_quantity"] = "parent", parent.quantity
	}
	return out
}

func (f *fakeShop) listVariations(h http.Header, parent int64, query url.Values) (int, any, *failure) {
	f.takes("list", 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []map[string]any
	for _, id := range slices.Sorted(maps.Keys(f.posts)) {
		if v := f.posts[id]; v.parent == parent && (v.status == "trash") == (query.Get("status") == "trash") {
			found = append(found, f.shownVariation(v, query))
		}
	}
	return http.StatusOK, paged(h, found, query), nil // of a product that does not exist: none
}

// batchVariations answers 200 whatever happens to the operations. Additions come before changes, those before deletions, and a deletion is
// permanent.
func (f *fakeShop) batchVariations(parent int64, input map[string]any) (int, any, *failure) {
	create, _ := input["create"].([]any)
	update, _ := input["update"].([]any)
	remove, _ := input["delete"].([]any)
	if len(create)+len(update)+len(remove) > 100 {
		return 0, nil, fail(413, "woocommerce_rest_request_entity_too_large", "Unable to accept more than 100 items for this request.")
	}
	f.takes("batch", 0)
	out := map[string]any{}
	wrong := func(id any, e *failure) map[string]any { return map[string]any{"id": id, "error": e.body()} }
	var made, changed, removed []map[string]any
	for _, in := range create {
		v, e := f.createVariation(parent, in.(map[string]any))
		if e != nil {
			v = wrong(0, e)
		}
		made = append(made, v)
	}
	for _, in := range update {
		v, e := f.updateVariation(parent, in.(map[string]any))
		if e != nil {
			v = wrong(in.(map[string]any)["id"], e)
		}
		changed = append(changed, v)
	}
	for _, in := range remove {
		id := int64(in.(float64))
		f.takes("item", 1)
		f.mu.Lock()
		if v := f.posts[id]; v != nil && v.parent == parent {
			removed = append(removed, f.shownVariation(v, nil))
			f.erase(id)
		} else {
			removed = append(removed, wrong(map[string]any{"id": id, "product_id": parent, "force": true}, fail(404, codeNoVariation, "Invalid ID.")))
		}
		f.mu.Unlock()
	}
	for name, list := range map[string][]map[string]any{"create": made, "update": changed, "delete": removed} {
		if list != nil {
			out[name] = list
		}
	}
	return http.StatusOK, out, nil
}

// createVariation looks whether the SKU is free and only later takes it: of several that arrive together each finds it free.
func (f *fakeShop) createVariation(parent int64, input map[string]any) (map[string]any, *failure) {
	sku := keptSKU(input)
	f.mu.Lock()
	e := f.skuTaken(sku, 0)
	if f.posts[parent] == nil && e == nil {
		e = fail(500, "internal_server_error", "<p>There has been a critical error on this website.</p>")
	}
	f.mu.Unlock()
	if e != nil {
		return nil, e
	}
	f.takes("item", 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.nextPost++
	v := &post{id: f.nextPost, parent: parent, kind: "variation", status: "publish", backorders: "no", sku: sku, meta: map[string]any{}}
	f.lookup[strings.ToLower(sku)] = v.id
	f.posts[v.id] = v
	f.made[sku]++
	f.applyVariation(v, input)
	return f.shownVariation(v, nil), nil
}

func (f *fakeShop) updateVariation(parent int64, input map[string]any) (map[string]any, *failure) {
	f.takes("item", 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	id, _ := input["id"].(float64)
	v := f.posts[int64(id)]
	if v == nil || v.parent != parent {
		return nil, fail(404, codeNoVariation, "Invalid ID.")
	}
	if sku := keptSKU(input); input["sku"] != nil && sku != v.sku {
		if e := f.skuTaken(sku, v.id); e != nil {
			return nil, e
		}
		delete(f.lookup, strings.ToLower(v.sku))
		if v.sku = sku; sku != "" {
			f.lookup[strings.ToLower(sku)] = v.id
		}
	}
	f.applyVariation(v, input)
	return f.shownVariation(v, nil), nil
}

// applyVariation takes any value for an option, listed by the product or not, and drops options that the product does not have.
func (f *fakeShop) applyVariation(v *post, input map[string]any) {
	f.applyFigures(v, input)
	if status, ok := input["status"].(string); ok {
		v.status = status
	}
	if list, ok := input["attributes"].([]any); ok {
		v.options = map[string]string{}
		for _, a := range list {
			key := attributeKey(optionOfProduct(a.(map[string]any)["name"].(string)))
			known := slices.ContainsFunc(f.posts[v.parent].attributes, func(p fakeAttribute) bool { return p.key == key && p.variation })
			if known {
				v.options[key] = optionOfVariation(a.(map[string]any)["option"].(string))
			}
		}
	}
	f.applyMeta(v, input)
}
