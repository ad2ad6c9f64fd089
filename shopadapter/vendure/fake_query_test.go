package vendure_test

import (
	"maps"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/pubsync/pubsync/shopadapter/internal/graphqlfake"
)

// resolve answers one field of Query or Mutation.
func (e *execution) resolve(kind ast.Operation, name string, args arguments) (any, error) {
	if kind == ast.Mutation {
		return e.mutate(name, args)
	}
	f := e.shop
	switch name {
	case "activeChannel":
		return f.activeChannel(), nil
	case "globalSettings":
		settings := object{"serverConfig": object{
			"moneyStrategyPrecision": f.precision, "entityCustomFields": f.declared(),
		}}
		maps.Copy(settings, f.global)
		return settings, nil
	case "me":
		return object{"channels": []object{{"token": f.channel["token"], "permissions": f.rights}}}, nil
	case "products":
		var all []object
		for _, p := range f.products {
			if !p.deleted {
				all = append(all, p.object())
			}
		}
		return page(all, args)
	case "product":
		if p := f.product(args["id"].(string)); p != nil {
			return p.object(), nil
		}
		return nil, nil
	case "productVariants":
		var all []object
		for _, p := range f.products {
			for _, v := range p.variants {
				if !p.deleted && !v.deleted {
					all = append(all, v.object(f))
				}
			}
		}
		return page(all, args)
	case "productOptionGroups":
		var all []object
		for _, g := range f.groups {
			if !g.deleted {
				all = append(all, g.object())
			}
		}
		return page(all, args)
	case "assets":
		var all []object
		for _, a := range f.assets {
			all = append(all, a.object())
		}
		return page(all, args)
	case "facets", "facetValues":
		var all []object
		for _, facet := range f.facets {
			if name == "facets" {
				all = append(all, facet.object())
				continue
			}
			for _, value := range facet.values {
				all = append(all, value.object(facet))
			}
		}
		return page(all, args)
	}
	return nil, graphqlfake.Faultf("", "the fake does not know the query %s", name)
}

func (f *fakeShop) activeChannel() object {
	c := object{}
	for name, value := range f.channel {
		c[name] = value
	}
	if f.noTaxZone {
		c["defaultTaxZone"] = nil
	}
	return c
}

// page applies filter, skip and take. Everything is in the order of its id already.
func page(all []object, args arguments) (any, error) {
	options, _ := args["options"].(map[string]any)
	filter, _ := options["filter"].(map[string]any)
	items := []object{}
	for _, item := range all {
		if matches(item, filter) {
			items = append(items, item)
		}
	}
	total := len(items)
	skip, take := whole(options["skip"]), whole(options["take"])
	if take > 1000 {
		return nil, graphqlfake.Faultf("USER_INPUT_ERROR", "Cannot take more than 1000 results from a list query")
	}
	items = items[min(skip, total):]
	if take > 0 {
		items = items[:min(take, len(items))]
	}
	return object{"items": items, "totalItems": total}, nil
}

func matches(item object, filter map[string]any) bool {
	for name, condition := range filter {
		if name == "_or" {
			met := false
			for _, alternative := range list(condition) {
				met = met || matches(item, alternative.(map[string]any))
			}
			if !met {
				return false
			}
			continue
		}
		value, ok := item[name]
		if custom, isCustom := item["customFields"].(object); !ok && isCustom {
			value = custom[name]
		}
		text, _ := value.(string)
		for operator, operand := range condition.(map[string]any) {
			met := false
			switch operator {
			case "eq":
				met = strings.EqualFold(text, operand.(string)) && value != nil // as MySQL compares
			case "contains":
				met = strings.Contains(strings.ToLower(text), strings.ToLower(operand.(string)))
			case "in":
				for _, one := range list(operand) {
					met = met || text == one.(string)
				}
			case "isNull":
				met = operand.(bool) == (value == nil)
			}
			if !met {
				return false
			}
		}
	}
	return true
}

// list is a variable's or a literal's list; GraphQL takes one value for a list of one.
func list(value any) []any {
	switch value := value.(type) {
	case nil:
		return nil
	case []any:
		return value
	case []string:
		var l []any
		for _, s := range value {
			l = append(l, s)
		}
		return l
	}
	return []any{value}
}

// whole is a number of a variable or a literal.
func whole(value any) int {
	switch value := value.(type) {
	case float64:
		return int(value)
	case int64:
		return int(value)
	case int:
		return value
	}
	return 0
}
