package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// A node is an object of the graph: it knows the values of its fields. A value is nil, a bool, an
// int, a string, a []string, a node or a []node.
type node interface {
	resolve(x *execution, f *field) (any, error)
}

// facts is a node given by the values of its fields. A field without a value is null, and a func()
// any is called for its value.
type facts map[string]any

func (n facts) resolve(_ *execution, f *field) (any, error) {
	if value, ok := n[f.name].(func() any); ok {
		return value(), nil
	}
	return n[f.name], nil
}

// An execution is one operation being answered. The answer is written as it is found, in the order
// of the query.
type execution struct {
	m    *Marketplace
	op   *operation
	vars map[string]any
	lang string // of translated names
	base string // where addresses of pictures start

	grant           // of the token
	denied bool     // a fault: reports are denied
	empty  bool     // a fault: the import list looks empty
	odd    []string // a fault: these fields have another shape

	refuses func(id string) bool // a fault: the report of this publication is refused

	buf          []byte
	path         []step
	errs         gqlerror.List
	cost         int
	introspected bool
	content      []string // publications whose listing was read
	reports      []Report // made by the operation
}

// A step leads to a field by its key, or to an entry of a list by its index.
type step struct {
	key   string
	index int
}

// run writes the answer's data; the caller holds the lock that the operation needs.
func (x *execution) run() {
	var root node = queryNode{}
	if x.op.def.Operation == ast.Mutation {
		root = mutationNode{}
	}
	if !x.object(root, x.op.fields) {
		x.buf, x.cost = append(x.buf[:0], "null"...), 0
	}
	if x.introspected {
		x.cost++
	}
}

// object writes a node's selected fields. It returns false when a non-null field is null: then the
// object itself is null.
func (x *execution) object(n node, fields []*field) bool {
	x.buf = append(x.buf, '{')
	first := true
	for _, f := range fields {
		if !x.included(f) {
			continue
		}
		if !first {
			x.buf = append(x.buf, ',')
		}
		first = false
		x.buf = append(x.buf, '"')
		x.buf = append(x.buf, f.key...)
		x.buf = append(x.buf, '"', ':')
		x.path = append(x.path, step{key: f.key})
		ok := x.member(n, f)
		x.path = x.path[:len(x.path)-1]
		if !ok {
			return false
		}
	}
	x.buf = append(x.buf, '}')
	return true
}

// member writes one field's value, or null where a non-null value below it failed.
func (x *execution) member(n node, f *field) bool {
	start, cost := len(x.buf), x.cost
	var (
		value any
		err   error
	)
	i := slices.IndexFunc(f.required, func(name string) bool { return x.arg(f, name) == nil })
	switch {
	case i >= 0:
		err = fmt.Errorf("argument %q must not be null", f.required[i])
	case f.name == "__typename":
		value = f.parent
	default:
		value, err = n.resolve(x, f)
	}
	if err != nil {
		x.fail(f, err.Error())
		if errors.Is(err, errNotFound) {
			x.errs[len(x.errs)-1].Extensions = map[string]any{"code": "NOT_FOUND"}
		}
	}
	if slices.Contains(x.odd, f.name) {
		x.buf = append(x.buf, oddly(f)...)
		return true
	}
	if !f.composite {
		x.cost = plus(x.cost, x.m.price(f))
	}
	if ok := x.complete(value, f, f.typ, err != nil); !ok {
		x.buf, x.cost = x.buf[:start], cost
		if f.typ.NonNull {
			return false
		}
		x.buf = append(x.buf, "null"...)
	}
	if p, ok := n.(*page); ok && x.multiplied(f) {
		x.cost = plus(cost, times(x.cost-cost, len(p.nodes)))
	}
	if f.name == "__schema" || f.name == "__type" {
		x.cost = cost // introspection has its own price
	}
	return true
}

