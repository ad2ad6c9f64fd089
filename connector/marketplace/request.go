package marketplace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter/pace"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// A request is one document on its way.
type request struct {
	op   string // for errors and logs
	name string // of the operation
	part        // the document
	root string // its field, "" for several
	vars map[string]any

	cursor bool // it asks for a page behind a cursor
	own    bool // its roots are publications: a denial is about these, and an error may say that one does not exist
	spare  bool // the answer may lack the listing's product

	bytes    int64  // that its answer may measure; 0: usualAnswer
	elements int    // that its answer may hold; 0: as many as its document leads to
	language string // of its Accept-Language; "": those of every request
}

// query is a request for a root field with arguments.
func query(op, name string, field part) request {
	root, _, _ := strings.Cut(field.text, "{")
	root, _, _ = strings.Cut(root, "(")
	return request{op: op, name: name, root: root, part: field.in("query " + name)}
}

// mutation is a request for a mutation, whose one argument is an input of a type.
func mutation(op, name, input, root string, made part, in map[string]any) request {
	q := request{op: op, name: name, root: root, vars: map[string]any{"in": in}}
	q.part = made.in(root + "(input:$in)").in("mutation " + name + "($in:" + input + "!)")
	q.points += dearMutation
	return q
}

// What an answer may measure, in bytes after decompression.
const (
	usualAnswer   = 1 << 20  // identifiers, states and messages: a page of a hundred entries is some 20 kB
	largeAnswer   = 8 << 20  // a schema, of which the largest known takes 2.4 MB, or some fifty thousand categories
	productAnswer = 16 << 20 // suppliers put pictures into descriptions
)

// A reply is an answer that can be used.
type reply struct {
	op      string
	data    map[string]json.RawMessage // its root fields
	asked   time.Time                  // when the request was sent
	spared  bool                       // the product could not be read, in part or at all
	dialect Dialect                    // that the request was made of
}

// read decodes a root field, nil for null.
func read[T any](a *reply, field string) (value *T, err error) {
	raw, there := a.data[field]
	if !there {
		return nil, unreadable(a.op, fmt.Errorf("the answer has no %s", field))
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, unreadable(a.op, err)
	}
	return value, nil
}

// fetch asks, and decodes the root field.
func fetch[T any](
	ctx context.Context, r *Reader, a *Admission, build func(Dialect) request,
) (value *T, answer *reply, err error) {
	root := ""
	answer, err = r.ask(ctx, a, func(d Dialect) request {
		q := build(d)
		root = q.root
		return q
	})
	if err == nil {
		value, err = read[T](answer, root)
	}
	return value, answer, err
}

// An Admission is the points for a reading, and its priority. End it with the reading or Release.
type Admission struct {
	priority Priority
	points   *pace.Reservation // nil: none are reserved
}

// Release gives the points back. After the Admission was used it does nothing.
func (a *Admission) Release() {
	if a.points != nil {
		a.points.Return()
		a.points = nil
	}
}

// ask sends the request that build makes, and a smaller one where the server objects to its size.
// It pays from the admission, as far as that reaches, and leaves the rest to the caller.
func (r *Reader) ask(ctx context.Context, a *Admission, build func(Dialect) request) (answer *reply, err error) {
	d, err := r.Probe(ctx)
	if err != nil {
		return nil, err
	}
	err = r.shrink(d, build, func(q request) (err error) {
		answer, err = r.send(ctx, a, q)
		return err
	})
	if err == nil {
		answer.dialect = d
	} else if e := about(err); e.is == isInvalid {
		d.advise(e)
	}
	return answer, err
}

// admit reserves the points of the request that build makes, of a smaller one where the bucket is
// smaller than was expected.
func (r *Reader) admit(ctx context.Context, p Priority, build func(Dialect) request) (*Admission, error) {
	d, err := r.Probe(ctx)
	if err != nil {
		return nil, err
	}
	a := &Admission{priority: p}
	if err = r.shrink(d, build, func(q request) (err error) {
		a.points, err = r.pay(ctx, a, q.op, r.reserve(q))
		return err
	}); err != nil {
		return nil, err
	}
	return a, nil
}

// shrink tries a request, and smaller ones as long as the error is that it is too dear.
func (r *Reader) shrink(d Dialect, build func(Dialect) request, try func(request) error) error {
	for last := ""; ; {
		q := build(d)
		err := try(q)
		if about(err).is != isExpensive || q.text == last {
			return err
		}
		r.lower(q)
		last = q.text
	}
}

// mostBare is how often one call is made at most where refusals for want of points have no figure. The
// bucket then waits until the points of the request are restored, and longer each time.
const mostBare = 5

// send pays for a request and sends it. A query that was refused without a figure is sent again.
func (r *Reader) send(ctx context.Context, a *Admission, q request) (answer *reply, err error) {
	for range mostBare {
		var paid *pace.Reservation
		if paid, err = r.pay(ctx, a, q.op, r.reserve(q)); err != nil {
			return nil, err
		}
		if answer, err = r.exchange(ctx, q, paid); !about(err).bare || q.vars != nil {
			break
		}
	}
	return answer, err
}

