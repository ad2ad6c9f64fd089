// How that marketplace executes and charges a document.

package main_test

import (
	"encoding/base64"
	"fmt"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
)

// requestedCost is a point for every field, times first for all that is below a connection.
func requestedCost(set ast.SelectionSet, vars map[string]any) int {
	sum := 0
	for _, selection := range set {
		f, ok := selection.(*ast.Field)
		if !ok {
			continue
		}
		below := requestedCost(f.SelectionSet, vars)
		if first, ok := f.ArgumentMap(vars)["first"]; ok {
			n, _ := strconv.Atoi(fmt.Sprint(first)) //nolint:errcheck // validated as an Int
			below *= n
		}
		sum += 1 + below
	}
	return sum
}

// An execution counts the fields that it answers.
type execution struct {
	vars   map[string]any
	fields int
}

func (x *execution) object(set ast.SelectionSet, o object) map[string]any {
	out := map[string]any{}
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			x.fields++
			value := o[s.Name]
			if f, ok := value.(func(map[string]any) any); ok {
				value = f(s.ArgumentMap(x.vars))
			}
			out[s.Alias] = x.value(s.SelectionSet, value)
		case *ast.FragmentSpread:
			for k, v := range x.object(s.Definition.SelectionSet, o) {
				out[k] = v
			}
		case *ast.InlineFragment:
			for k, v := range x.object(s.SelectionSet, o) {
				out[k] = v
			}
		}
	}
	return out
}

func (x *execution) value(set ast.SelectionSet, value any) any {
	switch v := value.(type) {
	case object:
		if v == nil {
			return nil
		}
		return x.object(set, v)
	case []object:
		list := make([]any, len(v))
		for i, o := range v {
			list[i] = x.object(set, o)
		}
		return list
	default:
		return value
	}
}

// connection pages through items by a cursor that is the key of the last one seen.
func connection(items []object, args map[string]any, key func(int) string, form string) object {
	first, _ := strconv.Atoi(fmt.Sprint(args["first"])) //nolint:errcheck // validated as an Int
	from := 0
	if after, ok := args["after"].(string); ok {
		//nolint:errcheck // an unreadable cursor is a page from the start
		seen, _ := base64.StdEncoding.DecodeString(after)
		for from < len(items) && key(from) <= string(seen) {
			from++
		}
	}
	end := min(from+first, len(items))
	info := object{"hasNextPage": end < len(items), "hasPreviousPage": from > 0, "startCursor": nil, "endCursor": nil}
	page, edges := items[from:end], []object{}
	for i := from; i < end; i++ {
		cursor := base64.StdEncoding.EncodeToString([]byte(key(i)))
		edges = append(edges, object{"node": items[i], "cursor": cursor})
		info["endCursor"] = cursor
	}
	if form == "nodes" {
		return object{"nodes": page, "pageInfo": info}
	}
	return object{"edges": edges, "pageInfo": info}
}
