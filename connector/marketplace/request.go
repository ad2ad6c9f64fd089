package marketplace

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
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
	op    string
	data  map[string]json.RawMessage
	asked time.Time
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

// fetch asks for one root field, nil for null and for a publication that the server calls absent.
func fetch[T any](
	ctx context.Context, r *Reader, a *Admission, build func(Dialect) request,
) (value *T, answer *reply, err error) {
	root := ""
	answer, err = r.ask(ctx, a, func(d Dialect) request {
		q := build(d)
		root = q.root
		return q
	})
	if about(err).absent {
		return nil, nil, nil
	}
	if err == nil {
		value, err = read[T](answer, root)
	}
	return value, answer, err
}

// An Admission holds points for a reading. End it with the reading or Release.
type Admission struct {
	priority Priority
	points   *pace.Reservation // nil: none
}

// Release gives back points that were not used.
func (a *Admission) Release() {
	if a.points != nil {
		a.points.Return()
		a.points = nil
	}
}

// admit reserves the points of what build makes.
func (r *Reader) admit(ctx context.Context, p Priority, build func(Dialect) request) (*Admission, error) {
	d, err := r.Probe(ctx)
	if err != nil {
		return nil, err
	}
	a, q := &Admission{priority: p}, build(d)
	a.points, err = r.pay(ctx, a, q.op, r.cost(q))
	return a, err
}

// pay reserves cost points, out of the admission if it holds as many. Else it first gives these back: this wait, or
// others, may need them.
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
	if err != nil {
		return nil, &Error{Op: op, Message: fmt.Sprintf("wait for points: %v", err), Err: err}
	}
	return granted, nil
}

// ask sends what build makes, smaller where the server objects to its size. It pays from the admission first, and
// leaves the rest to the caller.
func (r *Reader) ask(ctx context.Context, a *Admission, build func(Dialect) request) (*reply, error) {
	d, err := r.Probe(ctx)
	if err != nil {
		return nil, err
	}
	for last := ""; ; {
		q := build(d)
		answer, err := r.send(ctx, a, q)
		switch e := about(err); {
		case e.is == isExpensive && q.text != last:
			r.tooDear(q)
			last = q.text
			continue
		case e.is == isInvalid:
			d.advise(e)
		}
		return answer, err
	}
}

// mostTries bounds how often a throttled request is sent. The bucket waits longer each time.
const mostTries = 5

// again reports whether a refusal for lack of points leaves the time of the next try to the bucket.
func (e *Error) again() bool { return e.Kind == Throttled && e.RetryAfter <= 0 }

func (r *Reader) send(ctx context.Context, a *Admission, q request) (answer *reply, err error) {
	for range mostTries {
		paid, failed := r.pay(ctx, a, q.op, r.cost(q))
		if failed != nil {
			return nil, failed
		}
		if answer, err = r.exchange(ctx, q, paid); !about(err).again() || q.vars != nil {
			break // a mutation needs another look before it
		}
	}
	return answer, err
}

// exchange sends q once. It always ends the reservation.
func (r *Reader) exchange(ctx context.Context, q request, points *pace.Reservation) (*reply, error) {
	defer points.Return() // unless ended below: it was not sent
	if r.o.Install != "" && r.secrets()[0] == "" {
		message := cmp.Or(r.o.Sealed, "the app is not installed: "+r.o.Install)
		return nil, &Error{Op: q.op, Kind: Unauthorized, is: isUnauthorized, Message: message}
	}
	answer := &reply{op: q.op, asked: time.Now()}
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
	t, e := throttleOf(a.Extensions), r.judge(ctx, q, a, answer, lost)
	if t.actual < 0 && e == nil { // without a word of its cost an answer costs what it holds
		t.actual = min(firstRatio*float64(bytes.Count(a.Data, []byte(`":`))), points.Cost())
	}
	r.o.Logger.DebugContext(ctx, "marketplace answered", "op", q.op, "status", a.Status, "requested", t.requested,
		"actual", t.actual, "took", time.Since(answer.asked))
	r.settle(ctx, q, t, points, e, lost != nil && lost.Unsent)
	if e != nil {
		return nil, e
	}
	return answer, nil
}

// settle counts a request and ends its points; e is nil after success. Claims beyond the bucket do not count.
func (r *Reader) settle(ctx context.Context, q request, t throttle, points *pace.Reservation, e *Error, unsent bool) {
	reserved, spent, throttled := points.Cost(), 0.0, e != nil && e.is == isThrottled
	switch {
	case throttled:
		points.Throttled(e.RetryAfter, t.status)
		if limit := r.bucket.Snapshot().Limit; t.status != nil && t.requested > limit { // it will never fit
			e.is, e.Kind = isExpensive, Invalid
			e.Message = fmt.Sprintf("the query costs %g points, and the marketplace's bucket holds %g", t.requested, limit)
		}
	case e != nil && (t.actual < 0 || t.status == nil):
		if unsent || e.is >= isUnauthorized && e.is <= isInvalid {
			points.Return() // it was not executed
		} else {
			points.Lost()
		}
	default:
		most := max(r.bucket.Snapshot().Limit, reserved)
		points.Settle(t.actual, t.status)
		if t.requested > 0 && t.requested <= most {
			r.observe(q, t.requested)
		}
		if spent = t.actual; spent < 0 || spent > most {
			spent = reserved
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Requests++
	r.stats.Cost += spent
	if throttled {
		r.stats.Throttled++
	}
	if meter, ok := ctx.Value(meterKey{}).(*float64); ok {
		*meter += spent
	}
}

type throttle struct {
	requested, actual float64      // negative: not known
	status            *pace.Status // nil unless complete: half of it looks like an empty bucket
}

func throttleOf(extensions json.RawMessage) throttle {
	var e struct {
		Throttle struct{ RequestedCost, ActualCost, Limit, Remaining, RestoreRate *float64 }
	}
	_ = json.Unmarshal(extensions, &e) //nolint:errcheck // what is no number stays nil
	said, unknown := e.Throttle, -1.0
	t := throttle{*cmp.Or(said.RequestedCost, &unknown), *cmp.Or(said.ActualCost, &unknown), nil}
	if said.Limit != nil && said.Remaining != nil && said.RestoreRate != nil && *said.Limit > 0 && *said.RestoreRate > 0 {
		t.status = &pace.Status{Limit: *said.Limit, Remaining: *said.Remaining, RestoreRate: *said.RestoreRate}
	}
	return t
}
