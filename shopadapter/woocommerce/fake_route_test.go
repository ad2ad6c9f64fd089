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

func (f *fakeShop) updateProduct(id int64, input map[string]any) (int, any, *failure) {
	f.mu.Lock()
	p := f.posts[id]
	var e *failure
	switch {
	case p == nil:
		e = fail(400, codeNoProduct, "Invalid ID.")
	case p.kind == "variation":
		e = fail(404, "woocommerce_rest_invalid_product_id", "To manipulate product variations you should use the /products/&lt;product_id&gt;/variations/"+
			"&lt;id&gt; endpoint.")
	default:
		e = f.check(p, input)
	}
	f.mu.Unlock()
	if e != nil {
		return 0, nil, e
	}
	images, e := f.download(input)
	if e != nil {
		return 0, nil, e
	}
	f.takes("update", 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.posts[id] == nil {
		return 0, nil, fail(400, codeNoProduct, "Invalid ID.")
	}
	if e := f.check(p, input); e != nil {
		return 0, nil, e
	}
	f.apply(p, input, images)
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

// listProducts knows some filters and ignores all others. A look-up by SKU splits at commas, takes no notice of case and shows variations.
func (f *fakeShop) listProducts(h http.Header, query url.Values) (int, any, *failure) {
	if query.Get("per_page") == "101" {
		return 0, nil, fail(400, "rest_invalid_param", "Invalid parameter(s): per_page")
	}
	f.takes("list", 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	var skus []string
	if asked := query.Get("sku"); asked != "" {
		skus = append(strings.Split(strings.ToLower(asked), ","), strings.ToLower(asked))
	}
	var found []map[string]any
	for _, id := range slices.Sorted(maps.Keys(f.posts)) {
		p := f.posts[id]
		switch {
		case (p.status == "trash") != (query.Get("status") == "trash"):
		case skus == nil && p.kind == "variation":
		case skus != nil && !slices.Contains(skus, strings.ToLower(p.sku)):
		case query.Get("slug") != "" && query.Get("slug") != p.slug:
		default:
			found = append(found, f.shown(p, query))
		}
	}
	return http.StatusOK, paged(h, found, query), nil
}
