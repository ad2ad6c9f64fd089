package fakeshop

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// day is when everything in the shop was made.
const day = "2026-11-20T11:23:16"

func (f *Shop) link(p *Post) string {
	switch p.Status {
	case "draft", "pending", "future":
		return fmt.Sprintf("%s/?post_type=product&p=%d", f.Base, p.ID)
	}
	return f.Base + "/product/" + p.Slug + "/"
}

// shown is a product or a variation as the API shows it; query is nil for the answer to a write.
func (f *Shop) shown(p *Post, query url.Values) map[string]any {
	edit := query == nil || query.Get("context") == "edit"
	parent := f.Posts[p.Parent]
	inherits := func(of func(*Post) string) string { // a variation without a value of its own shows its product's
		if own := of(p); own != "" || parent == nil {
			return own
		}
		return of(parent)
	}
	size := func(name string) string { return inherits(func(p *Post) string { return p.Dimensions[name] }) }
	meta := []map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(p.Meta)) {
		if some := query.Get("include_meta"); some == "" || slices.Contains(strings.Split(some, ","), key) {
			meta = append(meta, map[string]any{"id": 1, "key": key, "value": p.Meta[key]})
		}
	}
	out := map[string]any{
		"id": p.ID, "type": p.Kind, "status": p.Status, "parent_id": p.Parent, "sku": p.SKU, "meta_data": meta,
		"regular_price": p.Price, "sale_price": p.Sale, "price": cmp.Or(p.Sale, p.Price), "on_sale": p.Sale != "",
		"purchasable": p.Price != "", "manage_stock": p.Managed, "stock_quantity": nil, "backorders": p.Backorders,
		"backorders_allowed": p.Backorders != "no", "backordered": p.Managed && p.Quantity < 0, "stock_status": p.stock(),
		"weight": inherits(func(p *Post) string { return p.Weight }), "menu_order": p.Order,
		eanField:     inherits(func(p *Post) string { return p.EAN }),
		"dimensions": map[string]any{"length": size("length"), "width": size("width"), "height": size("height")},
	}
	if p.Managed {
		out["stock_quantity"] = p.Quantity
	}
	for name, value := range map[string]string{"date_on_sale_from": p.SaleFrom, "date_on_sale_to": p.SaleTo} {
		if out[name], out[name+"_gmt"] = nil, nil; value != "" {
			out[name], out[name+"_gmt"] = value, value
		}
	}
	if p.Kind == "variation" {
		f.showVariation(out, p, parent)
		return completed("answer variation", out, true)
	}
	f.showProduct(out, p)
	if !edit {
		out["description"] = paragraphs(p.Content)
	}
	return completed("answer product", out, edit)
}

// stock is the stock status: what was written counts only where the stock is not managed.
func (p *Post) stock() string {
	switch {
	case !p.Managed:
		return cmp.Or(p.Stock, "instock")
	case p.Quantity > 0:
		return "instock"
	case p.Backorders != "no":
		return "onbackorder"
	}
	return "outofstock"
}

func (f *Shop) showVariation(out map[string]any, v, parent *Post) {
	attributes, link, mark := []map[string]any{}, f.Base+"/?p=gone", "?"
	if parent == nil {
		parent = &Post{}
	} else if link = f.link(parent); strings.Contains(link, "?") {
		mark = "&"
	}
	for _, a := range parent.Attributes {
		if kept, ok := v.Options[a.Key]; ok && a.Variation {
			attributes = append(attributes, map[string]any{
				"id": a.ID, "name": a.Name, "slug": a.Key, "option": f.shownOption(a, kept),
			})
			link, mark = link+mark+"attribute_"+a.Key+"="+url.QueryEscape(kept), "&"
		}
	}
	if !v.Managed && parent.Managed {
		out["manage_stock"], out["stock_quantity"] = "parent", parent.Quantity
	}
	out["permalink"], out["attributes"], out["date_modified"] = link, attributes, day
	out["name"] = strings.Join(slices.Collect(maps.Values(v.Options)), ", ")
	out["sku"] = cmp.Or(v.SKU, parent.SKU)
}

func (f *Shop) showProduct(out map[string]any, p *Post) {
	attributes, images := []map[string]any{}, []map[string]any{}
	for _, a := range p.Attributes {
		attributes = append(attributes, map[string]any{
			"id": a.ID, "name": a.Name, "slug": a.slug(), "position": a.Position, "visible": a.Visible,
			"variation": a.Variation, "options": a.Options,
		})
	}
	for _, id := range p.Images {
		images = append(images, map[string]any{
			"id": id, "src": f.Base + "/wp-content/uploads/" + f.Media[id].File, "name": f.Media[id].Name, "alt": "",
			"date_created": day, "date_created_gmt": day, "date_modified": day, "date_modified_gmt": day,
		})
	}
	out["name"], out["description"], out["slug"], out["permalink"] = p.Name, p.Content, p.Slug, f.link(p)
	out["catalog_visibility"], out["post_password"] = cmp.Or(p.Visibility, "visible"), p.Password
	out["categories"], out["brands"] = shownTerms(f.Categories, p.Categories), shownTerms(f.Brands, p.Brands)
	out["attributes"], out["images"], out["variations"] = attributes, images, f.Children(p.ID)
	if p.Kind == "variable" { // a price on the product itself is ignored
		out["regular_price"], out["sale_price"], out["has_options"] = "", "", true
	}
}

// completed adds to an answer what a real one shows besides, empty.
func completed(form string, out map[string]any, edit bool) map[string]any {
	usual := map[string]any{
		"tax_status": "taxable", "download_limit": -1, "download_expiry": -1, "reviews_allowed": true,
		"average_rating": "0", "shipping_required": true, "shipping_taxable": true, "date_created": day,
		"date_created_gmt": day, "date_modified": day, "date_modified_gmt": day,
	}
	for name, a := range schema()[form] {
		if _, there := out[name]; !there {
			if out[name] = usual[name]; out[name] == nil {
				out[name] = a.empty()
			}
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
	fields := map[string]any{}
	for name, field := range a.Fields {
		fields[name] = field.empty()
	}
	return map[string]any{"string": "", "boolean": false, "array": []any{}, "object": fields, "integer": 0}[a.Type[0]]
}
