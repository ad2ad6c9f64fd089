package fakeshop

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// apply writes those fields of a product or a variation that a request names, as WooCommerce keeps
// them.
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
					f.Erase(id) // another type has no variations
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
		delete(kept, "stock_quantity") // without managed stock it is ignored
	}
	if encoded, err := json.Marshal(kept); err == nil {
		_ = json.Unmarshal(encoded, p) // in a batch a value of another type is ignored
	}
	if input["sku"] != nil && p.SKU != "" {
		f.Lookup[strings.ToLower(p.SKU)] = p.ID
	}
	sale, _ := strconv.ParseFloat(p.Sale, 64)
	if regular, _ := strconv.ParseFloat(p.Price, 64); sale >= regular {
		p.Sale = "" // what is no reduction is dropped, whichever of the two was written
	}
	if p.Parent == 0 && !slices.Contains([]string{"draft", "pending", "trash"}, p.Status) {
		p.Slug = f.freeSlug(cmp.Or(p.Slug, postSlug(p.Name)), p.ID) // a draft may have a slug that another has, or none
	}
	f.applyTerms(&p.Categories, f.Categories, input["categories"])
	if f.applyTerms(&p.Brands, f.Brands, input["brands"]); len(p.Categories) == 0 && p.Parent == 0 {
		p.Categories = []int64{uncategorized} // a category that does not exist is no error
	}
	if list, ok := input["attributes"].([]any); ok && p.Parent == 0 {
		p.Attributes = nil // the list is replaced
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

// keptPrice is a price as WooCommerce keeps it: 25,55 is 2555, and what is no number is none.
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
		switch {
		case key == "_sku":
			p.SKU, _ = entry["value"].(string) // goes around every check, and is not shown
		case entry["value"] == nil:
			delete(p.Meta, key)
		default:
			p.Meta[key] = entry["value"]
		}
	}
}
