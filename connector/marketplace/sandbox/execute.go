package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// An object is the values of an object's fields, by name; a field without one is null. A value is
// a bool, an int, a string, whose "" is null, a []string, an object or an []object; a func() any or
// a lazy makes one when it is asked for.
type object map[string]any

type lazy = func(f *ast.Field) (any, error)

// An execution is one operation being answered.
type execution struct {
	m     *Marketplace
	op    *ast.OperationDefinition
	vars  map[string]any
	lang  string // of translated names
	base  string // where addresses of pictures start
	grant        // of the token
	fault Fault

	path    ast.Path
	errs    gqlerror.List
	content []string // publications whose listing was read
	reports []Report // made by the operation
}

// args are the arguments of a field: one that is left out is missing, an explicit null is nil.
func (x *execution) args(f *ast.Field) map[string]any { return f.ArgumentMap(x.vars) }

func fields(set ast.SelectionSet) []*ast.Field {
	out := make([]*ast.Field, len(set))
	for i, s := range set {
		out[i], _ = s.(*ast.Field)
	}
	return out
}

// plain reports whether a selection has no fragment, no directive and no field twice.
func plain(set ast.SelectionSet) bool {
	named := map[string]bool{}
	for _, s := range set {
		f, ok := s.(*ast.Field)
		if !ok || len(f.Directives) > 0 || named[f.Alias] || !plain(f.SelectionSet) {
			return false
		}
		named[f.Alias] = true
	}
	return true
}

func (x *execution) run() (data any, cost int) {
	root := x.query()
	if x.op.Operation == ast.Mutation {
		root = x.mutation()
	}
	data, cost = x.object(root, x.op.SelectionSet)
	return data, cost + x.schemaCost()
}

// object is an object's fields and what they cost; nil where one is null that must not be.
func (x *execution) object(o object, set ast.SelectionSet) (any, int) {
	out, cost := make(map[string]any, len(set)), 0
	for _, f := range fields(set) {
		x.path = append(x.path, ast.PathName(f.Alias))
		value, points := x.field(o, f)
		x.path = x.path[:len(x.path)-1]
		if value == nil && f.Definition.Type.NonNull {
			return nil, 0
		}
		out[f.Alias] = value
		cost += points
	}
	return out, cost
}

func (x *execution) field(o object, f *ast.Field) (any, int) {
	if slices.Contains(x.fault.Fields, f.Name) { // a text is neither an object nor a list, and no value is this list
		if len(f.SelectionSet) > 0 {
			return "odd", 0
		}
		return []object{{"odd": nil}}, 0
	}
	value, err := x.resolve(o, f)
	if err != nil {
		value = nil
		located := gqlerror.ErrorPosf(f.Position, "%s", err)
		located.Path = slices.Clone(x.path)
		if errors.Is(err, errNotFound) {
			located.Extensions = map[string]any{"code": "NOT_FOUND"}
		}
		x.errs = append(x.errs, located)
	}
	value, cost := x.complete(value, f, f.Definition.Type)
	if introspects(f) {
		return value, 0 // introspection has its own price
	}
	if nodes, _ := o["nodes"].([]object); x.m.opts.PageInfoMultiplied && f.Name == "pageInfo" {
		cost *= len(nodes)
	}
	return value, cost
}

func (x *execution) resolve(o object, f *ast.Field) (any, error) {
	of := f.ObjectDefinition.Name
	if f.Name == "__typename" {
		return of, nil
	}
	if slices.Contains(x.m.opts.Denied, strings.TrimPrefix(of+"."+f.Name, "Query.")) || of == "Query" && !x.may(f.Name) {
		return nil, fmt.Errorf("access denied for field %s on type %s: the token lacks the scope", f.Name, of)
	}
	switch made := o[f.Name].(type) {
	case lazy:
		return made(f)
	case func() any:
		return made(), nil
	default:
		return made, nil
	}
}

// complete is a value in the form of a type, nil for null, and what it costs.
func (x *execution) complete(v any, f *ast.Field, typ *ast.Type) (any, int) {
	if list, many := v.([]object); many {
		if typ.Elem != nil {
			return x.list(list, f, typ.Elem)
		}
		if v = nil; len(list) > 0 { // an edited schema has one object in the place of a list
			v = list[0]
		}
	}
	switch w := v.(type) {
	case object:
		whole, cost := x.object(w, f.SelectionSet)
		if whole == nil {
			return nil, 0
		}
		return whole, cost + x.price(f)
	case string:
		yes, err := strconv.ParseBool(w)
		switch boolean := typ.NamedType == "Boolean"; {
		case boolean && err == nil:
			v = yes
		case boolean, w == "" && !typ.NonNull:
			v = nil
		}
	case int:
		if typ.NamedType == "String" {
			v = strconv.Itoa(w)
		}
	}
	if v == nil && len(f.SelectionSet) > 0 {
		return nil, 0
	}
	return v, x.price(f)
}

// list is a list of objects. Each entry of a connection costs what it holds. Another list costs as
// much as its dearest entry, since one entry was charged.
func (x *execution) list(objects []object, f *ast.Field, elem *ast.Type) (any, int) {
	out, sum, dearest := make([]any, len(objects)), 0, x.price(f)
	for i, o := range objects {
		x.path = append(x.path, ast.PathIndex(i))
		value, cost := x.complete(o, f, elem)
		x.path = x.path[:len(x.path)-1]
		if value == nil && elem.NonNull {
			return nil, 0
		}
		out[i], sum, dearest = value, sum+cost, max(dearest, cost)
	}
	if perEntry(f) {
		return out, sum
	}
	return out, dearest
}

func encode(v any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // what the sandbox says can be written
	}
	return out.Bytes()
}

func objects[T any](items []T, of func(T) object) []object {
	out := make([]object, len(items))
	for i, item := range items {
		out[i] = of(item)
	}
	return out
}

func asInt(v any) int {
	switch n := v.(type) {
	case int64:
		return int(n)
	case float64:
		return int(n)
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
	}
	return ""
}
