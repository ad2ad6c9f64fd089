package sandbox

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// coerce turns the JSON variables of a request into the values that its operation declares, as
// strictly as the GraphQL specification: "20" is no Int, 20 is no String, an enum's value is
// spelled exactly, and an input object has no unknown field. An absent argument stays different
// from an explicit null.
func coerce(schema *ast.Schema, op *ast.OperationDefinition, given map[string]any) (map[string]any, *gqlerror.Error) {
	if len(op.VariableDefinitions) == 0 {
		return nil, nil
	}
	values := make(map[string]any, len(op.VariableDefinitions))
	for _, def := range op.VariableDefinitions {
		value, present := given[def.Variable]
		if !present {
			if def.DefaultValue != nil {
				literal, err := def.DefaultValue.Value(nil)
				if err != nil {
					return nil, gqlerror.ErrorPosf(
						def.Position, "Variable \"$%s\" has a default value that cannot be read.", def.Variable,
					)
				}
				values[def.Variable] = literal
			} else if def.Type.NonNull {
				return nil, gqlerror.ErrorPosf(
					def.Position, "Variable \"$%s\" of required type %q was not provided.", def.Variable, def.Type.String(),
				)
			}
			continue
		}
		c := coercion{schema: schema}
		coerced, problem := c.value(def.Type, value)
		if problem != "" {
			at := ""
			if len(c.path) > 0 {
				at = " at \"" + def.Variable + strings.Join(c.path, "") + "\""
			}
			return nil, gqlerror.ErrorPosf(
				def.Position, "Variable \"$%s\" got invalid value %s%s; %s", def.Variable, show(c.culprit), at,
				problem,
			)
		}
		values[def.Variable] = coerced
	}
	return values, nil
}

// A coercion is the path to a value within a variable, for the text of an error.
type coercion struct {
	schema  *ast.Schema
	path    []string
	culprit any
}

func (c *coercion) value(typ *ast.Type, v any) (any, string) {
	c.culprit = v
	switch {
	case v == nil && typ.NonNull:
		return nil, "Expected non-nullable type \"" + typ.String() + "\" not to be null."
	case v == nil:
		return nil, ""
	case typ.Elem != nil:
		return c.list(typ, v)
	}
	def := c.schema.Types[typ.NamedType]
	switch def.Kind {
	case ast.InputObject:
		return c.object(def, v)
	case ast.Enum:
		s, ok := v.(string)
		if !ok {
			return nil, "Enum " + strconv.Quote(def.Name) + " cannot represent non-string value: " + show(v) + "."
		}
		if def.EnumValues.ForName(s) == nil {
			return nil, "Value " + strconv.Quote(s) + " does not exist in " + strconv.Quote(def.Name) + " enum."
		}
		return s, ""
	default:
		return scalar(def.Name, v)
	}
}

// list also accepts a single value for a list of one, as GraphQL does.
func (c *coercion) list(typ *ast.Type, v any) (any, string) {
	items, ok := v.([]any)
	if !ok {
		item, problem := c.value(typ.Elem, v)
		return []any{item}, problem
	}
	out := make([]any, len(items))
	for i, item := range items {
		c.path = append(c.path, "["+strconv.Itoa(i)+"]")
		var problem string
		if out[i], problem = c.value(typ.Elem, item); problem != "" {
			return nil, problem
		}
		c.path = c.path[:len(c.path)-1]
	}
	return out, ""
}

func (c *coercion) object(def *ast.Definition, v any) (any, string) {
	members, ok := v.(map[string]any)
	if !ok {
		return nil, "Expected type " + strconv.Quote(def.Name) + " to be an object."
	}
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names) // so that the same input has the same error
	for _, name := range names {
		if def.Fields.ForName(name) == nil {
			return nil, "Field " + strconv.Quote(name) + " is not defined by type " + strconv.Quote(def.Name) + "."
		}
	}
	out := make(map[string]any, len(members))
	for _, f := range def.Fields {
		member, present := members[f.Name]
		if !present {
			if f.Type.NonNull {
				c.culprit = v
				return nil, "Field " + strconv.Quote(f.Name) + " of required type " + strconv.Quote(f.Type.String()) +
					" was not provided."
			}
			continue
		}
		c.path = append(c.path, "."+f.Name)
		var problem string
		if out[f.Name], problem = c.value(f.Type, member); problem != "" {
			return nil, problem
		}
		c.path = c.path[:len(c.path)-1]
	}
	return out, ""
}

func scalar(name string, v any) (any, string) {
	switch name {
	case "Int":
		if n, ok := v.(json.Number); ok {
			f, err := n.Float64()
			switch {
			case err != nil || f != math.Trunc(f):
				return nil, "Int cannot represent non-integer value: " + show(v)
			case f < math.MinInt32 || f > math.MaxInt32:
				return nil, "Int cannot represent non 32-bit signed integer value: " + show(v)
			}
			return int64(f), ""
		}
		return nil, "Int cannot represent non-integer value: " + show(v)
	case "Boolean":
		if b, ok := v.(bool); ok {
			return b, ""
		}
		return nil, "Boolean cannot represent a non boolean value: " + show(v)
	case "ID":
		switch id := v.(type) {
		case string:
			return id, ""
		case json.Number:
			if _, err := strconv.ParseInt(id.String(), 10, 64); err == nil {
				return id.String(), ""
			}
		}
		return nil, "ID cannot represent value: " + show(v)
	default:
		if s, ok := v.(string); ok {
			return s, ""
		}
		return nil, name + " cannot represent a non string value: " + show(v)
	}
}

// show is a value as it was in the request, cut to the length of a message.
func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	if s := []rune(string(text)); len(s) > 200 {
		return string(s[:200]) + "…"
	}
	return string(text)
}

// asInt reads an Int that came as a literal or a variable.
func asInt(v any) int {
	if n, ok := v.(int64); ok {
		return int(min(max(n, math.MinInt32), math.MaxInt32))
	}
	return 0
}

// asString reads a String, an ID or an enum; an ID may have been written as a number.
func asString(v any) string {
	switch s := v.(type) {
	case string:
		return s
	case int64:
		return strconv.FormatInt(s, 10)
	default:
		return ""
	}
}

// asStrings reads a list of them, where a single value stands for a list of one.
func asStrings(v any) []string {
	items, ok := v.([]any)
	if !ok {
		return []string{asString(v)}
	}
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = asString(item)
	}
	return out
}
