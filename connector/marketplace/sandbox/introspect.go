package sandbox

import (
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// schemaObject answers __schema.
func schemaObject(s *ast.Schema) object {
	return object{
		"queryType":    typeObject(s, ast.NamedType(s.Query.Name, nil)),
		"mutationType": typeObject(s, ast.NamedType(s.Mutation.Name, nil)),
		"types": func() any {
			return objects(
				slices.Sorted(maps.Keys(s.Types)),
				func(name string) object { return typeObject(s, ast.NamedType(name, nil)) },
			)
		},
		"directives": []object{}, // skip and include are known to every client
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
	def := s.Types[typ.NamedType]
	t := object{"kind": string(def.Kind), "name": def.Name, "description": text(def.Description)}
	switch def.Kind { //nolint:exhaustive // the others have nothing of their own
	case ast.Object:
		t["interfaces"] = []object{}
		t["fields"] = func() any {
			shown := slices.DeleteFunc(slices.Clone(def.Fields), func(f *ast.FieldDefinition) bool {
				return strings.HasPrefix(f.Name, "__")
			})
			return objects(shown, func(f *ast.FieldDefinition) object {
				return declared(
					f.Name, f.Description, object{"args": arguments(s, f.Arguments), "type": typeObject(s, f.Type)},
				)
			})
		}
	case ast.Enum:
		t["enumValues"] = func() any {
			return objects(
				def.EnumValues, func(v *ast.EnumValueDefinition) object { return declared(v.Name, v.Description, nil) },
			)
		}
	case ast.InputObject:
		t["isOneOf"] = false
		t["inputFields"] = func() any {
			return objects(def.Fields, func(f *ast.FieldDefinition) object {
				return inputObject(s, f.Name, f.Description, f.Type, f.DefaultValue)
			})
		}
	}
	return t
}

func arguments(s *ast.Schema, args ast.ArgumentDefinitionList) []object {
	return objects(args, func(a *ast.ArgumentDefinition) object {
		return inputObject(s, a.Name, a.Description, a.Type, a.DefaultValue)
	})
}

// inputObject answers __InputValue: an argument or a field of an input object.
func inputObject(s *ast.Schema, name, description string, typ *ast.Type, value *ast.Value) object {
	more := object{"type": typeObject(s, typ)}
	if value != nil {
		more["defaultValue"] = value.String()
	}
	return declared(name, description, more)
}

// declared answers a part of a type or a directive. None is deprecated.
func declared(name, description string, more object) object {
	n := object{"name": name, "description": text(description), "isDeprecated": false}
	maps.Copy(n, more)
	return n
}
