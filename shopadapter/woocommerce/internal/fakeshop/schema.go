package fakeshop

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// schemaText is what a real shop said of its routes, in a form of our own: the arguments of each
// route, and the fields of the answers with the types that they were seen with.
//
//go:embed testdata/schema.json
var schemaText []byte

// An argument is what a route takes under one name.
type argument struct {
	Type     oneOrMany            `json:"type"`
	Enum     []string             `json:"enum"`
	Min      *float64             `json:"min"`
	Max      *float64             `json:"max"`
	Required bool                 `json:"required"`
	Readonly bool                 `json:"readonly"`
	Items    *argument            `json:"items"`
	Fields   map[string]*argument `json:"fields"`
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
	some := func(name string, names ...string) map[string]*argument {
		args := map[string]*argument{}
		for _, n := range names {
			args[n] = routes[name][n]
		}
		return args
	}
	// These two were not asked for their schemas; their arguments are in the recorded exchanges.
	routes["GET /products/{product}"] = some("GET /products", "context", "include_meta", "exclude_meta", "image_size")
	routes["DELETE /products/{product}"] = map[string]*argument{"force": {Type: oneOrMany{"boolean"}}}
	routes["GET /products/{product}/variations/{variation}"] = routes["GET /products/{product}"]
	routes["DELETE /products/{product}/variations/{variation}"] = routes["DELETE /products/{product}"]
	routes["PUT /products/{product}"] = routes["POST /products"]
	routes["PUT /products/{product}/variations/{variation}"] = routes["POST /products/{product}/variations"]
	maps.Copy(routes, categoryRoutes())
	return routes
})

// categoryRoutes is the routes of categories. They are not among the recorded ones. A tree of terms
// takes no offset, which WordPress ignores in silence.
func categoryRoutes() map[string]map[string]*argument {
	text, number, yesOrNo := oneOrMany{"string"}, oneOrMany{"integer"}, oneOrMany{"boolean"}
	least, most := 1.0, 100.0
	numbers := &argument{Type: oneOrMany{"array"}, Items: &argument{Type: number}}
	return map[string]map[string]*argument{
		"GET /products/categories": {
			"context":    {Type: text, Enum: []string{"view", "edit"}},
			"page":       {Type: number, Min: &least},
			"per_page":   {Type: number, Min: &least, Max: &most},
			"search":     {Type: text},
			"exclude":    numbers,
			"include":    numbers,
			"order":      {Type: text, Enum: []string{"asc", "desc"}},
			"orderby":    {Type: text, Enum: []string{"id", "include", "name", "slug", "term_group", "description", "count"}},
			"hide_empty": {Type: yesOrNo},
			"parent":     {Type: number},
			"product":    {Type: number},
			"slug":       {Type: text},
		},
		"POST /products/categories": {"name": {Type: text}, "parent": {Type: number}, "slug": {Type: text}},
		"GET /products/brands": {
			"page": {Type: number, Min: &least}, "per_page": {Type: number, Min: &least, Max: &most}, "search": {Type: text},
		},
		"POST /products/brands": {"name": {Type: text}, "parent": {Type: number}, "slug": {Type: text}},
	}
}

// A misfit is why a value does not fit: the code of WordPress, and its words.
type misfit struct {
	code, text string
	data       any
}

