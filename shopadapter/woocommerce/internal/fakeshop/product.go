package fakeshop

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Post is a product or a variation.
type Post struct {
	ID         int64             `json:"id"`
	Parent     int64             `json:"-"`
	Kind       string            `json:"type"` // simple, variable, variation
	Status     string            `json:"status"`
	SKU        string            `json:"sku"`
	Name       string            `json:"name"`
	Content    string            `json:"description"`
	Slug       string            `json:"slug"`
	Price      string            `json:"regular_price"`
	Sale       string            `json:"sale_price"`
	Managed    bool              `json:"manage_stock"`
	Quantity   int64             `json:"stock_quantity"`
	Stock      string            `json:"stock_status"`
	Backorders string            `json:"backorders"`
	Order      int64             `json:"menu_order"`
	Visibility string            `json:"catalog_visibility"` // "": visible
	Password   string            `json:"post_password"`      // "": none
	Weight     string            `json:"weight"`
	Dimensions map[string]string `json:"dimensions"`
	EAN        string            `json:"global_unique_id"`

	Categories, Brands, Images []int64           `json:"-"`
	Attributes                 []Attribute       `json:"-"`
	Options                    map[string]string `json:"-"` // of a variation, by key of the attribute
	Meta                       map[string]any    `json:"-"`
}

// Find returns the post of a listing, or nil. The caller holds Mu, or is alone.
func (f *Shop) Find(id shopadapter.ListingID) *Post {
	n, _ := strconv.ParseInt(string(id), 10, 64)
	return f.Posts[n]
}

func (f *Shop) at(method string, parent, id int64) (*Post, *failure) {
	p := f.Posts[id]
	switch {
	case parent > 0 && (p == nil || p.Parent != parent):
		return nil, fail(404, faultNoVariation, "Invalid ID.")
	case p == nil && method == http.MethodPut:
		return nil, fail(400, faultNoProduct, "Invalid ID.")
	case p == nil:
		return nil, fail(404, faultNoProduct, "Invalid ID.")
	}
	return p, nil
}

func (f *Shop) check(p *Post, input map[string]any) *failure {
	name, _ := input["name"].(string)
	price, _ := input["regular_price"].(string)
	sku, ean := keptSKU(input), keptEAN(input)
	switch {
	case f.RefuseTitle != "" && strings.HasPrefix(name, f.RefuseTitle):
		return fail(400, "woocommerce_rest_invalid_name", "A plugin refuses the <b>name</b>.")
	case f.RefusePrice != "" && price == f.RefusePrice:
		return fail(400, "price_refused_by_plugin", "This price is not allowed.")
	}
	taken := func(has func(*Post) bool) int64 {
		least := int64(0)
		for id, other := range f.Posts {
			if id != p.ID && other.Status != "trash" && has(other) && (least == 0 || id < least) {
				least = id
			}
		}
		return least
	}
	if sku != "" && sku != p.SKU {
		if by := taken(func(o *Post) bool { return strings.EqualFold(o.SKU, sku) }); by > 0 {
			e := fail(400, "product_invalid_sku", "Invalid or duplicated SKU.").with(by)
			e.data["unique_sku"] = sku + "-1"
			return e
		}
		if f.RefuseSKU != "" && strings.HasPrefix(sku, f.RefuseSKU) {
			return fail(400, "product_refused_by_plugin", "This article number is not allowed.")
		}
	}
	if by := taken(func(o *Post) bool { return ean != "" && o.EAN == ean }); by > 0 {
		return fail(400, "product_invalid_global_unique_id", "Invalid or duplicated GTIN, UPC, EAN or ISBN.").with(by)
	}
	return nil
}

