package fakeshop

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// schemaText holds the arguments of a real shop's routes, in a form of our own, and the fields of its answers with
// the types that were seen. The routes of terms were not asked for theirs.
//
//go:embed testdata/schema.json
var schemaText []byte

type argument struct {
	Type     []string             `json:"type"`
	Enum     []string             `json:"enum"`
	Readonly bool                 `json:"readonly"`
	Items    *argument            `json:"items"`
	Fields   map[string]*argument `json:"fields"`
}

var schema = sync.OnceValue(func() map[string]map[string]*argument {
	var routes map[string]map[string]*argument
	if err := json.Unmarshal(schemaText, &routes); err != nil {
		panic(err)
	}
	// Not asked either: their arguments are in the recorded exchanges.
	const one = " /products/{product}"
	routes["PUT"+one], routes["GET"+one] = routes["POST /products"], routes["GET /products"]
	routes["DELETE"+one] = map[string]*argument{"force": {Type: []string{"boolean"}}}
	return routes
})

// complaints also names what a real shop would not refuse: unknown arguments, those that are read-only, and values
// of a wrong type in a batch, which a real shop does not check.
func complaints(method, route string, query url.Values, body map[string]any) (all []string) {
	where, _, _ := shape(method, route)
	given := map[string]any{}
	maps.Copy(given, body)
	for name, values := range query {
		switch {
		case name == "_fields":
			for field := range strings.SplitSeq(values[0], ",") {
				if answerFields(where)[field] == nil && field != "parent_id" && field != "type" {
					all = append(all, where+": the answer has no field "+field)
				}
			}
		case strings.HasPrefix(name, "oauth_"):
		case name == "include_meta" && method != "DELETE": // every answer with metadata goes by it
		default:
			given[name] = values[0]
		}
	}
	batch, isBatch := strings.CutSuffix(where, "/batch")
	if !isBatch {
		return append(all, unfit(where, &argument{Fields: schema()[where]}, given)...)
	}
	for kind, list := range body {
		for _, element := range list.([]any) {
			fields, isObject := element.(map[string]any)
			_, isID := element.(float64)
			if _, known := fields["id"].(float64); kind == "delete" != isID || isObject && known != (kind == "update") {
				all = append(all, fmt.Sprintf("%s: %s with the id %v of %v", where, kind, fields["id"], element))
			}
			fields = maps.Clone(fields)
			delete(fields, "id")
			all = append(all, unfit(where+" "+kind, &argument{Fields: schema()[batch]}, fields)...)
		}
	}
	return all
}

func answerFields(where string) map[string]*argument {
	_, route, _ := strings.Cut(where, " ")
	switch {
	case strings.HasPrefix(route, "/products/categories"), strings.HasPrefix(route, "/products/brands"):
		return schema()["answer term"]
	case strings.HasPrefix(route, "/settings/"):
		return schema()["answer setting"]
	case strings.Contains(route, "/variations"):
		return schema()["answer variation"]
	}
	return schema()["answer product"]
}

func unfit(where string, a *argument, value any) (all []string) {
	s, isText := value.(string)
	switch {
	case len(a.Type) > 0 && !slices.ContainsFunc(a.Type, func(t string) bool { return ofType(t, value) }):
		return []string{where + " is not of type " + strings.Join(a.Type, ",")}
	case isText && len(a.Enum) > 0 && !slices.Contains(a.Enum, s):
		return []string{where + " is not one of " + strings.Join(a.Enum, ", ")}
	}
	if slices.Contains(a.Type, "array") && a.Items != nil {
		for _, element := range listOf(value) {
			all = append(all, unfit(where, a.Items, element)...)
		}
	}
	fields, _ := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch field := a.Fields[name]; {
		case a.Fields == nil:
		case field == nil || field.Readonly:
			all = append(all, where+" has no "+name+" to be set")
		case fields[name] != nil:
			all = append(all, unfit(where+" "+name, field, fields[name])...)
		case name != "value" && !slices.Contains(field.Type, "null"): // a null value removes metadata
			all = append(all, where+" "+name+" is null")
		}
	}
	return all
}

// ofType follows WordPress: a text of digits is an integer, "true" a boolean, a text with commas a list.
func ofType(t string, value any) bool {
	_, isText := value.(string)
	_, isObject := value.(map[string]any)
	n, isNumber := numeric(value)
	return t == "string" && isText || t == "number" && isNumber || t == "integer" && isNumber && n == float64(int64(n)) ||
		t == "object" && isObject || t == "array" && listOf(value) != nil || t == "boolean" &&
		slices.Contains([]string{"true", "false", "1", "0"}, strings.ToLower(fmt.Sprint(value)))
}

func numeric(value any) (float64, bool) {
	n, err := strconv.ParseFloat(fmt.Sprint(value), 64)
	_, isBool := value.(bool)
	return n, err == nil && !isBool
}

// listOf returns nil for anything else than a list or a text.
func listOf(value any) []any {
	list, _ := value.([]any)
	if text, ok := value.(string); ok {
		for part := range strings.SplitSeq(text, ",") {
			list = append(list, part)
		}
	}
	return list
}
