package fakeshop

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

func (f *Shop) shownVariation(v *Post, query url.Values) map[string]any {
	parent := f.Posts[v.Parent]
	attributes := []map[string]any{}
	link := f.Base + "/?p=gone"
	if parent != nil {
		link = f.link(parent)
		if f.Stray && parent.Status == "publish" {
			link = strings.Replace(link, "/product/", "/en/product/", 1)
		}
		mark := "?"
		if strings.Contains(link, "?") {
			mark = "&"
		}
		for _, a := range parent.Attributes {
			if value, ok := v.Options[a.Key]; ok && a.Variation {
				attributes = append(
					attributes, map[string]any{"id": a.ID, "name": a.Name, "slug": a.Key, "option": f.shownOption(a, value)},
				)
				link += mark + "attribute_" + a.Key + "=" + url.QueryEscape(value)
				mark = "&"
			}
		}
	}
	out := map[string]any{
		"id": v.ID, "status": v.Status, "sku": v.SKU, "permalink": link, "regular_price": v.Price,
		"manage_stock": v.Managed, "stock_quantity": nil,
		"backorders": v.Backorders, "attributes": attributes, "menu_order": v.order, "meta_data": f.shownMeta(v, query),
		"name": strings.Join(slices.Collect(maps.Values(v.Options)), ", "),
	}
	if v.SKU == "" && parent != nil {
		out["sku"] = parent.SKU // not its own
	}
	out["date_modified"] = day
	showSizes(v, parent, out)
	f.showFigures(v, out)
	if !v.Managed && parent != nil && parent.Managed {
		out["manage_stock"], out["stock_quantity"] = "parent", parent.Quantity
	}
	out["type"], out["parent_id"] = "variation", v.Parent
	return completed("answer variation", out, true)
}

func (f *Shop) listVariations(h http.Header, parent int64, query url.Values) (int, any, *failure) {
	f.takes("list", 1)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	found := []map[string]any{}
	ids := slices.Sorted(maps.Keys(f.Posts))
	if query.Get("order") != "asc" {
		slices.Reverse(ids)
	}
	for _, id := range ids {
		v := f.Posts[id]
		if sku := query.Get("sku"); v.Parent == parent && v.asked(query) &&
			(v.Status == "trash") == (query.Get("status") == "trash") &&
			(sku == "" || strings.EqualFold(sku, v.SKU)) {
			found = append(found, f.shownVariation(v, query))
		}
	}
	return http.StatusOK, paged(h, found, query), nil // of a product that does not exist: none
}

// listAllVariations lists those of all products. Unlike the list of one product's it shows dates in
// UTC.
func (f *Shop) listAllVariations(h http.Header, query url.Values) (int, any, *failure) {
	f.takes("list", 1)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	found := []map[string]any{}
	ids := slices.Sorted(maps.Keys(f.Posts))
	if query.Get("order") != "asc" {
		slices.Reverse(ids)
	}
	for _, id := range ids {
		if v := f.Posts[id]; v.Kind == "variation" && v.Status != "trash" && v.asked(query) {
			shown := f.shownVariation(v, query)
			shown["date_modified_gmt"] = day
			found = append(found, shown)
		}
	}
	return http.StatusOK, paged(h, found, query), nil
}

// batchVariations answers 200 even where all operations fail. Additions come before changes, those
// before deletions, and a deletion is permanent.
func (f *Shop) batchVariations(parent int64, input map[string]any) (int, any, *failure) {
	create, _ := input["create"].([]any)
	update, _ := input["update"].([]any)
	remove, _ := input["delete"].([]any)
	if len(create)+len(update)+len(remove) > 100 {
		return 0, nil, fail(
			413, "woocommerce_rest_request_entity_too_large", "Unable to accept more than 100 items for this request.",
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
func (f *Shop) createVariation(parent int64, input map[string]any) (map[string]any, *failure) {
	sku := keptSKU(input)
	f.Mu.Lock()
	e := f.skuTaken(sku, 0)
	if e == nil {
		e = f.eanTaken(input, 0)
	}
	if f.Posts[parent] == nil && e == nil {
		e = fail(500, "internal_server_error", "<p>There has been a critical error on this website.</p>")
	}
	f.Mu.Unlock()
	if e != nil {
		return nil, e
	}
	f.takes("item", 1)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.NextPost++
	v := &Post{
		ID: f.NextPost, Parent: parent, Kind: "variation", Status: "publish", Backorders: "no", Meta: map[string]any{},
	}
	f.Posts[v.ID] = v
	// The row holds status and order. SKU, price and stock follow, then the options, and the
	// metadata at the end.
	f.applyVariation(v, only(input, "status", "menu_order"))
	if f.dead("variation row") {
		return nil, critical()
	}
	if v.SKU = sku; sku != "" {
		f.Lookup[strings.ToLower(sku)] = v.ID
	}
	f.Made[sku]++
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

func (f *Shop) getVariation(parent, id int64, query url.Values) (int, any, *failure) {
	f.takes("read", 1)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	v := f.Posts[id]
	if v == nil || v.Parent != parent {
		return 0, nil, fail(404, faultNoVariation, "Invalid ID.")
	}
	return http.StatusOK, f.shownVariation(v, query), nil
}

// deleteVariation deletes for good.
func (f *Shop) deleteVariation(parent, id int64) (map[string]any, *failure) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	v := f.Posts[id]
	if v == nil || v.Parent != parent {
		return nil, fail(404, faultNoVariation, "Invalid ID.")
	}
	shown := f.shownVariation(v, nil)
	f.Erase(id)
	return shown, nil
}

func (f *Shop) updateVariation(parent int64, input map[string]any) (map[string]any, *failure) {
	f.takes("item", 1)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	id, _ := input["id"].(float64)
	v := f.Posts[int64(id)]
	if v == nil || v.Parent != parent {
		return nil, fail(404, faultNoVariation, "Invalid ID.")
	}
	if e := f.checkPrice(input); e != nil {
		return nil, e
	}
	if e := f.eanTaken(input, v.ID); e != nil {
		return nil, e
	}
	if sku := keptSKU(input); input["sku"] != nil && sku != v.SKU {
		if e := f.skuTaken(sku, v.ID); e != nil {
			return nil, e
		}
		delete(f.Lookup, strings.ToLower(v.SKU))
		if v.SKU = sku; sku != "" {
			f.Lookup[strings.ToLower(sku)] = v.ID
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
func (f *Shop) applyVariation(v *Post, input map[string]any) {
	f.applyFigures(v, input)
	if status, ok := input["status"].(string); ok {
		v.Status = status
	}
	if order, ok := input["menu_order"].(float64); ok {
		v.order = int64(order)
	}
	if list, ok := input["attributes"].([]any); ok {
		v.Options = map[string]string{}
		for _, a := range list {
			fields := a.(map[string]any)
			name, _ := fields["name"].(string)
			option, _ := fields["option"].(string)
			id, _ := fields["id"].(float64)
			key := attributeKey(optionOfProduct(name))
			for _, p := range f.Posts[v.Parent].Attributes {
				if p.Variation && (id > 0 && p.ID == int64(id) || id == 0 && p.Key == key) {
					if v.Options[p.Key] = f.keptOption(p, option); v.Options[p.Key] == "" {
						delete(v.Options, p.Key)
					}
				}
			}
		}
	}
	v.size(input)
	f.applyMeta(v, input)
}