// misfit is what WordPress has against a value, nil for nothing. From a query everything comes as
// text.
func (a *argument) misfit(name string, value any) *misfit {
	if a == nil || value == nil {
		return nil
	}
	if !slices.ContainsFunc(a.Type, func(t string) bool { return ofType(t, value) }) {
		return &misfit{
			"rest_invalid_type",
			fmt.Sprintf("%s is not of type %s.", name, strings.Join(a.Type, ",")),
			map[string]any{"param": name},
		}
	}
	if s, ok := value.(string); ok && len(a.Enum) > 0 && !slices.Contains(a.Enum, s) {
		return &misfit{"rest_not_in_enum", fmt.Sprintf("%s is not one of %s.", name, sentence(a.Enum)), nil}
	}
	if n, ok := numeric(value); ok && (a.Min != nil && n < *a.Min || a.Max != nil && n > *a.Max) {
		text := fmt.Sprintf("%s must be greater than or equal to %g", name, *a.Min)
		if a.Max != nil {
			text = fmt.Sprintf("%s must be between %g (inclusive) and %g (inclusive)", name, *a.Min, *a.Max)
		}
		return &misfit{"rest_out_of_bounds", text, nil}
	}
	if list, ok := listOf(value); ok && slices.Contains(a.Type, "array") {
		for i, element := range list {
			if m := a.Items.misfit(fmt.Sprintf("%s[%d]", name, i), element); m != nil {
				return m
			}
		}
	}
	if fields, ok := value.(map[string]any); ok {
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			if m := a.Fields[field].misfit(name+"["+field+"]", fields[field]); m != nil {
				return m
			}
		}
	}
	return nil
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
		b, isBool := value.(bool)
		return isBool || b ||
			isText && slices.Contains([]string{"true", "false", "1", "0"}, strings.ToLower(value.(string))) ||
			isNumber && (n == 0 || n == 1)
	case "array":
		_, ok := listOf(value)
		return ok
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

func listOf(value any) ([]any, bool) {
	switch v := value.(type) {
	case []any:
		return v, true
	case string:
		var list []any
		for part := range strings.SplitSeq(v, ",") {
			list = append(list, part)
		}
		return list, true
	}
	return nil, false
}

// sentence is words as WordPress joins them.
func sentence(words []string) string {
	switch len(words) {
	case 1:
		return words[0]
	case 2:
		return words[0] + " and " + words[1]
	}
	return strings.Join(words[:len(words)-1], ", ") + ", and " + words[len(words)-1]
}

// invalid is the answer to a request of whose arguments some do not fit, nil where all do. What the
// route does not know is ignored.
func invalid(route string, query url.Values, body map[string]any) *failure {
	params, details := map[string]any{}, map[string]any{}
	args := schema()[route]
	for _, name := range slices.Sorted(maps.Keys(args)) {
		value := body[name]
		if value == nil && query.Has(name) {
			value = query.Get(name)
		}
		if m := args[name].misfit(name, value); m != nil {
			params[name], details[name] = m.text, map[string]any{"code": m.code, "message": m.text, "data": m.data}
		}
	}
	if len(params) == 0 {
		return nil
	}
	names := strings.Join(slices.Sorted(maps.Keys(params)), ", ")
	return &failure{
		400, "rest_invalid_param", "Invalid parameter(s): " + names, map[string]any{"params": params, "details": details},
	}
}

// shape is a route without its numbers.
func shape(method, route string) string {
	if method == http.MethodPatch {
		method = http.MethodPut
	}
	m := productRoute.FindString(route)
	switch {
	case m != "":
		route = "/products/{product}"
	case variationsRoute.MatchString(route):
		route = "/products/{product}/variations"
	case batchRoute.MatchString(route):
		route = "/products/{product}/variations/batch"
	case variationRoute.MatchString(route):
		route = "/products/{product}/variations/{variation}"
	}
	return method + " " + route
}