// pay reserves cost points, out of the admission if it holds as many. Else all of that is given back
// first: what it holds may be what is waited for, here or by others.
func (r *Reader) pay(ctx context.Context, a *Admission, op string, cost float64) (*pace.Reservation, error) {
	if a.points != nil {
		part := a.points.Split(cost)
		if part.Cost() >= cost {
			return part, nil
		}
		part.Return()
		a.Release()
	}
	granted, err := r.bucket.Reserve(ctx, cost, int(a.priority))
	if err == nil {
		return granted, nil
	}
	e := &Error{Op: op, Message: fmt.Sprintf("wait for points: %v", err), Err: err}
	if errors.As(err, new(*pace.TooLargeError)) {
		e.Kind, e.is = Invalid, isExpensive
	}
	return nil, e
}

// exchange sends q once. It pays with points, which it always ends.
func (r *Reader) exchange(ctx context.Context, q request, points *pace.Reservation) (*reply, error) {
	defer points.Return() // for a panic only: every way out below ends it
	if r.o.Install != "" && r.token() == "" {
		message := cmp.Or(r.o.Sealed, "the app is not installed: "+r.o.Install)
		return nil, &Error{Op: q.op, Kind: Unauthorized, is: isUnauthorized, Message: message}
	}
	answer := &reply{op: q.op, asked: time.Now()}
	r.count(func(s *Stats) { s.Requests++ })
	header := http.Header{}
	if languages := cmp.Or(q.language, strings.Join(r.o.Languages, ", ")); languages != "" {
		header.Set("Accept-Language", languages)
	}
	a, err := r.wire.GraphQL(ctx, wire.Query{
		Name: q.name, Text: q.text, Variables: q.vars, Header: header,
		Limits: wire.Limits{ // lists that are no connections have a length that the document does not tell
			Bytes: cmp.Or(q.bytes, usualAnswer), Elements: cmp.Or(q.elements, 2000+8*int(q.points)), Depth: 40,
		},
	}, &texts{&answer.data})
	lost, _ := errors.AsType[*wire.Error](err)
	t, e := throttleOf(a.Extensions), r.judge(ctx, q, a, lost)
	answer.spared = e != nil && q.canSpare(a)
	r.o.Logger.DebugContext(ctx, "marketplace answered", "op", q.op, "status", a.Status, "requested", t.requested,
		"actual", t.actual, "took", time.Since(answer.asked))
	if e != nil && !answer.spared {
		r.settle(ctx, q, t, points, e, lost != nil && lost.Unsent)
		return nil, e
	}
	r.charge(ctx, q, t, points)
	return answer, nil
}

// settle ends points after an answer that cannot be used.
func (r *Reader) settle(ctx context.Context, q request, t throttle, points *pace.Reservation, e *Error, unsent bool) {
	switch {
	case e.is == isThrottled && t.status != nil && t.requested > r.limit(t): // it will never fit
		e.is, e.Kind = isExpensive, Invalid
		e.Message = fmt.Sprintf("the query costs %g points, and the marketplace's bucket holds %g", t.requested, r.limit(t))
		points.Settle(0, t.status)
	case e.is == isThrottled:
		r.count(func(s *Stats) { s.Throttled++ })
		e.bare = t.status == nil && e.RetryAfter <= 0
		points.Throttled(e.RetryAfter, t.status)
	case t.actual >= 0 && t.status != nil:
		r.charge(ctx, q, t, points)
	case e.is >= isUnauthorized && e.is <= isInvalid || unsent:
		points.Return() // refused before it was executed, or never sent
	default:
		points.Lost()
	}
}

// charge ends points with those that the answer says were charged. What no query of its bucket can
// cost is not believed: then what was reserved counts.
func (r *Reader) charge(ctx context.Context, q request, t throttle, points *pace.Reservation) {
	actual := points.Cost()
	if t.requested > 0 && t.requested <= max(r.limit(t), actual) {
		r.observe(q, t.requested)
	}
	if t.actual >= 0 && t.actual <= max(r.bucket.Snapshot().Limit, actual) {
		actual = t.actual
	}
	r.spend(ctx, actual)
	points.Settle(actual, t.status)
}

func (r *Reader) limit(t throttle) float64 {
	if t.status == nil {
		return r.bucket.Snapshot().Limit
	}
	return max(t.status.Limit, leastLimit)
}

// A throttle is what extensions.throttle says.
type throttle struct {
	requested, actual float64      // negative where it does not say
	status            *pace.Status // nil when it is not all there: half of one looks like an empty bucket
}

func throttleOf(extensions json.RawMessage) throttle {
	var e struct{ Throttle map[string]json.RawMessage }
	_ = json.Unmarshal(extensions, &e) //nolint:errcheck // then it says nothing
	points := func(name string) (x float64, said bool) {
		x, err := strconv.ParseFloat(strings.Trim(string(e.Throttle[name]), `" `), 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return -1, false
		}
		return x, true
	}
	requested, _ := points("requestedCost")
	actual, _ := points("actualCost")
	limit, _ := points("limit")
	rate, _ := points("restoreRate")
	t := throttle{requested: requested, actual: actual}
	if remaining, said := points("remaining"); said && limit > 0 && rate > 0 {
		t.status = &pace.Status{Limit: limit, Remaining: remaining, RestoreRate: rate}
	}
	return t
}
