package fakeshop

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

func (f *Shop) getProduct(id int64, query url.Values) (int, any, *failure) {
	f.takes("read", 1)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	p := f.Posts[id]
	if p == nil {
		return 0, nil, fail(404, faultNoProduct, "Invalid ID.")
	}
	return http.StatusOK, f.shown(p, query), nil
}

func (f *Shop) updateProduct(id int64, input map[string]any, work string) (int, any, *failure) {
	f.Mu.Lock()
	p := f.Posts[id]
	var e *failure
	switch {
	case p == nil:
		e = fail(400, faultNoProduct, "Invalid ID.")
	case p.Kind == "variation":
		e = fail(
			404,
			"woocommerce_rest_invalid_product_id",
			"To manipulate product variations you should use the /products/&lt;product_id&gt;/variations/"+
				"&lt;id&gt; endpoint.",
		)
	default:
		e = f.check(p, input)
	}
	f.Mu.Unlock()
	if e != nil {
		return 0, nil, e
	}
	images, e := f.download(input, id)
	if e != nil {
		return 0, nil, e
	}
	f.takes(work, 1)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if f.Posts[id] == nil {
		return 0, nil, fail(400, faultNoProduct, "Invalid ID.")
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

func (f *Shop) deleteProduct(id int64, force bool) (int, any, *failure) {
	f.takes("update", 1)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	p := f.Posts[id]
	switch {
	case p == nil:
		return 0, nil, fail(404, faultNoProduct, "Invalid ID.")
	case force:
		for _, v := range f.Posts {
			if v.Parent == id {
				f.Erase(v.ID)
			}
		}
		f.Erase(id)
	case p.Status == "trash":
		return 0, nil, fail(410, faultTrashed, "The product has already been deleted.")
	default:
		f.Trash(p)
	}
	return http.StatusOK, f.shown(p, nil), nil
}

// Trash puts a product in the trash, with its variations. It keeps its SKU in the lookup table.
func (f *Shop) Trash(p *Post) {
	for _, v := range f.Posts {
		if v.Parent == p.ID {
			v.Status = "trash"
		}
	}
	p.Status, p.Slug = "trash", p.Slug+"__trashed"
}

// Erase deletes for good. The pictures stay in the media library.
func (f *Shop) Erase(id int64) {
	if p := f.Posts[id]; p != nil && f.Lookup[strings.ToLower(p.SKU)] == id {
		delete(f.Lookup, strings.ToLower(p.SKU))
	}
	delete(f.Posts, id)
}

// listProducts knows some filters and ignores all others. A look-up by SKU splits at commas, takes
// no notice of case and shows variations.
func (f *Shop) listProducts(h http.Header, query url.Values) (int, any, *failure) {
	f.takes("list", 1)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	var skus []string
	if asked := query.Get("sku"); asked != "" {
		skus = append(strings.Split(strings.ToLower(asked), ","), strings.ToLower(asked))
	}
	found := []map[string]any{}
	ids := slices.Sorted(maps.Keys(f.Posts))
	if query.Get("order") != "asc" {
		slices.Reverse(ids)
	}
	status := query.Get("status")
	if query.Get("slug") != "" && status == "" {
		status = "publish" // of a slug alone WordPress shows what a visitor may see
	}
	for _, id := range ids {
		p := f.Posts[id]
		switch {
		case p.Status == "trash" && status != "trash":
		case status != "" && status != "any" && p.Status != status:
		case skus == nil && p.Kind == "variation":
		case skus != nil && !slices.Contains(skus, strings.ToLower(p.SKU)):
		case query.Get("slug") != "" && postSlug(query.Get("slug")) != p.Slug:
		case !p.asked(query):
		default:
			found = append(found, f.shown(p, query))
		}
	}
	return http.StatusOK, paged(h, found, query), nil
}

// batchProducts answers 200 even where all operations fail, as the batch of variations does.
func (f *Shop) batchProducts(input map[string]any) (int, any, *failure) {
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
