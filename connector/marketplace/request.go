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

	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
	"github.com/pubsync/pubsync/shopadapter/pace"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// A request is one document on its way.
type request struct {
	op     string // for errors and logs
	name   string // of the operation
	text   string
	vars   map[string]any
	cursor bool     // it asks for a page behind a cursor
	roots  []string // its root fields, where one may be absent or spoiled by itself; nil: none may
	spare  []string // the path of values that the answer may lack; nil: none
	probe  bool     // its cost says nothing about others

	bytes    int64  // that its answer may measure; 0: usualAnswer
	elements int    // that its answer may hold; 0: as many as its document leads to
	language string // of its Accept-Language; "": those of every request
}

// What an answer may measure, in bytes after decompression.
const (
	usualAnswer   = 1 << 20  // identifiers, states and messages: a page of a hundred entries is some 20 kB
	schemaAnswer  = 8 << 20  // the largest schema known, of another service, takes 2.4 MB
	productAnswer = 16 << 20 // suppliers put pictures into descriptions
)

// query is the request as it is sent. Lists that are no connections have a length that the document
// does not tell, hence the factor.
func (r *Reader) query(q request) wire.Query {
	elements := cmp.Or(q.elements, 2000+8*int(count(q.text)))
	languages := cmp.Or(q.language, strings.Join(r.wanted, ", "))
	header := http.Header{}
	if languages != "" {
		header.Set("Accept-Language", languages)
	}
	return wire.Query{
		Name: q.name, Text: q.text, Variables: q.vars, Header: header,
		Limits: jsonlimit.Limits{Bytes: cmp.Or(q.bytes, usualAnswer), Elements: elements, Depth: 40},
	}
}

// A reply is an answer that can be used. faults is empty unless the request has roots.
type reply struct {
	faults  []wire.Fault
	asked   time.Time // when the request was sent
	spared  bool      // what the answer may lack could not be read, in part or at all
	unread  error     // why its data could not be decoded
	dialect Dialect   // that the request was made of
}

// A failure is why there is no reply.
type failure struct {
	err     *Error
	is      verdict
	counted bool // the answer said what remains in the bucket
}

// mostSizes bounds the requests of one call, each smaller than the one before.
const mostSizes = 12

// ask sends the request that build makes, and decodes the data of its answer. It builds and sends a
// smaller one where the server objects to its size, and repeats a query that was refused for want of
// points without a figure. The points come from res, as far as they reach; res may be nil. What is
// left of it stays with the caller, but all of it is given back before ask waits for points, since
// others may wait for those.
func (r *Reader) ask(
	ctx context.Context, p Priority, res *pace.Reservation, into any, build func(Dialect) (request, error),
) (*reply, error) {
	d, err := r.Probe(ctx)
	if err != nil {
		return nil, err
	}
	var last string // the document that was too large
	var failed error
	var again retries
	for sizes := 0; ; sizes++ {
		q, err := build(d)
		if err != nil {
			return nil, err
		}
		if q.text == last {
			return nil, failed // it cannot be made smaller
		}
		part, err := r.pay(ctx, p, q.op, r.costs.reserve(q), res)
		if err != nil {
			if sizes < mostSizes && r.shrinks(err) {
				last, failed = q.text, err
				continue
			}
			return nil, err
		}
		answer, f := r.exchange(ctx, q, part, into)
		if f == nil {
			answer.dialect = d
			if answer.unread != nil {
				return nil, unreadable(q.op, answer.unread)
			}
			return answer, nil
		}
		if !strings.HasPrefix(q.text, "mutation") && again.again(f.err) {
			last = ""
			continue
		}
		cost := r.costs.reserve(q)
		if sizes >= mostSizes || f.is != isExpensive || !r.costs.lower(cost, limitIn(f.err.said, cost)) {
			if advice := d.advice(f.err); f.is == isInvalid && advice != "" {
				f.err.Message += " (" + advice + ")"
			}
			return nil, f.err
		}
		last, failed = q.text, f.err
	}
}

