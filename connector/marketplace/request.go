package marketplace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter/pace"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// A request is one document on its way.
type request struct {
	op     string // for errors and logs
	name   string // of the operation
	part          // the document
	vars   map[string]any
	cursor bool // it asks for a page behind a cursor
	// its root field, where it is about one publication: a denial is about that one, and an error may
	// say that it does not exist
	one     string
	several bool     // it is about several, each of which has a root field
	spare   []string // the path of values that the answer may lack; nil: none
	probe   bool     // its cost says nothing about others

	bytes    int64  // that its answer may measure; 0: usualAnswer
	elements int    // that its answer may hold; 0: as many as its document leads to
	language string // of its Accept-Language; "": those of every request
}

// query is a request for root fields.
func query(op, name string, roots ...part) request {
	return request{op: op, name: name, part: join(roots...).in("query " + name)}
}

// mutation is a request for a mutation, whose one argument is an input of a type.
func mutation(op, name, input string, field string, payload part, in map[string]any) request {
	q := request{op: op, name: name, vars: map[string]any{"in": in}}
	q.part = payload.in(field + "(input:$in)").in("mutation " + name + "($in:" + input + "!)")
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
	data    map[string]json.RawMessage // its root fields
	asked   time.Time                  // when the request was sent
	spared  bool                       // what the answer may lack could not be read, in part or at all
	dialect Dialect                    // that the request was made of
}

// read decodes a root field, nil for null.
func read[T any](a *reply, op, field string) (value *T, err error) {
	raw, there := a.data[field]
	if !there {
		return nil, unreadable(op, fmt.Errorf("the answer has no %s", field))
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, unreadable(op, err)
	}
	return value, nil
}

// readAnswer is read of a root field that an answer must have.
func readAnswer[T any](a *reply, op, field string) (*T, error) {
	value, err := read[T](a, op, field)
	if err == nil && value == nil {
		err = unreadable(op, nil)
	}
	return value, err
}

