package shopify_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// coerce checks the variables of a request against the schema, and returns them with numbers as
// float64. It refuses all that graphql-js refuses; gqlparser itself lets an enum value in lower
// case and a number as text pass. It also refuses a variable that the operation does not declare,
// as Shopify does.
func coerce(schema *ast.Schema, operation *ast.OperationDefinition, raw map[string]any) (map[string]any, error) {
	out := map[string]any{}
	for _, v := range operation.VariableDefinitions {
		value, given := raw[v.Variable]
		switch {
		case !given && v.DefaultValue != nil:
			standard, err := v.DefaultValue.Value(nil)
			if err != nil {
				return nil, err
			}
			out[v.Variable] = standard
			continue
		case !given && v.Type.NonNull:
			return nil, fmt.Errorf("variable $%s of required type %s was not provided", v.Variable, v.Type)
		case !given:
			continue
		}
		coerced, err := coerceValue(schema, v.Type, value, "$"+v.Variable)
		if err != nil {
			return nil, err
		}
		out[v.Variable] = coerced
	}
	for name := range raw {
		if operation.VariableDefinitions.ForName(name) == nil {
			return nil, fmt.Errorf("variable $%s is not declared by the operation %s", name, operation.Name)
		}
	}
	return out, nil
}

func coerceValue(schema *ast.Schema, t *ast.Type, value any, path string) (any, error) {
	if value == nil {
		if t.NonNull {
			return nil, fmt.Errorf("%s: null where %s is expected", path, t)
		}
		return nil, nil //nolint:nilnil // null is a value
	}
	if t.Elem != nil {
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		out := make([]any, 0, len(list))
		for i, item := range list {
			coerced, err := coerceValue(schema, t.Elem, item, fmt.Sprint(path, ".", i))
			if err != nil {
				return nil, err
			}
			out = append(out, coerced)
		}
		return out, nil
	}
	switch definition := schema.Types[t.NamedType]; definition.Kind {
	case ast.InputObject:
		return coerceInput(schema, definition, value, path)
	case ast.Enum:
		name, ok := value.(string)
		if !ok ||
			!slices.ContainsFunc(
				definition.EnumValues,
				func(e *ast.EnumValueDefinition) bool { return e.Name == name },
			) {
			return nil, fmt.Errorf("%s: %v is no value of the enumeration %s", path, value, definition.Name)
		}
	default:
		if !scalar(definition.Name, value) {
			return nil, fmt.Errorf("%s: %v (%T) is no %s", path, value, value, definition.Name)
		}
	}
	return value, nil
}

func coerceInput(schema *ast.Schema, definition *ast.Definition, value any, path string) (any, error) {
	in, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: %v is no %s", path, value, definition.Name)
	}
	out := map[string]any{}
	for name, inner := range in {
		field := definition.Fields.ForName(name)
		if field == nil {
			return nil, fmt.Errorf("%s: the field %s is not defined by %s", path, name, definition.Name)
		}
		coerced, err := coerceValue(schema, field.Type, inner, path+"."+name)
		if err != nil {
			return nil, err
		}
		out[name] = coerced
	}
	for _, field := range definition.Fields {
		if _, given := in[field.Name]; !given && field.Type.NonNull && field.DefaultValue == nil {
			return nil, fmt.Errorf(
				"%s: the field %s of required type %s was not provided",
				path,
				field.Name,
				field.Type,
			)
		}
	}
	return out, nil
}

// scalar tells whether value, decoded from JSON, can be of a scalar type. The forms of Shopify's
// own scalars that the adapter sends are checked too.
func scalar(name string, value any) bool {
	switch name {
	case "Int":
		n, ok := value.(float64)
		return ok && n == math.Trunc(n) && math.Abs(n) <= math.MaxInt32
	case "Float":
		_, ok := value.(float64)
		return ok
	case "Boolean":
		_, ok := value.(bool)
		return ok
	case "ID":
		if n, ok := value.(float64); ok {
			return n == math.Trunc(n)
		}
	case "Money", "Decimal":
		if _, ok := value.(float64); ok {
			return true
		}
		text, ok := value.(string)
		return ok && json.Valid([]byte(text)) && text[0] != '"'
	}
	_, ok := value.(string)
	return ok
}
