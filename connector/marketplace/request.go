package marketplace

import (
	"bytes"
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

// Bounds of an answer, in bytes after decompression.
const (
	usualAnswer   = 1 << 20  // a hundred entries are some 20 kB
	largeAnswer   = 8 << 20  // the largest known schema has 2.4 MB
	productAnswer = 16 << 20 // suppliers put pictures into descriptions
)

type reply struct {
	op      string
	root    string
	data    map[string]json.RawMessage
	asked   time.Time
	spared  bool // the product is missing, at least in part
	dialect Dialect
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

func fetch[T any](
	ctx context.Context, r *Reader, a *Admission, build func(Dialect) request,
) (value *T, answer *reply, err error) {
	if answer, err = r.ask(ctx, a, build); err == nil {
		value, err = read[T](answer, answer.root)
	}
	return value, answer, err
}

// An Admission holds points for a reading. End it with the reading or Release.
type Admission struct {
	priority Priority
	points   *pace.Reservation // nil: none
}

// Release gives back points that were not used. A nil Admission has none.
func (a *Admission) Release() {
	if a != nil && a.points != nil {
		a.points.Return()
		a.points = nil
	}
}

// Cost returns the points that it holds.
func (a *Admission) Cost() float64 {
	if a == nil || a.points == nil {
		return 0
	}
	return a.points.Cost()
}

// ask sends what build makes, smaller where the server objects to its size, and pays from the admission first.
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

// admit reserves the points of what build makes, smaller where the bucket is small.
func (r *Reader) admit(ctx context.Context, p Priority, build func(Dialect) request) (*Admission, error) {
	d, err := r.Probe(ctx)
	if err != nil {
		return nil, err
	}
	a := &Admission{priority: p}
	if err = r.shrink(d, build, func(q request) (err error) {
		a.points, err = r.pay(ctx, a, q.op, r.cost(q))
		return err
	}); err != nil {
		return nil, err
	}
	return a, nil
}

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

// shortPause bounds the pauses after which a throttled query is sent again here, and for how long.
const shortPause = 5 * time.Second

func (e *Error) again() bool { return e.is == isThrottled && e.RetryAfter <= shortPause }

func (r *Reader) send(ctx context.Context, a *Admission, q request) (answer *reply, err error) {
	for begun := (time.Time{}); ; {
		paid, failed := r.pay(ctx, a, q.op, r.cost(q))
		if failed != nil {
			return nil, failed
		}
		if begun.IsZero() {
			begun = time.Now()
		}
		answer, err = r.exchange(ctx, q, paid)
		if !about(err).again() || q.vars != nil || time.Since(begun) > shortPause {
			return answer, err
		}
	}
}

// pay reserves cost points, out of the admission if it has as many. Else it gives these back: the wait may need them.
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

// exchange sends q once. It always ends the reservation.
func (r *Reader) exchange(ctx context.Context, q request, points *pace.Reservation) (*reply, error) {
	defer points.Return() // unless ended below: it was not sent
	if r.o.Install != "" && r.token() == "" {
		message := cmp.Or(r.o.Sealed, "the app is not installed: "+r.o.Install)
		return nil, &Error{Op: q.op, Kind: Unauthorized, is: isUnauthorized, Message: message}
	}
	answer := &reply{op: q.op, root: q.root, asked: time.Now()}
	header := http.Header{}
	if languages := cmp.Or(q.language, strings.Join(r.o.Languages, ", ")); languages != "" {
		header.Set("Accept-Language", languages)
	}
	a, err := r.wire.GraphQL(ctx, wire.Query{
		Name: q.name, Text: q.text, Variables: q.vars, Header: header,
		Limits: wire.Limits{ // documents do not bound lists that are no connections
			Bytes: cmp.Or(q.bytes, usualAnswer), Elements: cmp.Or(q.elements, 2000+8*int(q.points)),
		},
	}, &texts{&answer.data})
	lost, _ := errors.AsType[*wire.Error](err)
	t, e := throttleOf(a.Extensions), r.judge(ctx, q, a, lost)
	if answer.spared = e != nil && q.canSpare(a); t.actual < 0 && e == nil {
		// without a word of its cost an answer costs what it holds
		t.actual = min(firstRatio*float64(bytes.Count(a.Data, []byte(`":`))), points.Cost())
	}
	r.o.Logger.DebugContext(ctx, "marketplace answered", "op", q.op, "status", a.Status, "requested", t.requested,
		"actual", t.actual, "took", time.Since(answer.asked))
	if e == nil || answer.spared {
		r.settle(ctx, q, t, points, &Error{}, false)
		return answer, nil
	}
	r.settle(ctx, q, t, points, e, lost != nil && lost.Unsent)
	return nil, e
}

// settle counts a request and ends its points.
func (r *Reader) settle(ctx context.Context, q request, t throttle, points *pace.Reservation, e *Error, unsent bool) {
	limit := r.bucket.Snapshot().Limit
	if t.status != nil {
		limit = max(t.status.Limit, leastLimit)
	}
	throttled, cost := e.is == isThrottled, 0.0
	switch {
	case throttled && t.status != nil && t.requested > limit: // it will never fit
		e.is, e.Kind = isExpensive, Invalid
		e.Message = fmt.Sprintf("the query costs %g points, and the marketplace's bucket holds %g", t.requested, limit)
		points.Settle(0, t.status)
	case throttled:
		e.RetryAfter = points.Throttled(e.RetryAfter, t.status)
	case e.Op != "" && (t.actual < 0 || t.status == nil):
		if unsent || e.is >= isUnauthorized && e.is <= isInvalid {
			points.Return() // it was not executed
		} else {
			points.Lost()
		}
	default:
		if t.requested > 0 && t.requested <= max(limit, points.Cost()) {
			r.observe(q, t.requested)
		}
		cost = points.Settle(t.actual, t.status)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Requests, r.stats.Cost = r.stats.Requests+1, r.stats.Cost+cost
	if e.is == isThrottled {
		r.stats.Throttled++
	}
	if meter, ok := ctx.Value(meterKey{}).(*float64); ok {
		*meter += cost
	}
}

type throttle struct {
	requested, actual float64      // negative: not known
	status            *pace.Status // nil unless complete: half of it looks like an empty bucket
}

func throttleOf(extensions json.RawMessage) throttle {
	var e struct{ Throttle map[string]json.RawMessage }
	_ = json.Unmarshal(extensions, &e) //nolint:errcheck // then it says nothing
	points := func(name string) float64 {
		x, err := strconv.ParseFloat(strings.Trim(string(e.Throttle[name]), `" `), 64)
		if err != nil || math.IsInf(x, 0) {
			return math.NaN() // compares as false
		}
		return x
	}
	t := throttle{-1, -1, nil}
	if x := points("requestedCost"); x >= 0 {
		t.requested = x
	}
	if x := points("actualCost"); x >= 0 {
		t.actual = x
	}
	s := pace.Status{Limit: points("limit"), Remaining: points("remaining"), RestoreRate: points("restoreRate")}
	if s.Limit > 0 && s.RestoreRate > 0 && !math.IsNaN(s.Remaining) {
		t.status = &s
	}
	return t
}