// create loads a product's pictures before anything is saved, and then looks at its SKU once more. A variation's SKU
// is looked at once, before: several that arrive together each find it free.
func (f *Shop) create(parent int64, input map[string]any) (any, *failure) {
	p := &Post{
		Parent: parent, Kind: "simple", Status: "publish", Backorders: "no", Meta: map[string]any{},
		Categories: []int64{uncategorized}, Name: "Product",
	}
	what, work := "product", "create"
	if parent > 0 {
		p.Kind, p.Name, p.Categories, what, work = "variation", "", nil, "variation", "item"
	}
	f.Mu.Lock()
	e := f.check(p, input)
	if e == nil && parent > 0 && f.Posts[parent] == nil {
		e = critical()
	}
	f.Mu.Unlock()
	if e != nil {
		return nil, e
	}
	images, e := f.download(input)
	if e != nil {
		return nil, e
	}
	f.takes(work)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	sku := keptSKU(input)
	if parent == 0 {
		if e := f.check(p, input); e != nil {
			return nil, e
		}
		if _, taken := f.Lookup[strings.ToLower(sku)]; taken && sku != "" {
			return nil, fail(400, "woocommerce_rest_product_not_created", fmt.Sprintf(
				"The product with SKU (%s) you are trying to insert is already present in the lookup table", sku,
			))
		}
	} else {
		f.Made[sku]++
	}
	f.NextPost++
	p.ID = f.NextPost
	f.Posts[p.ID] = p
	if e := f.write(p, input, images, what); e != nil {
		return nil, e
	}
	return f.shown(p, nil), nil
}

// write saves in the order of PHP: the row, with texts, status, slug and order; then SKU, price and stock; then the
// rest, with metadata last. PHP may die after each.
func (f *Shop) write(p *Post, input map[string]any, images []int64, what string) *failure {
	f.apply(p, only(input, "name", "description", "status", "slug", "menu_order"))
	if f.dead(what + " row") {
		return critical()
	}
	f.apply(p, only(input, "sku", "regular_price", "manage_stock", "stock_quantity", "backorders"))
	if images != nil {
		p.Images = images
	}
	if f.dead(what + " sku") {
		return critical()
	}
	f.apply(p, input)
	if f.dead(what + " whole") {
		return critical()
	}
	return nil
}

// update writes the metadata first.
func (f *Shop) update(parent, id int64, input map[string]any) (any, *failure) {
	f.Mu.Lock()
	p, e := f.at(http.MethodPut, parent, id)
	if e == nil {
		e = f.check(p, input)
	}
	f.Mu.Unlock()
	if e != nil {
		return nil, e
	}
	images, e := f.download(input)
	if e != nil {
		return nil, e
	}
	f.takes("item")
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if p, e = f.at(http.MethodPut, parent, id); e == nil {
		e = f.check(p, input)
	}
	if e != nil {
		return nil, e
	}
	f.applyMeta(p, input)
	if e := f.write(p, input, images, p.Kind+" update"); e != nil {
		return nil, e
	}
	return f.shown(p, nil), nil
}

// remove deletes a variation for good.
func (f *Shop) remove(parent, id int64, force bool) (any, *failure) {
	f.takes("item")
	f.Mu.Lock()
	defer f.Mu.Unlock()
	p, e := f.at(http.MethodDelete, parent, id)
	if e != nil {
		return nil, e
	}
	shown := f.shown(p, nil)
	switch {
	case force || parent > 0:
		for _, v := range f.Posts {
			if v.Parent == id {
				f.Erase(v.ID)
			}
		}
		f.Erase(id)
		return shown, nil
	case p.Status == "trash":
		return nil, fail(410, "woocommerce_rest_already_trashed", "The product has already been deleted.")
	}
	f.Trash(p)
	return f.shown(p, nil), nil
}

// Trash moves a product to the trash, with its variations. The SKU stays in the lookup table.
func (f *Shop) Trash(p *Post) {
	for _, v := range f.Posts {
		if v.Parent == p.ID {
			v.Status = "trash"
		}
	}
	p.Status, p.Slug = "trash", p.Slug+"__trashed"
}

// Erase deletes for good. Pictures stay in the media library.
func (f *Shop) Erase(id int64) {
	f.release(f.Posts[id])
	delete(f.Posts, id)
}

func (f *Shop) release(p *Post) {
	if p != nil && f.Lookup[strings.ToLower(p.SKU)] == p.ID {
		delete(f.Lookup, strings.ToLower(p.SKU))
	}
}

