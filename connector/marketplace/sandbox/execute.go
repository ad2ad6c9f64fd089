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
// a bool, an int, a string, whose "" is null, a []string, an object or an []object; a func() any or a lazy makes one
// when it is asked for.
type object map[string]any

type lazy = func(f *field) (any, error)

// An execution is one operation being answered. The answer is written as it is found.
type execution struct {
	m       *Marketplace
	op      *ast.OperationDefinition
	vars    map[string]any
	lang    string // of translated names
	base    string // where addresses of pictures start
	grant          // of the token
	fault   Fault
	fields  []*field
	aliases bool

	out     bytes.Buffer
	path    ast.Path
	errs    gqlerror.List
	content []string // publications whose listing was read
	reports []Report // made by the operation
}

// A field is one member of the answer.
type field struct {
	*ast.Field
	args      map[string]any // as sent: one that is left out is missing, an explicit null is nil
	sub       []*field
	composite bool // has fields of its own
}

// plan reads the fields of an object.
func (x *execution) plan(set ast.SelectionSet) (fields []*field, err error) {
	for _, selection := range set {
		s, ok := selection.(*ast.Field)
		if !ok || len(s.Directives) > 0 || slices.ContainsFunc(fields, func(f *field) bool { return f.Alias == s.Alias }) {
			return nil, errors.New("the sandbox serves no fragment, no directive and no field twice")
		}
		f := &field{Field: s, composite: len(s.SelectionSet) > 0, args: map[string]any{}}
		x.aliases = x.aliases || s.Alias != s.Name
		for _, a := range s.Arguments {
			if _, sent := x.vars[a.Value.Raw]; sent || a.Value.Kind != ast.Variable {
				f.args[a.Name], _ = a.Value.Value(x.vars) //nolint:errcheck // an ID beyond 64 bits is one that nothing has
			}
		}
		if f.sub, err = x.plan(s.SelectionSet); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// run writes the answer's data, and returns what it cost. The marketplace is locked.
func (x *execution) run() (cost int) {
	root := x.query()
	if x.op.Operation == ast.Mutation {
		root = x.mutation()
	}
	cost, ok := x.members(root, x.fields)
	if !ok {
		x.out.Reset()
		x.out.WriteString("null")
		cost = 0
	}
	return cost + x.schemaCost()
}

// members writes an object's fields, and returns what they cost. It returns false where one that
// must not be null is: then the object is null.
func (x *execution) members(o object, fields []*field) (cost int, ok bool) {
	for i, f := range fields {
		x.out.WriteString([]string{`{"`, `,"`}[min(i, 1)] + f.Alias + `":`)
		x.path = append(x.path, ast.PathName(f.Alias))
		c, ok := x.member(o, f)
		x.path = x.path[:len(x.path)-1]
		if !ok {
			return 0, false
		}
		cost += c
	}
	x.out.WriteByte('}')
	return cost, true
}

// member writes a field's value, or null where a non-null value below it failed.
func (x *execution) member(o object, f *field) (cost int, ok bool) {
	if slices.Contains(x.fault.Fields, f.Name) { // a text is neither an object nor a list, and no value is this list
		x.out.WriteString(map[bool]string{true: `"odd"`, false: `[{"odd":null}]`}[f.composite])
		return 0, true
	}
	start := x.out.Len()
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
	if cost, ok = x.value(value, f, f.Definition.Type); !ok {
		x.out.Truncate(start)
		if f.Definition.Type.NonNull {
			return 0, false
		}
		x.out.WriteString("null")
		cost = 0
	}
	if f.introspects() {
		cost = 0 // introspection has its own price
	} else if nodes, _ := o["nodes"].([]object); x.m.opts.PageInfoMultiplied && f.Name == "pageInfo" {
		cost *= len(nodes)
	}
	return cost, true
}

// resolve is the value of an object's field.
func (x *execution) resolve(o object, f *field) (any, error) {
	of := f.ObjectDefinition.Name
	if f.Name == "__typename" {
		return of, nil
	}
	for _, a := range f.Definition.Arguments { // a nullable variable with a default may stand where null may not
		if a.Type.NonNull && f.args[a.Name] == nil {
			return nil, fmt.Errorf("argument %q must not be null", a.Name)
		}
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

// value writes a value of a type, and returns what it costs. It returns false where it is null and
// must not be.
func (x *execution) value(v any, f *field, typ *ast.Type) (cost int, ok bool) {
	if list, many := v.([]object); many && typ.Elem == nil { // a list in the place of its first entry
		if v = nil; len(list) > 0 {
			v = list[0]
		}
	}
	switch v := v.(type) {
	case nil:
		x.out.WriteString("null")
		if !f.composite {
			cost = x.price(f)
		}
		return cost, !typ.NonNull
	case object:
		cost, ok = x.members(v, f.sub)
		return cost + x.price(f), ok
	case []object:
		return x.list(v, f, typ.Elem)
	case string:
		yes, err := strconv.ParseBool(v)
		switch boolean := typ.NamedType == "Boolean"; {
		case v == "" && !typ.NonNull || boolean && err != nil: // a word that is neither
			return x.value(nil, f, typ)
		case boolean:
			return x.value(yes, f, typ)
		}
	case int:
		if typ.NamedType == "String" {
			return x.value(strconv.Itoa(v), f, typ)
		}
	}
	x.out.Write(bytes.TrimSpace(encode(v)))
	return x.price(f), true
}

// list writes objects. Each entry of a connection costs what it holds. A list without first costs
// as much as its most expensive entry, since one entry was charged.
func (x *execution) list(objects []object, f *field, elem *ast.Type) (cost int, ok bool) {
	sum, dearest := 0, x.price(f)
	x.out.WriteByte('[')
	for i, o := range objects {
		if i > 0 {
			x.out.WriteByte(',')
		}
		x.path = append(x.path, ast.PathIndex(i))
		c, ok := x.value(o, f, elem)
		x.path = x.path[:len(x.path)-1]
		if !ok {
			return 0, false
		}
		sum, dearest = sum+c, max(dearest, c)
	}
	x.out.WriteByte(']')
	if f.perEntry() {
		return sum, true
	}
	return dearest, true
}

// encode is JSON as a server in JavaScript writes it.
func encode(v any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // what the sandbox says can be written
	}
	return out.Bytes()
}

// objects are a list's entries as objects.
func objects[T any](items []T, of func(T) object) []object {
	out := make([]object, len(items))
	for i, item := range items {
		out[i] = of(item)
	}
	return out
}

// asInt reads an Int that came as a literal or a variable.
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
