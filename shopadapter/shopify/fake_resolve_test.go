package shopify_test

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/pubsync/pubsync/shopadapter/internal/graphqlfake"
)

// resolve answers one root field.
func (f *fakeShop) resolve(kind ast.Operation, name string, a arguments) (any, error) {
	if kind == ast.Mutation {
		return f.mutate(name, a)
	}
	switch name {
	case "currentAppInstallation":
		scopes := []object{}
		for _, s := range f.scopes {
			scopes = append(scopes, object{"handle": s})
		}
		return object{"accessScopes": scopes}, nil
	case "shop":
		return object{
			"name":           storeName,
			"currencyCode":   f.currency,
			"taxesIncluded":  !f.taxesOnTop,
			"resourceLimits": object{"maxProductOptions": 3, "maxProductVariants": f.mostVariants},
		}, nil
	case "location":
		return f.oneOf(f.locations, f.primary, "read_locations")
	case "locations":
		return f.all(f.locations, "read_locations", a)
	case "publications":
		return f.all(f.publications, "read_publications", a)
	case "shopLocales":
		if err := f.allowed("read_locales"); err != nil {
			return nil, err
		}
		return f.locales, nil
	case "metafieldDefinition":
		return f.definition(), nil
	case "productByIdentifier":
		if f.defined != "id" {
			return nil, graphqlfake.Faultf(
				"NOT_FOUND",
				"Metafield definition of type 'id' is required when using custom ids.",
			)
		}
		custom := a["identifier"].(map[string]any)["customId"].(map[string]any)
		return f.findByKey(custom["value"].(string)).object(f), nil
	case "product":
		return f.find(a["id"].(string)).object(f), nil
	case "nodes":
		list := []object{}
		for _, id := range a["ids"].([]any) {
			list = append(list, f.node(id.(string)))
		}
		return list, nil
	case "translatableResource":
		return f.translatable(a["resourceId"].(string)), nil
	case "productOperation":
		return f.operation(a["id"].(string)), nil
	}
	return nil, graphqlfake.Faultf("", "the fake has no query %s", name)
}

func (f *fakeShop) allowed(scope string) error {
	if slices.Contains(f.scopes, scope) || slices.Contains(f.scopes, "write_"+strings.TrimPrefix(scope, "read_")) {
		return nil
	}
	return graphqlfake.Faultf("ACCESS_DENIED", "Access denied. Required access: `%s` access scope.", scope)
}

func (f *fakeShop) oneOf(list []object, id, scope string) (any, error) {
	if err := f.allowed(scope); err != nil {
		return nil, err
	}
	for _, o := range list {
		if o["id"] == id {
			return o, nil
		}
	}
	return nil, nil //nolint:nilnil // null is a value
}

func (f *fakeShop) all(list []object, scope string, a arguments) (any, error) {
	if err := f.allowed(scope); err != nil {
		return nil, err
	}
	return paged(list, a), nil
}

func (f *fakeShop) definition() any {
	if f.defined == "" {
		return nil
	}
	return object{
		"id": "gid://shopify/MetafieldDefinition/1", "type": object{"name": f.defined},
		"metafields": func(a arguments) any {
			list := []object{}
			for _, p := range f.products {
				if p.metafields["pubsync.publication"] != "" {
					list = append(list, object{"owner": p.object(f)})
				}
			}
			return paged(list, a)
		},
	}
}

// originals are the translatable texts of a product, by key.
func (p *fakeProduct) originals() map[string]string {
	texts := map[string]string{"title": p.title, "product_type": p.kind}
	if p.description != "" {
		texts["body_html"] = p.description
	}
	return texts
}

func (f *fakeShop) translatable(id string) any {
	p := f.find(id)
	if p == nil {
		return nil
	}
	contents := []object{}
	for key, text := range p.originals() {
		contents = append(contents, object{"key": key, "digest": digestOf(text)})
	}
	return object{
		"translatableContent": contents,
		"translations": func(a arguments) any {
			return p.translationsIn(a["locale"].(string))
		},
	}
}

func (p *fakeProduct) translationsIn(locale string) []object {
	list := []object{}
	for key, text := range p.translations[locale] {
		outdated := text.digest != digestOf(p.originals()[key])
		list = append(list, object{"key": key, "value": text.value, "outdated": outdated})
	}
	return list
}

// node is what has an id: a product, or a picture among the shop's files. A picture that was taken
// off its product is still there.
func (f *fakeShop) node(id string) object {
	if strings.HasPrefix(id, "gid://shopify/MediaImage/") && !f.gone[id] {
		return object{"__typename": "MediaImage", "id": id}
	}
	return f.find(id).object(f)
}

func (f *fakeShop) operation(id string) any {
	job := f.jobs[id]
	if job == nil {
		return nil
	}
	if job.polls--; job.polls > 0 {
		return object{"__typename": "ProductSetOperation", "status": "ACTIVE", "product": nil, "userErrors": []object{}}
	}
	return object{
		"__typename": "ProductSetOperation",
		"status":     "COMPLETE",
		"product":    f.find(job.product).object(f),
		"userErrors": job.errors,
	}
}
