package sandbox

import (
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// schemaObject answers __schema, as far as a client needs it to read the types.
func schemaObject(s *ast.Schema) object {
	named := func(name string) any { return typeObject(s, ast.NamedType(name, nil)) }
	return object{
		"queryType": named(s.Query.Name), "mutationType": named(s.Mutation.Name), "directives": []any{},
		"types": objects(slices.Sorted(maps.Keys(s.Types)), named),
	}
}

// typeObject answers __Type, for a named type and for the lists and non-nulls around one.
func typeObject(s *ast.Schema, typ *ast.Type) object {
	of := func(typ *ast.Type) lazy { return func(args) (any, error) { return typeObject(s, typ), nil } }
	if typ.NonNull {
		inner := *typ
		inner.NonNull = false
		return object{"kind": "NON_NULL", "ofType": of(&inner)}
	}
	if typ.Elem != nil {
		return object{"kind": "LIST", "ofType": of(typ.Elem)}
	}
	named := func(name string, typ *ast.Type) object {
		return object{"name": name, "isDeprecated": false, "type": of(typ)}
	}
	def := s.Types[typ.NamedType]
	members := func(args) (any, error) {
		var all []any
		for _, f := range def.Fields {
			if !strings.HasPrefix(f.Name, "__") {
				o := named(f.Name, f.Type)
				o["args"] = objects(f.Arguments, func(a *ast.ArgumentDefinition) any { return named(a.Name, a.Type) })
				all = append(all, o)
			}
		}
		return all, nil
	}
	o := object{"kind": string(def.Kind), "name": def.Name}
	switch def.Kind { //nolint:exhaustive // the others have nothing of their own
	case ast.Object:
		o["interfaces"], o["fields"] = []any{}, members
	case ast.Enum:
		o["enumValues"] = objects(def.EnumValues, func(v *ast.EnumValueDefinition) any { return named(v.Name, nil) })
	case ast.InputObject:
		o["inputFields"] = members
	}
	return o
}
