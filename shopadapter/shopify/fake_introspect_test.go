package shopify_test

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// introspect is a type as introspection shows it, as far as the adapter asks.
func (f *fakeShop) introspect(name string) any {
	definition := f.schema.Types[name]
	if definition == nil || slices.Contains(f.without, name) {
		return nil
	}
	fields, inputs, values := []object{}, []object{}, []object{}
	for _, field := range definition.Fields {
		switch path := name + "." + field.Name; {
		case slices.Contains(f.without, path):
		case definition.Kind == ast.InputObject:
			inputs = append(inputs, inputObject(field.Name, field.Type.NonNull))
		default:
			args := []object{}
			for _, a := range field.Arguments {
				if !slices.Contains(f.without, path+"("+a.Name+":)") {
					args = append(args, inputObject(a.Name, a.Type.NonNull))
				}
			}
			for _, demand := range f.demands {
				if arg, ok := strings.CutPrefix(demand, path+"("); ok {
					args = append(args, inputObject(strings.TrimSuffix(arg, ":)"), true))
				}
			}
			fields = append(fields, object{"name": field.Name, "args": args})
		}
	}
	for _, demand := range f.demands {
		if field, ok := strings.CutPrefix(demand, name+"."); ok && definition.Kind == ast.InputObject {
			inputs = append(inputs, inputObject(field, true))
		}
	}
	for _, value := range definition.EnumValues {
		if !slices.Contains(f.without, name+"."+value.Name) {
			values = append(values, object{"name": value.Name})
		}
	}
	o := object{"name": name, "kind": string(definition.Kind), "fields": nil, "inputFields": nil, "enumValues": nil}
	whole := func(list []object) func(arguments) any {
		return func(a arguments) any {
			if a["includeDeprecated"] != true {
				return []object{} // this shop has deprecated everything
			}
			return list
		}
	}
	switch definition.Kind {
	case ast.InputObject:
		o["inputFields"] = whole(inputs)
	case ast.Enum:
		o["enumValues"] = whole(values)
	default:
		for _, field := range fields {
			field["args"] = whole(field["args"].([]object))
		}
		o["fields"] = whole(fields)
	}
	return o
}

func inputObject(name string, required bool) object {
	kind := "SCALAR"
	if required {
		kind = "NON_NULL"
	}
	return object{"name": name, "defaultValue": nil, "type": object{"kind": kind}}
}