// oddly is a value of another shape than a field has: a text instead of an object or a list, and a
// list with an object instead of a value.
func oddly(f *field) string {
	if f.composite {
		return `"odd"`
	}
	return `[{"odd":null}]`
}

// complete writes a value of a type. failed says that the value is missing because of an error that
// is already in the answer.
func (x *execution) complete(value any, f *field, typ *ast.Type, failed bool) bool {
	switch v := value.(type) {
	case nil:
		if typ.NonNull {
			if !failed {
				x.fail(f, "Cannot return null for non-nullable field "+f.parent+"."+f.name+".")
			}
			return false
		}
		x.buf = append(x.buf, "null"...)
	case string, int, bool, []string:
		out := bytes.NewBuffer(x.buf)
		w := json.NewEncoder(out)
		w.SetEscapeHTML(false) // as a server in JavaScript writes it
		if err := w.Encode(v); err != nil {
			panic(err) // json writes all of these
		}
		x.buf = bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	case []node:
		return x.list(v, f, typ.Elem)
	case node:
		x.cost = plus(x.cost, x.m.price(f))
		return x.object(v, f.sub)
	}
	return true
}

// list writes objects. Each entry of a connection costs what it holds. A list without first costs
// as much as its most expensive entry, since one entry was charged.
func (x *execution) list(nodes []node, f *field, elem *ast.Type) bool {
	before, dearest := x.cost, 0
	if !f.perEntry {
		dearest = 1
	}
	x.buf = append(x.buf, '[')
	for i, n := range nodes {
		if i > 0 {
			x.buf = append(x.buf, ',')
		}
		if !f.perEntry {
			x.cost = before
		}
		start := len(x.buf)
		x.path = append(x.path, step{index: i})
		ok := x.complete(n, f, elem, false)
		x.path = x.path[:len(x.path)-1]
		if !ok {
			if elem.NonNull {
				return false
			}
			x.buf = append(x.buf[:start], "null"...)
		}
		dearest = max(dearest, x.cost-before)
	}
	if !f.perEntry {
		x.cost = before + dearest
	}
	x.buf = append(x.buf, ']')
	return true
}

func (x *execution) fail(f *field, message string) {
	err := gqlerror.ErrorPosf(f.pos, "%s", message)
	for _, s := range x.path {
		if s.key != "" {
			err.Path = append(err.Path, ast.PathName(s.key))
		} else {
			err.Path = append(err.Path, ast.PathIndex(s.index))
		}
	}
	x.errs = append(x.errs, err)
}

// included evaluates a field's @skip and @include.
func (x *execution) included(f *field) bool {
	if f.when == nil {
		return true
	}
	return slices.ContainsFunc(f.when, func(all []condition) bool {
		return !slices.ContainsFunc(all, func(c condition) bool {
			value, _ := c.value.Value(x.vars)
			yes, _ := value.(bool)
			return yes == c.skip
		})
	})
}

// arg is an argument's value; nil when it is absent or null.
func (x *execution) arg(f *field, name string) any {
	a := f.args.ForName(name)
	if a == nil {
		return nil
	}
	value, err := a.Value.Value(x.vars)
	if err != nil {
		// a valid literal can be read, except for an ID of more than 64 bits, which nothing has
		return nil
	}
	return value
}

// explicitNull reports whether an argument was sent, and sent as null.
func (x *execution) explicitNull(f *field, name string) bool {
	a := f.args.ForName(name)
	if a == nil {
		return false
	}
	if a.Value.Kind == ast.Variable {
		value, sent := x.vars[a.Value.Raw]
		return sent && value == nil
	}
	return a.Value.Kind == ast.NullValue
}

// text is a string that is null where there is none.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// nodes wraps a list, which stays a list and does not become null when it is empty.
func nodes[T any](items []T, wrap func(T) node) []node {
	out := make([]node, len(items))
	for i, item := range items {
		out[i] = wrap(item)
	}
	return out
}