// admit reserves the points of the request that build makes, of a smaller one where the bucket is
// smaller than was expected.
func (r *Reader) admit(ctx context.Context, p Priority, build func(Dialect) request) (*Admission, error) {
	d, err := r.Probe(ctx)
	if err != nil {
		return nil, err
	}
	for sizes := 0; ; sizes++ {
		q := build(d)
		res, err := r.pay(ctx, p, q.op, r.costs.reserve(q), nil)
		if err == nil {
			return &Admission{res: res, priority: p}, nil
		}
		if sizes >= mostSizes || !r.shrinks(err) {
			return nil, err
		}
	}
}

// shrinks records that the bucket is too small for a request, where that is what err says, and
// reports whether a smaller one can be made.
func (r *Reader) shrinks(err error) bool {
	large, ok := errors.AsType[*pace.TooLargeError](err)
	return ok && r.costs.lower(large.Cost, large.Limit/2)
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
		e.Kind = Invalid
	}
	return nil, e
}

// release gives back what is left of a reservation; res may be nil.
func release(res *pace.Reservation) {
	if res != nil {
		res.Return()
	}
}

// exchange sends q once. It pays from res, which it always ends.
func (r *Reader) exchange(ctx context.Context, q request, res *pace.Reservation, into any) (*reply, *failure) {
	defer res.Return() // for a panic only: every way out below ends it
	if r.install != "" && r.token() == "" {
		message := cmp.Or(r.sealed, "the app is not installed: "+r.install)
		return nil, &failure{is: isUnauthorized, err: &Error{Op: q.op, Kind: Unauthorized, Message: message}}
	}
	asked := time.Now()
	r.requests.Add(1)
	var target any
	if into != nil {
		target = &texts{into}
	}
	a, err := r.wire.GraphQL(ctx, r.query(q), target)
	lost, _ := errors.AsType[*wire.Error](err)
	t := throttleOf(a.Extensions)
	answer := &reply{asked: asked, faults: a.Faults}
	if lost == nil || lost.Unreadable {
		answer.spared = q.lacksSpare(a)
		if whole := len(a.Faults) == 0 && (a.Status == 200 || a.Status == 201) && !isNull(a.Data); whole ||
			answer.spared || q.usable(a) {
			r.charge(ctx, q, t, res)
			r.log.LogAttrs(
				ctx, slog.LevelDebug, "marketplace answered", slog.String("op", q.op),
				slog.Float64("requested", t.requested), slog.Float64("actual", t.actual),
				slog.Duration("took", time.Since(asked)),
			)
			if answer.spared {
				answer.faults = nil
			}
			if lost != nil {
				answer.unread = errors.New(strings.TrimPrefix(lost.Message, "the answer cannot be read: "))
			}
			return answer, nil
		}
	}
	f := r.judge(ctx, q, a, lost)
	f.err.Op, f.counted = q.op, t.status != nil
	if r.install != "" && f.err.Kind == Unauthorized && !f.err.denied {
		f.err.Message += ": " + r.install // the app may have been removed
	}
	r.settle(ctx, q, t, res, f, lost != nil && lost.Unsent)
	r.log.LogAttrs(
		ctx, slog.LevelDebug, "marketplace request failed", slog.String("op", q.op),
		slog.String("kind", f.err.Kind.String()), slog.Int("status", f.err.Status),
		slog.String("error", f.err.Message), slog.Duration("took", time.Since(asked)),
	)
	return nil, f
}

// settle ends the reservation of a request that failed.
func (r *Reader) settle(ctx context.Context, q request, t throttle, res *pace.Reservation, f *failure, unsent bool) {
	limit := r.limit(t)
	switch {
	case f.is == isThrottled && t.status != nil && t.requested > limit:
		// It will never fit, however long it waits.
		f.is, f.err.Kind = isExpensive, Invalid
		f.err.Message = fmt.Sprintf("the query costs %g points, and the marketplace's bucket holds %g", t.requested, limit)
		f.err.said = fmt.Sprintf("limit %g", limit)
		res.Settle(0, t.status)
	case f.is == isThrottled:
		r.costs.observe(q, t.requested, limit)
		r.throttled.Add(1)
		f.err.bare = t.status == nil && f.err.RetryAfter <= 0
		res.Throttled(f.err.RetryAfter, t.status)
	case t.actual >= 0 && t.status != nil:
		r.charge(ctx, q, t, res)
	case f.is >= isUnauthorized && f.is <= isInvalid || unsent:
		r.costs.observe(q, t.requested, limit)
		res.Return() // refused before it was executed, or never sent
	default:
		res.Lost()
	}
	if f.err.Kind != Throttled && !errors.Is(f.err.Err, context.Canceled) {
		r.errors.Add(1)
	}
}

