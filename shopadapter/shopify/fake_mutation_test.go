package shopify_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter/internal/graphqlfake"
)

// refused is a payload with one user error.
func refused(code, message string, field ...string) object {
	return object{
		"product": nil, "productSetOperation": nil, "publishable": nil, "deletedProductId": nil, "createdDefinition": nil,
		"userErrors": []object{{"code": code, "message": message, "field": field}},
	}
}

func done(more object) object {
	payload := refused("", "")
	payload["userErrors"] = []object{}
	for name, value := range more {
		payload[name] = value
	}
	return payload
}

func (f *fakeShop) mutate(name string, a arguments) (any, error) {
	scope := "write_products"
	switch name {
	case "publishablePublish":
		scope = "write_publications"
	case "translationsRegister":
		scope = "write_translations"
	}
	if err := f.allowed(scope); err != nil {
		return nil, err
	}
	switch name {
	case "metafieldDefinitionCreate":
		if f.defined != "" {
			return refused(
				"TAKEN",
				"Key is in use for Product metafields on the 'pubsync' namespace.",
				"definition",
				"key",
			), nil
		}
		f.defined = a["definition"].(map[string]any)["type"].(string)
		return done(object{"createdDefinition": object{"id": "gid://shopify/MetafieldDefinition/1"}}), nil
	case "productSet":
		return f.productSet(a)
	case "productUpdate":
		return f.productUpdate(a["product"].(map[string]any)), nil
	case "productDelete":
		id := a["input"].(map[string]any)["id"].(string)
		if f.find(id) == nil {
			return refused("", "Product does not exist", "id"), nil
		}
		f.products = slices.DeleteFunc(f.products, func(p *fakeProduct) bool { return p.id == id })
		return done(object{"deletedProductId": id}), nil
	case "publishablePublish":
		return f.publish(a), nil
	case "translationsRegister":
		return f.register(a), nil
	}
	return nil, graphqlfake.Faultf("", "the fake has no mutation %s", name)
}

func (f *fakeShop) publish(a arguments) object {
	p := f.find(a["id"].(string))
	if of, v := f.findVariant(a["id"].(string)); v != nil {
		v.off, of.updated = false, time.Now()
		return done(object{"publishable": v.object(of)})
	}
	if p == nil {
		return refused("", "Resource not found", "id")
	}
	for _, in := range a["input"].([]any) {
		id := in.(map[string]any)["publicationId"].(string)
		if !slices.ContainsFunc(f.publications, func(o object) bool { return o["id"] == id }) {
			return refused("", "Publication does not exist or is not publishable", "input", "0", "publicationId")
		}
		p.published[id], p.updated = true, time.Now()
	}
	return done(object{"publishable": p.object(f)})
}

func (f *fakeShop) register(a arguments) object {
	p := f.find(a["resourceId"].(string))
	if p == nil {
		return refused("RESOURCE_NOT_FOUND", "Resource does not exist", "resourceId")
	}
	for i, in := range a["translations"].([]any) {
		t := in.(map[string]any)
		locale, key := t["locale"].(string), t["key"].(string)
		if !slices.ContainsFunc(
			f.locales,
			func(o object) bool { return o["locale"] == locale && o["primary"] == false },
		) {
			return refused(
				"INVALID_LOCALE_FOR_SHOP",
				"Locale is invalid for the shop",
				"translations",
				fmt.Sprint(i),
				"locale",
			)
		}
		if t["translatableContentDigest"] != digestOf(p.originals()[key]) {
			return refused(
				"INVALID_TRANSLATABLE_CONTENT",
				"Translatable content hash is invalid",
				"translations",
				fmt.Sprint(i),
			)
		}
		if p.translations == nil {
			p.translations = map[string]map[string]fakeText{}
		}
		if p.translations[locale] == nil {
			p.translations[locale] = map[string]fakeText{}
		}
		p.translations[locale][key] = fakeText{value: t["value"].(string), digest: digestOf(p.originals()[key])}
	}
	return done(nil)
}

func (f *fakeShop) productUpdate(in map[string]any) object {
	p := f.find(in["id"].(string))
	if p == nil {
		return refused("", "Product does not exist", "id")
	}
	if wrong := wrongWords(in, "product"); wrong != nil {
		return wrong
	}
	f.writeWords(p, in)
	p.updated = time.Now()
	metafields, _ := in["metafields"].([]any)
	for _, m := range metafields { // here they are added to those that are there
		p.metafields[metafieldName(m)] = m.(map[string]any)["value"].(string)
	}
	return done(object{"product": p.object(f)})
}

func metafieldName(m any) string {
	in := m.(map[string]any)
	return fmt.Sprint(in["namespace"], ".", in["key"])
}

// forbidden is a word that this shop lets stand in no title.
const forbidden = "counterfeit"

func wrongWords(in map[string]any, root string) object {
	title, given := in["title"].(string)
	switch {
	case given && strings.TrimSpace(title) == "":
		return refused("INVALID_PRODUCT", "Title can't be blank", root, "title")
	case len([]rune(title)) > 255:
		return refused("INVALID_PRODUCT", "Title is too long (maximum is 255 characters)", root, "title")
	case len([]rune(words(in, "vendor"))) > 255:
		return refused("INVALID_PRODUCT", "Vendor is too long (maximum is 255 characters)", root, "vendor")
	case strings.Contains(title, forbidden):
		return refused("INVALID_PRODUCT", "Title contains a word that is not allowed", root, "title")
	}
	return nil
}

func words(in map[string]any, name string) string {
	text, _ := in[name].(string)
	return text
}

func (f *fakeShop) writeWords(p *fakeProduct, in map[string]any) {
	if title, ok := in["title"].(string); ok {
		p.title = strings.TrimSpace(title)
	}
	if text, ok := in["descriptionHtml"].(string); ok {
		if f.rewrite != nil {
			text = f.rewrite(text)
		}
		p.description = text
	}
	if kind, ok := in["productType"].(string); ok {
		p.kind = kind
	}
	if status, ok := in["status"].(string); ok {
		p.status = status
	}
	if vendor, ok := in["vendor"].(string); ok {
		p.vendor = strings.TrimSpace(vendor)
	}
	if tags, ok := in["tags"].([]any); ok {
		p.tags = nil
		for _, t := range tags {
			for tag := range strings.SplitSeq(t.(string), ",") {
				p.tags = append(p.tags, strings.TrimSpace(tag))
			}
		}
		slices.Sort(p.tags)
	}
}
