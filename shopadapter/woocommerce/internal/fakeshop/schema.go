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

// schemaText is what a real shop said of its routes, in a form of our own: the arguments of each
// route, and the fields of the answers with the types that they were seen with. The routes of terms
// were not asked for theirs.
//
//go:embed testdata/schema.json
var schemaText []byte

// An argument is what a route takes under one name.
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
	// These were not asked for their schemas; their arguments are in the recorded exchanges.
	const one = " /products/{product}"
	routes["PUT"+one], routes["GET"+one] = routes["POST /products"], routes["GET /products"]
	routes["DELETE"+one] = map[string]*argument{"force": {Type: []string{"boolean"}}}
	return routes
})

// complaints is what is wrong with a request of the adapter's, whether a shop would refuse it or
// not: an argument that the route does not have, one that is the shop's to set, a value of another
// type, also in a batch, which a real shop does not look at.
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

// answerFields are the fields that an answer of a route has.
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

// unfit lists what of a value does not fit an argument. From a query everything comes as text.
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
		case name != "value" && !slices.Contains(field.Type, "null"): // of metadata: it is taken away
			all = append(all, where+" "+name+" is null")
		}
	}
	return all
}

// ofType is WordPress' own notion of a type: a text of digits is an integer, "true" a boolean, and
// a text with commas a list.
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

// listOf is a list, and a text as the list that WordPress makes of it; nil for anything else.
func listOf(value any) []any {
	list, _ := value.([]any)
	if text, ok := value.(string); ok {
		for part := range strings.SplitSeq(text, ",") {
			list = append(list, part)
		}
	}
	return list
}