// charge ends res with the points that the answer says were charged; with what was reserved where
// it says none, or more than the bucket holds.
func (r *Reader) charge(ctx context.Context, q request, t throttle, res *pace.Reservation) {
	before, limit := r.bucket.Limit(0), r.limit(t)
	r.costs.observe(q, min(t.requested, max(limit, res.Cost())), limit)
	actual := res.Cost()
	if t.actual >= 0 && t.actual <= max(before, actual) {
		actual = t.actual
	}
	r.spent.spend(actual)
	meterOf(ctx).spend(actual)
	res.Settle(actual, t.status)
}

// limit is the points that the bucket holds, given what t says.
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
	points := func(name string) float64 {
		x, err := strconv.ParseFloat(strings.Trim(string(e.Throttle[name]), `" `), 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return -1
		}
		return x
	}
	_, err := strconv.ParseFloat(strings.Trim(string(e.Throttle["remaining"]), `" `), 64)
	t := throttle{requested: points("requestedCost"), actual: points("actualCost")}
	if s := (pace.Status{
		Limit: points("limit"), Remaining: points("remaining"), RestoreRate: points("restoreRate"),
	}); s.Limit > 0 && s.RestoreRate > 0 && err == nil {
		t.status = &s
	}
	return t
}

// judge returns the failure that an answer amounts to.
func (r *Reader) judge(ctx context.Context, q request, a *wire.Answer, lost *wire.Error) *failure {
	f := &failure{is: isInternal, err: &Error{Status: a.Status, RetryAfter: min(a.RetryAfter, longestPause)}}
	say := func(format string, args ...any) *failure {
		f.err.Message = r.wire.Clean(fmt.Sprintf(format, args...))
		return f
	}
	if lost != nil && !lost.Unreadable {
		if ctx.Err() != nil {
			f.err.Err = ctx.Err()
		}
		return say("%s", lost.Message)
	}
	executed := anyField(a.Data)
	for i, fault := range a.Faults {
		v := judge(fault, q.cursor)
		if v == isUnauthorized && a.Status < 300 && executed {
			v = isUnknown // one field is denied, the token is good
		}
		if i == 0 || v < f.is {
			f.is = v
			f.err.denied = v == isUnauthorized && denies(fault)
			f.err.Message = r.wire.Clean(fault.Message)
		}
	}
	f.err.objection(a.Faults, executed)
	switch {
	case a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden:
		f.is, f.err.Kind = isUnauthorized, Unauthorized
		return say("the token was refused (HTTP %d)", a.Status)
	case a.Status == http.StatusTooManyRequests || len(a.Faults) > 0 && f.is == isThrottled:
		f.is, f.err.Kind = isThrottled, Throttled
		return say("throttled")
	case a.Status >= 500:
		f.is = isInternal
		return say("the marketplace answered HTTP %d", a.Status)
	case len(a.Faults) > 0:
		f.err.Kind, f.err.odd = f.is.kind(), f.is == isUnknown
		if f.err.Message == "" {
			return say("the marketplace reports an error without a message")
		}
		return f
	case a.Status >= 300:
		return say("the marketplace answered HTTP %d without saying why: is the address right?", a.Status)
	case a.Status == http.StatusOK || a.Status == http.StatusCreated:
		return say("the answer is not GraphQL, or holds no data")
	default:
		return say("the marketplace answered HTTP %d", a.Status)
	}
}

