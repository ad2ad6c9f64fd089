package fakeshop

import (
	_ "embed"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// schemaText holds the arguments of a real shop's routes, in a form of our own, and the fields of its answers. The
// routes of terms were not asked for theirs.
//
//go:embed testdata/schema.json
var schemaText []byte

type argument struct {
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
	routes["DELETE"+one] = map[string]*argument{"force": {}}
	return routes
})

// complaints names unknown arguments and those that are read-only, which a real shop passes over, and values that it
// refuses. A value of a wrong type does not get into a [Post].
func complaints(method, route string, query url.Values, body map[string]any) (all []string) {
	where, _, _ := shape(method, route)
	given := map[string]any{}
	maps.Copy(given, body)
	for name, values := range query {
		// every answer with metadata goes by include_meta
		if name != "_fields" && name != "include_meta" && !strings.HasPrefix(name, "oauth_") {
			given[name] = values[0]
		}
	}
	batch, isBatch := strings.CutSuffix(where, "/batch")
	if !isBatch {
		return unfit(where, &argument{Fields: schema()[where]}, given)
	}
	for kind, list := range body {
		for _, element := range list.([]any) {
			fields, _ := element.(map[string]any)
			fields = maps.Clone(fields)
			delete(fields, "id")
			all = append(all, unfit(where+" "+kind, &argument{Fields: schema()[batch]}, fields)...)
		}
	}
	return all
}

func unfit(where string, a *argument, value any) (all []string) {
	switch value := value.(type) {
	case string:
		if len(a.Enum) > 0 && !slices.Contains(a.Enum, value) {
			return []string{where + " is not one of " + strings.Join(a.Enum, ", ")}
		}
	case []any:
		for _, element := range value {
			if a.Items != nil {
				all = append(all, unfit(where, a.Items, element)...)
			}
		}
	case map[string]any:
		for name, of := range value {
			if field := a.Fields[name]; field != nil && !field.Readonly {
				all = append(all, unfit(where+" "+name, field, of)...)
			} else if a.Fields != nil {
				all = append(all, where+" has no "+name+" to be set")
			}
		}
	}
	return all
}
