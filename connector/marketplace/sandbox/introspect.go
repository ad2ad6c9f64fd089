package sandbox

import (
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// schemaFacts answers __schema.
func schemaFacts(s *ast.Schema) node {
	return facts{
		"queryType":    typeFacts(s, ast.NamedType(s.Query.Name, nil)),
		"mutationType": typeFacts(s, ast.NamedType(s.Mutation.Name, nil)),
		"types": func() any {
			return nodes(
				slices.Sorted(maps.Keys(s.Types)),
				func(name string) node { return typeFacts(s, ast.NamedType(name, nil)) },
			)
		},
		"directives": func() any {
			return nodes(slices.Sorted(maps.Keys(s.Directives)), func(name string) node {
				d := s.Directives[name]
				locations := make([]string, len(d.Locations))
				for i, l := range d.Locations {
					locations[i] = string(l)
				}
				return declared(name, d.Description, facts{
					"isRepeatable": d.IsRepeatable, "locations": locations, "args": argumentFacts(s, d.Arguments),
				})
			})
		},
	}
}

// typeFacts answers __Type, for a named type and for the lists and non-nulls around one.
func typeFacts(s *ast.Schema, typ *ast.Type) node {
	if typ.NonNull {
		inner := *typ
		inner.NonNull = false
		return facts{"kind": "NON_NULL", "ofType": func() any { return typeFacts(s, &inner) }}
	}
	if typ.Elem != nil {
		return facts{"kind": "LIST", "ofType": func() any { return typeFacts(s, typ.Elem) }}
	}
	def := s.Types[typ.NamedType]
	t := facts{"kind": string(def.Kind), "name": def.Name, "description": text(def.Description)}
	switch def.Kind { //nolint:exhaustive // the others have nothing of their own
	case ast.Object:
		t["interfaces"] = []node{}
		t["fields"] = func() any {
			shown := slices.DeleteFunc(slices.Clone(def.Fields), func(f *ast.FieldDefinition) bool {
				return strings.HasPrefix(f.Name, "__")
			})
			return nodes(shown, func(f *ast.FieldDefinition) node {
				return declared(
					f.Name, f.Description, facts{"args": argumentFacts(s, f.Arguments), "type": typeFacts(s, f.Type)},
				)
			})
		}
	case ast.Enum:
		t["enumValues"] = func() any {
			return nodes(
				def.EnumValues, func(v *ast.EnumValueDefinition) node { return declared(v.Name, v.Description, nil) },
			)
		}
	case ast.InputObject:
		t["isOneOf"] = false
		t["inputFields"] = func() any {
			return nodes(def.Fields, func(f *ast.FieldDefinition) node {
				return inputFacts(s, f.Name, f.Description, f.Type, f.DefaultValue)
			})
		}
	}
	return t
}

func argumentFacts(s *ast.Schema, args ast.ArgumentDefinitionList) []node {
	return nodes(args, func(a *ast.ArgumentDefinition) node {
		return inputFacts(s, a.Name, a.Description, a.Type, a.DefaultValue)
	})
}

// inputFacts answers __InputValue: an argument or a field of an input object.
func inputFacts(s *ast.Schema, name, description string, typ *ast.Type, value *ast.Value) node {
	more := facts{"type": typeFacts(s, typ)}
	if value != nil {
		more["defaultValue"] = value.String()
	}
	return declared(name, description, more)
}

// declared answers a part of a type or a directive. None is deprecated.
func declared(name, description string, more facts) node {
	n := facts{"name": name, "description": text(description), "isDeprecated": false}
	maps.Copy(n, more)
	return n
}
