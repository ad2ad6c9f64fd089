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
				attributes = append(
					attributes,
					map[string]any{"id": a.id, "name": a.name, "slug": a.key, "option": f.shownOption(a, value)},
				)
				link += mark + "attribute_" + a.key + "=" + url.QueryEscape(value)
				mark = "&"
			}
		}
	}
	out := map[string]any{
		"id": v.id, "status": v.status, "sku": v.sku, "permalink": link, "regular_price": v.price, "manage_stock": v.managed, "stock_quantity": nil,
		"backorders": v.backorders, "attributes": attributes, "menu_order": v.order, "meta_data": f.shownMeta(v, query),
		"name": strings.Join(slices.Collect(maps.Values(v.options)), ", "),
	}
	if v.sku == "" && parent != nil {
		out["sku"] = parent.sku // not its own
	}
	f.showFigures(v, out)
	if !v.managed && parent != nil && parent.managed {
		out["manage_stock"], out["stock_quantity"] = "parent", parent.quantity
	}
	out["type"], out["parent_id"] = "variation", v.parent
	return completed("answer variation", out, true)
}

func (f *fakeShop) listVariations(h http.Header, parent int64, query url.Values) (int, any, *failure) {
	f.takes("list", 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	found := []map[string]any{}
	ids := slices.Sorted(maps.Keys(f.posts))
	if query.Get("order") != "asc" {
		slices.Reverse(ids)
	}
	for _, id := range ids {
		v := f.posts[id]
		if sku := query.Get("sku"); v.parent == parent && (v.status == "trash") == (query.Get("status") == "trash") &&
			(sku == "" || strings.EqualFold(sku, v.sku)) {
			found = append(found, f.shownVariation(v, query))
		}
	}
	return http.StatusOK, paged(h, found, query), nil // of a product that does not exist: none
}

// batchVariations answers 200 even where all operations fail. Additions come before changes, those
// before deletions, and a deletion is permanent.
func (f *fakeShop) batchVariations(parent int64, input map[string]any) (int, any, *failure) {
	create, _ := input["create"].([]any)
	update, _ := input["update"].([]any)
	remove, _ := input["delete"].([]any)
	if len(create)+len(update)+len(remove) > 100 {
		return 0, nil, fail(
			413,
			"woocommerce_rest_request_entity_too_large",
			"Unable to accept more than 100 items for this request.",
		)
	}
	f.takes("batch", 0)
	out := map[string]any{}
	wrong := func(id any, e *failure) map[string]any { return map[string]any{"id": id, "error": e.body()} }
	var made, changed, removed []map[string]any
	for _, in := range create {
		v, e := f.createVariation(parent, in.(map[string]any))
		if e != nil && e.status == http.StatusInternalServerError {
			return 0, nil, e // no process is left to go on
		}
		if e != nil {
			v = wrong(0, e)
		}
		made = append(made, v)
	}
	for _, in := range update {
		v, e := f.updateVariation(parent, in.(map[string]any))
		if e != nil && e.status == http.StatusInternalServerError {
			return 0, nil, e
		}
		if e != nil {
			v = wrong(in.(map[string]any)["id"], e)
		}
		changed = append(changed, v)
	}
	for _, in := range remove {
		id, _ := in.(float64)
		f.takes("item", 1)
		v, e := f.deleteVariation(parent, int64(id))
		if e != nil {
			v = wrong(map[string]any{"id": id, "product_id": parent, "force": true}, e)
		}
		removed = append(removed, v)
	}
	for name, list := range map[string][]map[string]any{"create": made, "update": changed, "delete": removed} {
		if list != nil {
			out[name] = list
		}
	}
	return http.StatusOK, out, nil
}

// createVariation looks whether the SKU is free and only later takes it: of several that arrive
// together each finds it free.
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
	v := &post{
		id:         f.nextPost,
		parent:     parent,
		kind:       "variation",
		status:     "publish",
		backorders: "no",
		meta:       map[string]any{},
	}
	f.posts[v.id] = v
	// The row holds status and order. SKU, price and stock follow, then the options, and the
	// metadata at the end.
	f.applyVariation(v, only(input, "status", "menu_order"))
	if f.dead("variation row") {
		return nil, critical()
	}
	if v.sku = sku; sku != "" {
		f.lookup[strings.ToLower(sku)] = v.id
	}
	f.made[sku]++
	f.applyVariation(v, only(input, "regular_price", "manage_stock", "stock_quantity", "backorders"))
	if f.dead("variation sku") {
		return nil, critical()
	}
	f.applyVariation(v, input)
	if f.dead("variation whole") {
		return nil, critical()
	}
	return f.shownVariation(v, nil), nil
}

func (f *fakeShop) getVariation(parent, id int64, query url.Values) (int, any, *failure) {
	f.takes("read", 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.posts[id]
	if v == nil || v.parent != parent {
		return 0, nil, fail(404, codeNoVariation, "Invalid ID.")
	}
	return http.StatusOK, f.shownVariation(v, query), nil
}

// deleteVariation deletes for good.
func (f *fakeShop) deleteVariation(parent, id int64) (map[string]any, *failure) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.posts[id]
	if v == nil || v.parent != parent {
		return nil, fail(404, codeNoVariation, "Invalid ID.")
	}
	shown := f.shownVariation(v, nil)
	f.erase(id)
	return shown, nil
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
	if e := f.checkPrice(input); e != nil {
		return nil, e
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
	f.applyMeta(v, input)
	f.applyVariation(v, only(input, "status", "menu_order"))
	if f.dead("variation update row") {
		return nil, critical()
	}
	f.applyVariation(v, input)
	return f.shownVariation(v, nil), nil
}

// applyVariation takes any value for an option, listed by the product or not, and drops options
// that the product does not have.
func (f *fakeShop) applyVariation(v *post, input map[string]any) {
	f.applyFigures(v, input)
	if status, ok := input["status"].(string); ok {
		v.status = status
	}
	if order, ok := input["menu_order"].(float64); ok {
		v.order = int64(order)
	}
	if list, ok := input["attributes"].([]any); ok {
		v.options = map[string]string{}
		for _, a := range list {
			fields := a.(map[string]any)
			name, _ := fields["name"].(string)
			option, _ := fields["option"].(string)
			id, _ := fields["id"].(float64)
			key := attributeKey(optionOfProduct(name))
			for _, p := range f.posts[v.parent].attributes {
				if p.variation && (id > 0 && p.id == int64(id) || id == 0 && p.key == key) {
					if v.options[p.key] = f.keptOption(p, option); v.options[p.key] == "" {
						delete(v.options, p.key)
					}
				}
			}
		}
	}
	f.applyMeta(v, input)
}
