package sandbox

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// namedType answers a type by its name.
func namedType(schema *ast.Schema, name string) node {
	return typeNode{schema, ast.NamedType(name, nil)}
}

// schemaNode answers __schema.
type schemaNode struct{ schema *ast.Schema }

func (n schemaNode) resolve(_ *execution, f *field) (any, error) {
	switch f.name {
	case "types":
		defs := make([]*ast.Definition, 0, len(n.schema.Types))
		for _, def := range n.schema.Types {
			defs = append(defs, def)
		}
		slices.SortFunc(defs, func(a, b *ast.Definition) int { return cmp.Compare(a.Name, b.Name) })
		return nodes(defs, func(def *ast.Definition) node { return namedType(n.schema, def.Name) }), nil
	case "queryType":
		return namedType(n.schema, n.schema.Query.Name), nil
	case "mutationType":
		return namedType(n.schema, n.schema.Mutation.Name), nil
	case "directives":
		defs := make([]*ast.DirectiveDefinition, 0, len(n.schema.Directives))
		for _, def := range n.schema.Directives {
			defs = append(defs, def)
		}
		slices.SortFunc(defs, func(a, b *ast.DirectiveDefinition) int { return cmp.Compare(a.Name, b.Name) })
		return nodes(defs, func(def *ast.DirectiveDefinition) node { return directiveNode{n.schema, def} }), nil
	default:
		return nil, nil // description, subscriptionType
	}
}

// typeNode answers __Type, for a named type and for the lists and non-nulls around one.
type typeNode struct {
	schema *ast.Schema
	typ    *ast.Type
}

func (n typeNode) resolve(x *execution, f *field) (any, error) {
	if n.typ.NonNull || n.typ.Elem != nil {
		return n.wrapper(f), nil
	}
	def := n.schema.Types[n.typ.NamedType]
	switch f.name {
	case "kind":
		return string(def.Kind), nil
	case "name":
		return def.Name, nil
	case "description":
		return text(def.Description), nil
	case "fields":
		if def.Kind != ast.Object {
			return nil, nil
		}
		visible := slices.DeleteFunc(slices.Clone(def.Fields), func(f *ast.FieldDefinition) bool { return strings.HasPrefix(f.Name, "__") })
		return nodes(visible, func(f *ast.FieldDefinition) node { return fieldNode{n.schema, f} }), nil
	case "interfaces":
		if def.Kind != ast.Object {
			return nil, nil
		}
		return []node{}, nil
	case "enumValues":
		if def.Kind != ast.Enum {
			return nil, nil
		}
		return nodes(def.EnumValues, func(v *ast.EnumValueDefinition) node { return enumValueNode{v} }), nil
	case "inputFields":
		if def.Kind != ast.InputObject {
			return nil, nil
		}
		return nodes(def.Fields, func(f *ast.FieldDefinition) node {
			return inputNode{n.schema, f.Name, f.Description, f.Type, f.DefaultValue}
		}), nil
	case "isOneOf":
		if def.Kind != ast.InputObject {
			return nil, nil
		}
		return false, nil
	default:
		return nil, nil // ofType, possibleTypes, specifiedByURL
	}
}

func (n typeNode) wrapper(f *field) any {
	inner := *n.typ
	kind := "LIST"
	if n.typ.NonNull {
		kind, inner.NonNull = "NON_NULL", false
	} else {
		inner = *n.typ.Elem
	}
	switch f.name {
	case "kind":
		return kind
	case "ofType":
		return typeNode{n.schema, &inner}
	default:
		return nil
	}
}

type fieldNode struct {
	schema *ast.Schema
	def    *ast.FieldDefinition
}

func (n fieldNode) resolve(_ *execution, f *field) (any, error) {
	switch f.name {
	case "name":
		return n.def.Name, nil
	case "description":
		return text(n.def.Description), nil
	case "args":
		return argumentNodes(n.schema, n.def.Arguments), nil
	case "type":
		return typeNode{n.schema, n.def.Type}, nil
	case "isDeprecated":
		return false, nil
	default:
		return nil, nil // deprecationReason
	}
}

// inputNode answers __InputValue: an argument or a field of an input object.
type inputNode struct {
	schema            *ast.Schema
	name, description string
	typ               *ast.Type
	value             *ast.Value
}

func (n inputNode) resolve(_ *execution, f *field) (any, error) {
	switch f.name {
	case "name":
		return n.name, nil
	case "description":
		return text(n.description), nil
	case "type":
		return typeNode{n.schema, n.typ}, nil
	case "defaultValue":
		if n.value == nil {
			return nil, nil
		}
		return n.value.String(), nil
	case "isDeprecated":
		return false, nil
	default:
		return nil, nil // deprecationReason
	}
}

type enumValueNode struct{ def *ast.EnumValueDefinition }

func (n enumValueNode) resolve(_ *execution, f *field) (any, error) {
	switch f.name {
	case "name":
		return n.def.Name, nil
	case "description":
		return text(n.def.Description), nil
	case "isDeprecated":
		return false, nil
	default:
		return nil, nil // deprecationReason
	}
}

type directiveNode struct {
	schema *ast.Schema
	def    *ast.DirectiveDefinition
}

func (n directiveNode) resolve(_ *execution, f *field) (any, error) {
	switch f.name {
	case "name":
		return n.def.Name, nil
	case "description":
		return text(n.def.Description), nil
	case "isRepeatable":
		return n.def.IsRepeatable, nil
	case "locations":
		names := make([]string, len(n.def.Locations))
		for i, l := range n.def.Locations {
			names[i] = string(l)
		}
		return names, nil
	case "args":
		return argumentNodes(n.schema, n.def.Arguments), nil
	default:
		return nil, nil
	}
}

func argumentNodes(schema *ast.Schema, args ast.ArgumentDefinitionList) []node {
	return nodes(args, func(a *ast.ArgumentDefinition) node {
		return inputNode{schema, a.Name, a.Description, a.Type, a.DefaultValue}
	})
}

// nodes wraps a list, which stays a list and does not become null when it is empty.
func nodes[T any](items []T, wrap func(T) node) []node {
	out := make([]node, len(items))
	for i, item := range items {
		out[i] = wrap(item)
	}
	return out
}
