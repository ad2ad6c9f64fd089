package fakeshop

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// shown returns what an adapter could go by; query is nil for the answer to a write.
func (f *Shop) shown(p *Post, query url.Values) map[string]any {
	out := map[string]any{}
	kept, _ := json.Marshal(p) //nolint:gosec // of no real shop
	_ = json.Unmarshal(kept, &out)
	meta := []map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(p.Meta)) {
		if some := query.Get("include_meta"); some == "" || slices.Contains(strings.Split(some, ","), key) {
			meta = append(meta, map[string]any{"id": 1, "key": key, "value": p.Meta[key]})
		}
	}
	out["id"], out["parent_id"], out["menu_order"], out["meta_data"] = p.ID, p.Parent, p.Order, meta
	out["price"], out["stock_status"] = cmp.Or(p.Sale, p.Price), p.Availability()
	if out["stock_quantity"] = nil; p.Managed {
		out["stock_quantity"] = p.Quantity
	}
	parent := f.Posts[p.Parent]
	if p.Kind == "variation" && parent == nil {
		parent = &Post{}
	}
	size := func(name string) string {
		if own := p.Dimensions[name]; own != "" || parent == nil {
			return own
		}
		return parent.Dimensions[name]
	}
	out["dimensions"] = map[string]any{"length": size("length"), "width": size("width"), "height": size("height")}
	if p.Kind == "variation" {
		f.showVariation(out, p, parent)
		return out
	}
	f.showProduct(out, p)
	return out
}

// Availability is the stock status. A written one counts only where stock is not managed.
func (p *Post) Availability() string {
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

// showVariation shows what the product has where the variation has none of its own.
func (f *Shop) showVariation(out map[string]any, v, parent *Post) {
	attributes := []map[string]any{}
	for _, a := range parent.Attributes {
		if kept, ok := v.Options[a.Key]; ok && a.Variation {
			attributes = append(attributes, map[string]any{
				"id": a.ID, "name": a.Name, "slug": a.Key, "option": kept,
			})
		}
	}
	if !v.Managed && parent.Managed {
		out["manage_stock"], out["stock_quantity"] = "parent", parent.Quantity
	}
	out["attributes"], out["sku"] = attributes, cmp.Or(v.SKU, parent.SKU)
	out["weight"], out[eanField] = cmp.Or(v.Weight, parent.Weight), cmp.Or(v.EAN, parent.EAN)
	for _, name := range []string{"slug", "catalog_visibility", "post_password"} {
		delete(out, name)
	}
}

func (f *Shop) showProduct(out map[string]any, p *Post) {
	attributes, images := []map[string]any{}, []map[string]any{}
	for _, a := range p.Attributes {
		attributes = append(attributes, map[string]any{
			"id": a.ID, "name": a.Name, "slug": a.Slug(), "position": a.Position, "visible": a.Visible,
			"variation": a.Variation, "options": a.Options,
		})
	}
	for _, id := range p.Images {
		if f.Media[id] == nil {
			continue // deleted from the media library
		}
		images = append(images, map[string]any{
			"id": id, "src": f.Base + "/wp-content/uploads/" + f.Media[id].File, "name": f.Media[id].Name,
		})
	}
	out["permalink"], out["catalog_visibility"] = f.Base+"/product/"+p.Slug+"/", cmp.Or(p.Visibility, "visible")
	if slices.Contains([]string{"draft", "pending", "future"}, p.Status) {
		out["permalink"] = fmt.Sprintf("%s/?post_type=product&p=%d", f.Base, p.ID)
	}
	out["categories"], out["brands"] = ShownTerms(f.Categories, p.Categories), ShownTerms(f.Brands, p.Brands)
	out["attributes"], out["images"], out["variations"] = attributes, images, f.Children(p.ID)
	if p.Kind == "variable" { // its own price is ignored
		out["regular_price"], out["sale_price"] = "", ""
	}
}
