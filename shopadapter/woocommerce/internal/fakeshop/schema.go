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
	Type     oneOrMany            `json:"type"`
	Enum     []string             `json:"enum"`
	Min      *float64             `json:"min"`
	Max      *float64             `json:"max"`
	Readonly bool                 `json:"readonly"`
	Items    *argument            `json:"items"`
	Fields   map[string]*argument `json:"fields"`
}

func (a *argument) members() map[string]*argument {
	if a == nil {
		return nil
	}
	return a.Fields
}

type oneOrMany []string

func (t *oneOrMany) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = oneOrMany{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

var schema = sync.OnceValue(func() map[string]map[string]*argument {
	var routes map[string]map[string]*argument
	if err := json.Unmarshal(schemaText, &routes); err != nil {
		panic(err)
	}
	// These were not asked for their schemas; their arguments are in the recorded exchanges.
	get := map[string]*argument{}
	for _, name := range []string{"context", "include_meta", "exclude_meta", "image_size"} {
		get[name] = routes["GET /products"][name]
	}
	for product, create := range map[string]string{
		"/products/{product}":                        "POST /products",
		"/products/{product}/variations/{variation}": "POST /products/{product}/variations",
	} {
		routes["GET "+product], routes["PUT "+product] = get, routes[create]
		routes["DELETE "+product] = map[string]*argument{"force": {Type: oneOrMany{"boolean"}}}
	}
	return routes
})

// misfit is what WordPress has against a value, "" for nothing. From a query everything comes as
// text.
func (a *argument) misfit(name string, value any) string {
	if a == nil || value == nil {
		return ""
	}
	n, isNumber := numeric(value)
	s, isText := value.(string)
	switch {
	case !slices.ContainsFunc(a.Type, func(t string) bool { return ofType(t, value) }):
		return fmt.Sprintf("%s is not of type %s.", name, strings.Join(a.Type, ","))
	case isText && len(a.Enum) > 0 && !slices.Contains(a.Enum, s):
		return fmt.Sprintf("%s is not one of %s.", name, strings.Join(a.Enum, ", "))
	case isNumber && (a.Max != nil && n > *a.Max || a.Min != nil && n < *a.Min):
		return name + " must be between its bounds"
	}
	if slices.Contains(a.Type, "array") {
		for i, element := range listOf(value) {
			if m := a.Items.misfit(fmt.Sprintf("%s[%d]", name, i), element); m != "" {
				return m
			}
		}
	}
	fields, _ := value.(map[string]any)
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if m := a.Fields[field].misfit(name+"["+field+"]", fields[field]); m != "" {
			return m
		}
	}
	return ""
}

// ofType is WordPress' own notion of a type: a text of digits is an integer, "true" a boolean, and
// a text with commas a list.
func ofType(t string, value any) bool {
	_, isText := value.(string)
	n, isNumber := numeric(value)
	switch t {
	case "string":
		return isText
	case "integer":
		return isNumber && n == float64(int64(n))
	case "number":
		return isNumber
	case "boolean":
		return slices.Contains([]string{"true", "false", "1", "0"}, strings.ToLower(fmt.Sprint(value)))
	case "array":
		return listOf(value) != nil
	case "object":
		_, ok := value.(map[string]any)
		return ok
	}
	return false
}

func numeric(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case string:
		n, err := strconv.ParseFloat(v, 64)
		return n, err == nil
	}
	return 0, false
}

// listOf is a list, and a text as the list that WordPress makes of it; nil for anything else.
func listOf(value any) []any {
	if text, ok := value.(string); ok {
		var list []any
		for part := range strings.SplitSeq(text, ",") {
			list = append(list, part)
		}
		return list
	}
	list, _ := value.([]any)
	return list
}

// complaints is what is wrong with a request of the adapter's, whether a shop would refuse it or
// not: an argument that the route does not have, one that is the shop's to set, a value of another
// type, also in a batch, which a real shop does not look at.
func complaints(method, route string, query url.Values, body map[string]any) (all []string) {
	where := shape(method, route)
	given := maps.Clone(body)
	if given == nil {
		given = map[string]any{}
	}
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
		return append(all, unfit(where, schema()[where], given)...)
	}
	for kind, list := range body {
		for _, element := range list.([]any) {
			fields, isObject := element.(map[string]any)
			_, isID := element.(float64)
			_, known := fields["id"].(float64)
			switch {
			case kind == "delete" && isID:
			case isObject && known != (kind == "update"):
				all = append(all, fmt.Sprintf("%s: %s with the id %v", where, kind, fields["id"]))
			case isObject:
				fields = maps.Clone(fields)
				delete(fields, "id")
				all = append(all, unfit(where+" "+kind, schema()[batch], fields)...)
			default:
				all = append(all, fmt.Sprintf("%s: %s of %v", where, kind, element))
			}
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

// unfit lists what of the values does not fit the arguments.
func unfit(where string, args map[string]*argument, given map[string]any) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		a, value := args[name], given[name]
		switch m := a.misfit(name, value); {
		case a == nil:
			all = append(all, where+": there is no argument "+name)
			continue
		case a.Readonly:
			all = append(all, where+": "+name+" is the shop's to set")
		case value == nil:
			all = append(all, where+": "+name+" is null")
		case m != "":
			all = append(all, where+": "+m)
		}
		list, _ := value.([]any)
		for _, element := range list {
			fields, _ := element.(map[string]any)
			for field := range fields {
				if of := a.Items.members(); of != nil && (of[field] == nil || of[field].Readonly) {
					all = append(all, where+": "+name+" has no "+field+" to be set")
				}
			}
		}
	}
	return all
}