// batch answers 200 even where all operations fail. Additions come before changes, those before deletions. A
// deletion is permanent.
func (f *Shop) batch(parent int64, input map[string]any) (int, any, *failure) {
	size, out := 0, map[string]any{}
	for _, list := range input {
		some, _ := list.([]any)
		size += len(some)
	}
	if size > 100 {
		return 0, nil, fail(413, "woocommerce_rest_request_entity_too_large",
			"Unable to accept more than 100 items for this request.")
	}
	for _, kind := range []string{"create", "update", "delete"} {
		list, _ := input[kind].([]any)
		answers := []any{}
		for _, in := range list {
			fields, _ := in.(map[string]any)
			n, isID := in.(float64)
			if !isID {
				n, _ = fields["id"].(float64)
			}
			var got any
			var e *failure
			id := any(n)
			switch kind {
			case "create":
				got, e = f.create(parent, fields)
			case "update":
				got, e = f.update(parent, int64(n), fields)
			default:
				got, e = f.remove(parent, int64(n), true)
				id = map[string]any{"id": n, "product_id": parent, "force": true}
			}
			switch {
			case e == nil:
			case e.status == http.StatusInternalServerError:
				return 0, nil, e // the process is gone
			default:
				got = map[string]any{"id": id, "error": e.body()}
			}
			answers = append(answers, got)
		}
		if len(answers) > 0 {
			out[kind] = answers
		}
	}
	return http.StatusOK, out, nil
}

// Children returns the ids of a product's variations that are not in the trash, in order.
func (f *Shop) Children(id int64) []int64 {
	list := []int64{}
	for _, v := range f.Posts {
		if v.Parent == id && v.Status != "trash" {
			list = append(list, v.ID)
		}
	}
	slices.Sort(list)
	return list
}

func (f *Shop) apply(p *Post, input map[string]any) {
	kept := map[string]any{}
	for name, given := range input {
		kept[name] = given
		text, ok := given.(string)
		if !ok {
			continue
		}
		switch name {
		case "name":
			if kept[name] = filtered(text); f.Rewrite != nil {
				kept[name] = f.Rewrite(filtered(text))
			}
		case "description":
			kept[name] = filtered(text)
		case "sku":
			kept[name] = keptSKU(input)
			f.release(p)
		case eanField:
			kept[name] = keptEAN(input)
		case "slug":
			kept[name] = postSlug(text)
		case "regular_price":
			kept[name] = keptPrice(text)
		case "type":
			if p.Kind == "variable" && text != "variable" {
				for _, id := range f.Children(p.ID) {
					f.Erase(id)
				}
			}
		case "status":
			if p.Status == "trash" && text != "trash" {
				p.Slug = strings.TrimSuffix(p.Slug, "__trashed")
			}
		}
	}
	if f.Uncounting {
		delete(kept, "manage_stock")
	}
	if managed, ok := kept["manage_stock"].(bool); !managed && (ok || !p.Managed) {
		delete(kept, "stock_quantity") // ignored where stock is not managed
	}
	if encoded, err := json.Marshal(kept); err == nil {
		_ = json.Unmarshal(encoded, p) // in a batch a value of another type is ignored
	}
	if input["sku"] != nil && p.SKU != "" {
		f.Lookup[strings.ToLower(p.SKU)] = p.ID
	}
	sale, _ := strconv.ParseFloat(p.Sale, 64)
	if regular, _ := strconv.ParseFloat(p.Price, 64); sale >= regular {
		p.Sale = "" // WooCommerce drops what is no reduction
	}
	if p.Parent == 0 && !slices.Contains([]string{"draft", "pending", "trash"}, p.Status) {
		p.Slug = cmp.Or(p.Slug, postSlug(p.Name)) // a draft may have none
	}
	f.applyTerms(&p.Categories, f.Categories, input["categories"])
	if f.applyTerms(&p.Brands, f.Brands, input["brands"]); len(p.Categories) == 0 && p.Parent == 0 {
		p.Categories = []int64{uncategorized} // a category that does not exist is no error
	}
	if list, ok := input["attributes"].([]any); ok && p.Parent == 0 {
		p.Attributes = nil // replaced
		for _, a := range list {
			if read, ok := f.readAttribute(a.(map[string]any)); ok {
				p.Attributes = append(p.Attributes, read)
			}
		}
	} else if ok {
		f.choose(p, list)
	}
	f.applyMeta(p, input)
}

// keptPrice makes 25,55 into 2555, and drops what is no number.
func keptPrice(text string) string {
	if strings.Contains(text, ",") {
		return strings.ReplaceAll(text, ",", "")
	}
	if strings.ContainsFunc(text, func(r rune) bool { return (r < '0' || '9' < r) && r != '.' && r != '-' }) {
		return ""
	}
	return text
}

func (f *Shop) applyMeta(p *Post, input map[string]any) {
	list, _ := input["meta_data"].([]any)
	for _, m := range list {
		entry := m.(map[string]any)
		key := entry["key"].(string)
		if p.Meta[key] = entry["value"]; entry["value"] == nil {
			delete(p.Meta, key)
		}
	}
}