// ask sends the request that build makes, and a smaller one where the server objects to its size.
// The points come from res, as far as they reach; res may be nil. What is left of it stays with the
// caller, but all of it is given back before ask waits for points, since others may wait for those.
func (r *Reader) ask(
	ctx context.Context, p Priority, res *pace.Reservation, build func(Dialect) request,
) (answer *reply, err error) {
	d, err := r.Probe(ctx)
	if err != nil {
		return nil, err
	}
	err = r.shrink(d, build, func(q request) (err error) {
		answer, err = r.send(ctx, p, q, res)
		return err
	})
	if err == nil {
		answer.dialect = d
	} else if e := about(err); e.is == isInvalid {
		if advice := d.advice(e); advice != "" {
			e.Message += " (" + advice + ")"
		}
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
	err = r.shrink(d, build, func(q request) (err error) {
		a.res, err = r.pay(ctx, p, q.op, r.reserve(q), nil)
		return err
	})
	if err != nil {
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

// mostBare is how often one call is made at most where refusals for want of points say neither what
// is left nor when to come back. The bucket then waits until the points of the request are restored,
// and longer each time; the caller would repeat the call with a backoff of seconds.
const mostBare = 5

// send pays for a request and sends it. A query that was refused without a figure is sent again.
func (r *Reader) send(ctx context.Context, p Priority, q request, res *pace.Reservation) (answer *reply, err error) {
	for range mostBare {
		var paid *pace.Reservation
		if paid, err = r.pay(ctx, p, q.op, r.reserve(q), res); err != nil {
			return nil, err
		}
		if answer, err = r.exchange(ctx, q, paid); !about(err).bare || len(q.vars) > 0 {
			break
		}
	}
	return answer, err
}

// pay reserves cost points, out of res if it holds as many. Else all of res is given back first,
// since what it holds may be what is waited for, here or by others.
func (r *Reader) pay(
	ctx context.Context, p Priority, op string, cost float64, res *pace.Reservation,
) (*pace.Reservation, error) {
	if res != nil {
		part := res.Split(cost)
		if part.Cost() >= cost {
			return part, nil
		}
		part.Return()
		res.Return()
	}
	granted, err := r.bucket.Reserve(ctx, cost, int(p))
	if err == nil {
		return granted, nil
	}
	e := &Error{Op: op, Message: fmt.Sprintf("wait for points: %v", err), Err: err}
	if _, ok := errors.AsType[*pace.TooLargeError](err); ok {
		e.Kind, e.is = Invalid, isExpensive
	}
	return nil, e
}

// exchange sends q once. It pays from res, which it always ends.
func (r *Reader) exchange(ctx context.Context, q request, res *pace.Reservation) (*reply, error) {
	defer res.Return() // for a panic only: every way out below ends it
	if r.o.Install != "" && r.token() == "" {
		message := cmp.Or(r.o.Sealed, "the app is not installed: "+r.o.Install)
		return nil, &Error{Op: q.op, Kind: Unauthorized, is: isUnauthorized, Message: message}
	}
	answer := &reply{asked: time.Now()}
	r.count(func(s *Stats) { s.Requests++ })
	header := http.Header{}
	if languages := cmp.Or(q.language, strings.Join(r.o.Languages, ", ")); languages != "" {
		header.Set("Accept-Language", languages)
	}
	a, err := r.wire.GraphQL(ctx, wire.Query{
		Name: q.name, Text: q.text, Variables: q.vars, Header: header,
		// lists that are no connections have a length that the document does not tell, hence the factor
		Limits: wire.Limits{
			Bytes: cmp.Or(q.bytes, usualAnswer), Elements: cmp.Or(q.elements, 2000+8*int(q.points)), Depth: 40,
		},
	}, &texts{&answer.data})
	lost, _ := errors.AsType[*wire.Error](err)
	answer.spared = q.lacksSpare(a)
	t, said := throttleOf(a.Extensions), ""
	e := r.judge(ctx, q, a, lost)
	if e == nil || answer.spared {
		r.charge(ctx, q, t, res)
		e = nil
	} else {
		r.settle(ctx, q, t, res, e, lost != nil && lost.Unsent)
		said = e.Message
	}
	r.o.Logger.LogAttrs(
		ctx, slog.LevelDebug, "marketplace answered", slog.String("op", q.op), slog.Int("status", a.Status),
		slog.String("error", said), slog.Float64("requested", t.requested), slog.Float64("actual", t.actual),
		slog.Duration("took", time.Since(answer.asked)),
	)
	if e != nil {
		return nil, e
	}
	return answer, nil
}

// lacksSpare reports whether an answer lacks what it may lack alone: each fault is about a value
// within, and the rest is there.
func (q request) lacksSpare(a *wire.Answer) bool {
	if q.spare == nil || a.Status >= 300 || len(a.Faults) == 0 || isNull(a.Data) {
		return false
	}
	data := a.Data
	for _, name := range q.spare[:len(q.spare)-1] { // a null within may have taken all around it away
		var within map[string]json.RawMessage
		_ = json.Unmarshal(data, &within) //nolint:errcheck // then it is not there
		if data = within[name]; isNull(data) {
			return false
		}
	}
	return !slices.ContainsFunc(a.Faults, func(f wire.Fault) bool {
		for i, name := range q.spare {
			if f.Field(i) != name {
				return true
			}
		}
		return judge(f, false) == isThrottled
	})
}

func (r *Reader) settle(ctx context.Context, q request, t throttle, res *pace.Reservation, e *Error, unsent bool) {
	limit := r.limit(t)
	switch {
	case e.is == isThrottled && t.status != nil && t.requested > limit:
		// It will never fit, however long it waits.
		e.is, e.Kind = isExpensive, Invalid
		e.Message = fmt.Sprintf("the query costs %g points, and the marketplace's bucket holds %g", t.requested, limit)
		res.Settle(0, t.status)
	case e.is == isThrottled:
		r.count(func(s *Stats) { s.Throttled++ })
		e.bare = t.status == nil && e.RetryAfter <= 0
		res.Throttled(e.RetryAfter, t.status)
	case t.actual >= 0 && t.status != nil:
		r.charge(ctx, q, t, res)
	case e.is >= isUnauthorized && e.is <= isInvalid || unsent:
		res.Return() // refused before it was executed, or never sent
	default:
		res.Lost()
	}
	if e.Kind != Throttled && !errors.Is(e.Err, context.Canceled) {
		r.count(func(s *Stats) { s.Errors++ })
	}
}

// charge ends res with the points that the answer says were charged; with what was reserved where
// it says none, or more than the bucket holds. What no query of its own bucket can cost is not
// believed.
func (r *Reader) charge(ctx context.Context, q request, t throttle, res *pace.Reservation) {
	actual := res.Cost()
	if t.requested > 0 && t.requested <= max(r.limit(t), actual) && !q.probe {
		r.observe(q, t.requested)
	}
	if t.actual >= 0 && t.actual <= max(r.bucket.Limit(0), actual) {
		actual = t.actual
	}
	r.count(func(s *Stats) { s.Cost += actual })
	meterOf(ctx).spend(actual)
	res.Settle(actual, t.status)
}

func (r *Reader) limit(t throttle) float64 {
	if t.status == nil {
		return r.bucket.Limit(0)
	}
	return r.bucket.Limit(t.status.Limit)
}

// A throttle is what extensions.throttle says.
type throttle struct {
	requested, actual float64      // negative where it does not say
	status            *pace.Status // nil when it is not all there
}

// throttleOf reads extensions. A value of another shape is left out, and half a status is none: a
// limit without what remains would look like an empty bucket.
func throttleOf(extensions json.RawMessage) throttle {
	var e struct{ Throttle map[string]json.RawMessage }
	_ = json.Unmarshal(extensions, &e) //nolint:errcheck // then it says nothing
	points := func(name string) (float64, bool) {
		x, err := strconv.ParseFloat(strings.Trim(string(e.Throttle[name]), `" `), 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return -1, err == nil
		}
		return x, true
	}
	var t throttle
	var s pace.Status
	t.requested, _ = points("requestedCost")
	t.actual, _ = points("actualCost")
	s.Limit, _ = points("limit")
	s.RestoreRate, _ = points("restoreRate")
	var said bool
	if s.Remaining, said = points("remaining"); said && s.Limit > 0 && s.RestoreRate > 0 {
		t.status = &s
	}
	return t
}
