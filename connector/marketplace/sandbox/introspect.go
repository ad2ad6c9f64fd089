package sandbox

import (
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// schemaObject answers __schema, as far as a client needs it to read the types.
func schemaObject(s *ast.Schema) object {
	named := func(name string) object { return typeObject(s, ast.NamedType(name, nil)) }
	return object{
		"queryType": named(s.Query.Name), "mutationType": named(s.Mutation.Name), "directives": []object{},
		"types": func() any { return objects(slices.Sorted(maps.Keys(s.Types)), named) },
	}
}

// typeObject answers __Type, for a named type and for the lists and non-nulls around one.
func typeObject(s *ast.Schema, typ *ast.Type) object {
	if typ.NonNull {
		inner := *typ
		inner.NonNull = false
		return object{"kind": "NON_NULL", "ofType": func() any { return typeObject(s, &inner) }}
	}
	if typ.Elem != nil {
		return object{"kind": "LIST", "ofType": func() any { return typeObject(s, typ.Elem) }}
	}
	declared := func(name string, typ *ast.Type) object {
		return object{"name": name, "isDeprecated": false, "type": func() any { return typeObject(s, typ) }}
	}
	def := s.Types[typ.NamedType]
	members := func() any {
		shown := slices.DeleteFunc(slices.Clone(def.Fields), func(f *ast.FieldDefinition) bool {
			return strings.HasPrefix(f.Name, "__")
		})
		return objects(shown, func(f *ast.FieldDefinition) object {
			o := declared(f.Name, f.Type)
			o["args"] = objects(f.Arguments, func(a *ast.ArgumentDefinition) object { return declared(a.Name, a.Type) })
			return o
		})
	}
	o := object{"kind": string(def.Kind), "name": def.Name}
	switch def.Kind { //nolint:exhaustive // the others have nothing of their own
	case ast.Object:
		o["interfaces"], o["fields"] = []object{}, members
	case ast.Enum:
		o["enumValues"] = objects(def.EnumValues, func(v *ast.EnumValueDefinition) object { return declared(v.Name, nil) })
	case ast.InputObject:
		o["inputFields"] = members
	}
	return o
}