// usable reports whether an answer can be read root field by root field: each fault says of one that
// it does not exist, or some are there nonetheless, or each fault is about one and not about rights.
func (q request) usable(a *wire.Answer) bool {
	if q.roots == nil || len(a.Faults) == 0 {
		return false
	}
	var fields map[string]json.RawMessage
	if !isNull(a.Data) && json.Unmarshal(a.Data, &fields) != nil {
		return false
	}
	some, absent, bad := anyField(a.Data), true, isNull(a.Data) || a.Status >= 300
	for _, f := range a.Faults {
		root, v := f.Field(0), judge(f, false)
		absent = absent && slices.Contains(q.roots, root) && isAbsent(f) && isNull(fields[root])
		bad = bad || v == isThrottled || !some && (root == "" || v == isUnauthorized)
	}
	return absent && (a.Status < 300 || a.Status == http.StatusNotFound) || !bad
}

// lacksSpare reports whether an answer lacks what it may lack alone: each fault is about a value
// within, and the rest is there.
func (q request) lacksSpare(a *wire.Answer) bool {
	if q.spare == nil || a.Status >= 300 || len(a.Faults) == 0 || !anyField(a.Data) {
		return false
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

// root is the value of one of n root fields, nil for null, or the error that the answer has for it. A
// fault about the whole request counts for each field that is null.
func root[T any](r *Reader, op string, data map[string]*T, key string, n int, faults []wire.Fault) (*T, error) {
	if _, there := data[key]; n == 1 && !there {
		for key = range data { // under a name of the server's own
			break
		}
	}
	value, there := data[key]
	for _, fault := range faults {
		if fault.Field(0) != key && (fault.Field(0) != "" && n > 1 || value != nil) {
			continue
		}
		v := judge(fault, false)
		e := &Error{
			Op: op, Kind: v.kind(), Status: http.StatusOK, denied: v == isUnauthorized,
			Message: cmp.Or(r.wire.Clean(fault.Message), "an error without a message"),
		}
		if e.Kind == Unauthorized || e.Kind == CursorRefused {
			e.Kind = Transient // the token is good for the others
		}
		e.objection([]wire.Fault{fault}, true)
		if e.absent = isAbsent(fault) && value == nil && (len(data) == 0 || fault.Field(0) == key); e.absent {
			e.Kind = Refused
		}
		return nil, e
	}
	if !there {
		return nil, unreadable(op, fmt.Errorf("the answer has no %s", key))
	}
	return value, nil
}

// raws are root fields that are decoded one by one: one that the server spoils costs itself.
type raws map[string]*json.RawMessage

// field asks for one root field and decodes its value, nil for null. own says that an error is about
// the field, so that no other request need fail. What it does not need of res stays there.
func field[T any](
	ctx context.Context, r *Reader, p Priority, res *pace.Reservation, build func(Dialect) request,
) (value *T, answer *reply, own bool, err error) {
	var data raws
	var q request
	answer, err = r.ask(ctx, p, res, &data, func(d Dialect) (request, error) {
		q = build(d)
		return q, nil
	})
	if err = ownDenial(err); err != nil {
		return nil, nil, IsObjection(err), err
	}
	raw, err := root(r, q.op, data, q.roots[0], 1, answer.faults)
	if err != nil || raw == nil {
		return nil, answer, true, err
	}
	if err := json.Unmarshal(*raw, &value); err != nil {
		return nil, answer, true, unreadable(q.op, err)
	}
	return value, answer, true, nil
}

const (
	// mostBare is how often one call is repeated at most after refusals without a figure. The waits
	// in between double.
	mostBare = 5
	// bareSpan is how long after the first of them it is repeated.
	bareSpan = 20 * time.Second
)

// retries are those of one call after refusals for want of points that say neither what is left nor
// when to come back. The bucket then waits until the points of the request are restored. The caller
// of the call would repeat it with a backoff of seconds.
type retries struct {
	n     int
	begun time.Time
}

// again reports whether the call is sent again after err, and counts it.
func (r *retries) again(err error) bool {
	if !about(err).bare || r.n >= mostBare || r.n > 0 && time.Since(r.begun) > bareSpan {
		return false
	}
	if r.n++; r.n == 1 {
		r.begun = time.Now()
	}
	return true
}
