package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// An object has values by field, a missing one is null. A value is JSON's, where an empty text is null, or a lazy.
type object = map[string]any

type lazy = func(args) (any, error)

// args are a field's arguments: one left out is missing, an explicit null is nil.
type args map[string]any

func (a args) number(name string) int {
	n, _ := strconv.ParseFloat(a.text(name), 64) //nolint:errcheck // 0 where there is none
	return int(n)
}

// text reads a String, an enum, or an ID, which may be a number.
func (a args) text(name string) string {
	if a[name] == nil {
		return ""
	}
	return fmt.Sprint(a[name])
}

type execution struct {
	m       *Marketplace
	op      *ast.OperationDefinition
	vars    map[string]any
	request *http.Request
	account string
	fault   Fault
	entry   Request // for the ledger
	cost    int

	path     ast.Path
	executed bool // the answer has data
	data     any
	errs     gqlerror.List
	reports  []Report
}

func (x *execution) args(f *ast.Field) args { return f.ArgumentMap(x.vars) }

func fields(set ast.SelectionSet) []*ast.Field {
	out := make([]*ast.Field, len(set))
	for i, s := range set {
		out[i], _ = s.(*ast.Field)
	}
	return out
}

func plain(set ast.SelectionSet) bool {
	return !slices.ContainsFunc(fields(set), func(f *ast.Field) bool {
		return f == nil || len(f.Directives) > 0 || !plain(f.SelectionSet)
	})
}

// object returns fields and their cost; nil where one is null that must not be.
func (x *execution) object(o object, set ast.SelectionSet) (any, int) {
	out, cost := make(object, len(set)), 0
	for _, f := range fields(set) {
		x.path = append(x.path, ast.PathName(f.Alias))
		value, points := x.complete(x.resolve(o, f), f)
		x.path = x.path[:len(x.path)-1]
		if value == nil && f.Definition.Type.NonNull {
			return nil, 0
		}
		if introspects(f) {
			points = 1
		}
		out[f.Alias] = value
		cost += points
	}
	return out, cost
}

func (x *execution) resolve(o object, f *ast.Field) (value any) {
	var err error
	of := f.ObjectDefinition.Name
	made, waits := o[f.Name].(lazy)
	switch {
	case f.Name == "__typename":
		return of
	case slices.Contains(x.fault.Fields, f.Name):
		return []any{[]any{true}} // a shape that no field has
	case of == "Query" && slices.Contains(x.m.opts.Denied, f.Name):
		err = fmt.Errorf("access denied for field %s on type %s: the token lacks the scope", f.Name, of)
	case waits:
		value, err = made(x.args(f))
	default:
		value = o[f.Name]
	}
	if err != nil {
		located := gqlerror.ErrorPathf(slices.Clone(x.path), "%s", err)
		if errors.Is(err, errNotFound) {
			located.Extensions = map[string]any{"code": "NOT_FOUND"}
		}
		x.errs = append(x.errs, located)
		return nil
	}
	return value
}

// complete returns a field's value and its cost, the sum of a connection's entries. Another list was charged as one
// entry, and costs its dearest.
func (x *execution) complete(v any, f *ast.Field) (any, int) {
	price := x.price(f)
	switch v := v.(type) {
	case object:
		if out, cost := x.object(v, f.SelectionSet); out != nil {
			return out, cost + price
		}
		return nil, 0
	case []any:
		list, sum, dearest := make([]any, len(v)), 0, price
		for i, o := range v {
			x.path = append(x.path, ast.PathIndex(i))
			entry, cost := x.complete(o, f)
			x.path = x.path[:len(x.path)-1]
			list[i], sum, dearest = entry, sum+cost, max(dearest, cost)
		}
		if perEntry(f) {
			return list, sum
		}
		return list, dearest
	case string:
		if v == "" && !f.Definition.Type.NonNull {
			return nil, price
		}
	case nil:
		if len(f.SelectionSet) > 0 {
			return nil, 0
		}
	}
	return v, price
}

func encode(v any) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return out
}

func objects[T any](items []T, of func(T) any) []any {
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = of(item)
	}
	return out
}

func (x *execution) price(f *ast.Field) int {
	if points, own := x.m.opts.FieldCosts[f.Name]; own {
		return points
	}
	if len(f.SelectionSet) > 0 {
		return 1
	}
	return x.m.opts.ScalarCost
}

func introspects(f *ast.Field) bool { return f.Name == "__schema" || f.Name == "__type" }

func perEntry(f *ast.Field) bool { return f.Name == "nodes" || f.Name == "edges" }

// requested sums floats: lists within lists overflow an int.
func (x *execution) requested() int {
	cost := 0.0
	for _, f := range fields(x.op.SelectionSet) {
		cost += x.most(f)
	}
	return int(min(cost, math.MaxInt32))
}

func (x *execution) most(f *ast.Field) float64 {
	if introspects(f) {
		return 1
	}
	cost := float64(x.price(f))
	for _, sub := range fields(f.SelectionSet) {
		once := x.most(sub)
		if perEntry(sub) {
			once *= float64(max(x.args(f).number("first"), 0))
		}
		cost += once
	}
	return cost
}

// take removes cost if the bucket holds it. A negative cost gives points back.
func (m *Marketplace) take(cost int) (ok bool) {
	m.locked(func() {
		limit, now := float64(m.opts.Limit), time.Now()
		restored := max(now.Sub(m.filled), 0).Seconds() * m.opts.RestoreRate // the clock may be set back
		m.points = min(m.points+restored, limit)
		m.filled = now
		if ok = float64(cost) <= m.points; ok {
			m.points = min(m.points-float64(cost), limit)
		}
	})
	return ok
}

// Remaining returns the whole points in the bucket.
func (m *Marketplace) Remaining() (points int) {
	m.take(0)
	m.locked(func() { points = int(m.points) })
	return points
}

// Spend removes points, if there are any, as another client would.
func (m *Marketplace) Spend(points int) { m.take(min(points, m.Remaining())) }
