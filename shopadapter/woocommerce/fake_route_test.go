package woocommerce

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

func (f *fakeShop) getProduct(id int64, query url.Values) (int, any, *failure) {
	f.takes("read", 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.posts[id]
	if p == nil {
		return 0, nil, fail(404, codeNoProduct, "Invalid ID.")
	}
	return http.StatusOK, f.shown(p, query), nil
}

func (f *fakeShop) updateProduct(id int64, input map[string]any, work string) (int, any, *failure) {
	f.mu.Lock()
	p := f.posts[id]
	var e *failure
	switch {
	case p == nil:
		e = fail(400, codeNoProduct, "Invalid ID.")
	case p.kind == "variation":
		e = fail(
			404,
			"woocommerce_rest_invalid_product_id",
			"To manipulate product variations you should use the /products/&lt;product_id&gt;/variations/"+
				"&lt;id&gt; endpoint.",
		)
	default:
		e = f.check(p, input)
	}
	f.mu.Unlock()
	if e != nil {
		return 0, nil, e
	}
	images, e := f.download(input, id)
	if e != nil {
		return 0, nil, e
	}
	f.takes(work, 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.posts[id] == nil {
		return 0, nil, fail(400, codeNoProduct, "Invalid ID.")
	}
	if e := f.check(p, input); e != nil {
		return 0, nil, e
	}
	// Of a change the metadata comes first, then the row, then price and pictures, and the rest at
	// the end.
	f.applyMeta(p, input)
	if f.dead("update meta") {
		return 0, nil, critical()
	}
	f.apply(p, only(input, "name", "description", "status", "slug", "menu_order"), nil)
	if f.dead("update row") {
		return 0, nil, critical()
	}
	f.apply(p, only(input, "sku", "regular_price", "manage_stock", "stock_quantity", "backorders"), images)
	if f.dead("update sku") {
		return 0, nil, critical()
	}
	f.apply(p, input, images)
	if f.dead("update whole") {
		return 0, nil, critical()
	}
	return http.StatusOK, f.shown(p, nil), nil
}

func (f *fakeShop) deleteProduct(id int64, force bool) (int, any, *failure) {
	f.takes("update", 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.posts[id]
	switch {
	case p == nil:
		return 0, nil, fail(404, codeNoProduct, "Invalid ID.")
	case force:
		for _, v := range f.posts {
			if v.parent == id {
				f.erase(v.id)
			}
		}
		f.erase(id)
	case p.status == "trash":
		return 0, nil, fail(410, codeTrashed, "The product has already been deleted.")
	default:
		f.trash(p)
	}
	return http.StatusOK, f.shown(p, nil), nil
}

// trash puts a product in the trash, with its variations. It keeps its SKU in the lookup table.
func (f *fakeShop) trash(p *post) {
	for _, v := range f.posts {
		if v.parent == p.id {
			v.status = "trash"
		}
	}
	p.status, p.slug = "trash", p.slug+"__trashed"
}

// erase deletes for good. The pictures stay in the media library.
func (f *fakeShop) erase(id int64) {
	if p := f.posts[id]; p != nil && f.lookup[strings.ToLower(p.sku)] == id {
		delete(f.lookup, strings.ToLower(p.sku))
	}
	delete(f.posts, id)
}

// listProducts knows some filters and ignores all others. A look-up by SKU splits at commas, takes
// no notice of case and shows variations.
func (f *fakeShop) listProducts(h http.Header, query url.Values) (int, any, *failure) {
	f.takes("list", 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	var skus []string
	if asked := query.Get("sku"); asked != "" {
		skus = append(strings.Split(strings.ToLower(asked), ","), strings.ToLower(asked))
	}
	found := []map[string]any{}
	ids := slices.Sorted(maps.Keys(f.posts))
	if query.Get("order") != "asc" {
		slices.Reverse(ids)
	}
	status := query.Get("status")
	if query.Get("slug") != "" && status == "" {
		status = "publish" // of a slug alone WordPress shows what a visitor may see
	}
	for _, id := range ids {
		p := f.posts[id]
		switch {
		case p.status == "trash" && status != "trash":
		case status != "" && status != "any" && p.status != status:
		case skus == nil && p.kind == "variation":
		case skus != nil && !slices.Contains(skus, strings.ToLower(p.sku)):
		case query.Get("slug") != "" && postSlug(query.Get("slug")) != p.slug:
		default:
			found = append(found, f.shown(p, query))
		}
	}
	return http.StatusOK, paged(h, found, query), nil
}

// batchProducts answers 200 even where all operations fail, as the batch of variations does.
func (f *fakeShop) batchProducts(input map[string]any) (int, any, *failure) {
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
	add := func(kind string, id any, got any, e *failure) *failure {
		list, _ := out[kind].([]any)
		if e != nil && e.status == http.StatusInternalServerError {
			return e
		}
		if e != nil {
			got = map[string]any{"id": id, "error": e.body()}
		}
		out[kind] = append(list, got)
		return nil
	}
	for _, in := range create {
		fields := in.(map[string]any)
		_, got, e := f.createProduct(fields, "batch create")
		if only, ok := fields["_fields"].(string); ok && e == nil {
			got = onlyFields(got, only)
		}
		if e := add("create", 0, got, e); e != nil {
			return 0, nil, e
		}
	}
	for _, in := range update {
		fields := in.(map[string]any)
		id, _ := fields["id"].(float64)
		_, got, e := f.updateProduct(int64(id), fields, "batch update")
		if only, ok := fields["_fields"].(string); ok && e == nil {
			got = onlyFields(got, only)
		}
		if e := add("update", id, got, e); e != nil {
			return 0, nil, e
		}
	}
	for _, in := range remove {
		id, _ := in.(float64)
		_, got, e := f.deleteProduct(int64(id), true)
		if e := add("delete", id, got, e); e != nil {
			return 0, nil, e
		}
	}
	if len(out) == 0 {
		return http.StatusOK, []any{}, nil // PHP's empty list
	}
	return http.StatusOK, out, nil
}