// complaints is what is wrong with a request of the adapter's, whether a shop would refuse it or
// not: an argument that the route does not have, one that is the shop's to set, a value of another
// type, also in a batch, which a real shop does not look at.
func complaints(method, route string, query url.Values, body map[string]any) []string {
	var all []string
	where := shape(method, route)
	complain := func(format string, args ...any) { all = append(all, where+": "+fmt.Sprintf(format, args...)) }
	fields := schema()["answer product"]
	if strings.Contains(route, "/variations") {
		fields = schema()["answer variation"]
	}
	if allRoute.MatchString(route) {
		fields = maps.Clone(schema()["answer variation"])
		fields["date_modified_gmt"] = &argument{Type: oneOrMany{"string"}}
	}
	if strings.HasSuffix(where, "/categories") || strings.HasSuffix(where, "/brands") {
		fields = map[string]*argument{"id": {}, "name": {}, "slug": {}, "parent": {}}
	}
	if strings.HasSuffix(where, "/current") {
		fields = map[string]*argument{"code": {}, "name": {}, "symbol": {}}
	}
	if strings.HasPrefix(route, "/settings/") {
		fields = map[string]*argument{"id": {}, "value": {}}
	}
	given := map[string]any{}
	for name, values := range query {
		switch {
		case name == "_fields":
			for field := range strings.SplitSeq(values[0], ",") {
				if fields[field] == nil && field != "parent_id" && field != "type" {
					complain("the answer has no field %s", field)
				}
			}
		case strings.HasPrefix(name, "oauth_"):
		case name == "include_meta" && method != http.MethodDelete: // every answer with metadata goes by it
		default:
			given[name] = values[0]
		}
	}
	if batch, of := strings.CutSuffix(where, "/batch"); of {
		item := schema()[batch]
		for kind, list := range body {
			for _, element := range list.([]any) {
				switch kind {
				case "create", "update":
					fields := maps.Clone(element.(map[string]any))
					if _, known := fields["id"].(float64); known != (kind == "update") {
						complain("%s with the id %v", kind, fields["id"])
					}
					delete(fields, "id")
					delete(fields, "_fields") // what stands in a query elsewhere
					delete(fields, "include_meta")
					all = append(all, unfit(where+" "+kind, item, fields)...)
				case "delete":
					if _, ok := element.(float64); !ok {
						complain("delete of %v", element)
					}
				default:
					complain("unknown operation %s", kind)
				}
			}
		}
		return all
	}
	maps.Copy(given, body)
	return append(all, unfit(where, schema()[where], given)...)
}

// unfit lists what of the values does not fit the arguments.
func unfit(where string, args map[string]*argument, given map[string]any) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		a, value := args[name], given[name]
		switch {
		case a == nil:
			all = append(all, where+": there is no argument "+name)
			continue
		case a.Readonly:
			all = append(all, where+": "+name+" is the shop's to set")
		case value == nil:
			all = append(all, where+": "+name+" is null")
		}
		if m := a.misfit(name, value); m != nil {
			all = append(all, where+": "+m.text)
		}
		list, _ := value.([]any)
		for _, element := range list {
			fields, ok := element.(map[string]any)
			if !ok || a.Items == nil || a.Items.Fields == nil {
				continue
			}
			for field := range fields {
				if a.Items.Fields[field] == nil || a.Items.Fields[field].Readonly {
					all = append(all, where+": "+name+" has no "+field+" to be set")
				}
			}
		}
	}
	return all
}

// differences lists where an answer is not of the recorded form: another set of fields, or another
// type.
func differences(form map[string]*argument, answer map[string]any) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(form)) {
		value, there := answer[name]
		if !there {
			all = append(all, name+" is missing")
			continue
		}
		all = append(all, form[name].unlike(name, value)...)
	}
	for name := range answer {
		if form[name] == nil && name != "_links" {
			all = append(all, name+" was not recorded")
		}
	}
	return all
}

// unlike tells how a value of an answer differs from what was recorded. Here a number is a number,
// and a text a text.
func (a *argument) unlike(name string, value any) []string {
	kind := "null"
	switch v := value.(type) {
	case string:
		kind = "string"
	case bool:
		kind = "boolean"
	case float64:
		if kind = "number"; v == float64(int64(v)) {
			kind = "integer"
		}
	case []any:
		kind = "array"
	case map[string]any:
		kind = "object"
	}
	if !slices.Contains(a.Type, kind) {
		return []string{fmt.Sprintf("%s is %s, recorded was %s", name, kind, strings.Join(a.Type, " or "))}
	}
	var all []string
	if list, ok := value.([]any); ok && a.Items != nil {
		for _, element := range list {
			all = append(all, a.Items.unlike(name+"[]", element)...)
		}
	}
	if fields, ok := value.(map[string]any); ok && len(a.Fields) > 0 {
		for _, d := range differences(a.Fields, fields) {
			all = append(all, name+": "+d)
		}
	}
	return all
}
