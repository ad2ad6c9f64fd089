package marketplace

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	graphql "github.com/hasura/go-graphql-client"

	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
	"github.com/pubsync/pubsync/shopadapter/pace"
)

// A request is one document on its way.
type request struct {
	op      string // for errors and logs
	doc     document
	vars    map[string]any
	first   int   // the largest page asked for; 0: none
	cursor  bool  // a cursor is among the variables
	several int   // the publications that it names
	partial bool  // the root fields stand on their own: one that failed leaves the others good
	alone   bool  // it names one publication: an error that says that there is none is an answer
	probe   bool  // its cost says nothing about the models
	rigid   bool  // what the server objects to in it says nothing of the forms of others, and no other form is tried
	bytes   int64 // that its answer may measure; 0: usualAnswer

	elements  int    // that its answer may hold; 0: as many as its document leads to
	languages string // of its Accept-Language; "": those of every request
}

// limits are what an answer to q may hold. Lists that are no connections have a length that the
// document does not tell, hence the factor.
func (q request) limits() jsonlimit.Limits {
	l := jsonlimit.Limits{Bytes: usualAnswer, Elements: 2000 + 8*int(models()[0].cost(q.doc.body)), Depth: 40}
	if q.bytes > 0 {
		l.Bytes = q.bytes
	}
	if q.probe {
		l.Elements = 200_000
	}
	if q.elements > 0 {
		l.Elements = q.elements
	}
	return l
}

// A reply is an answer that can be used. complaints is empty unless the request was partial, or
// names one publication alone that does not exist.
type reply struct {
	data       json.RawMessage
	complaints []complaint
	asked      time.Time // when the request was sent
	forms      Forms     // that the request was made of
	release    func()    // ends the turn that a large answer takes; nil: it has none
}

// done is called once the data has been decoded.
func (r *reply) done() {
	if r.release != nil {
		r.release()
	}
}

// roots is the root fields of the data, each as it was sent. They are read by encoding/json, since
// the library reads all or nothing: one publication that the server spoils would cost the others.
func (r *reply) roots() (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	err := json.Unmarshal(r.data, &fields)
	return fields, err
}

// A fault is why there is no reply.
type fault struct {
	err     *Error
	verdict verdict
	counted bool // the answer said what remains in the bucket
}

// throttle is what extensions.throttle says.
type throttle struct {
	requested, actual points
	status            *pace.Status // nil when it is not all there
}

// A wireThrottle is extensions.throttle.
type wireThrottle struct {
	RequestedCost points `json:"requestedCost"`
	ActualCost    points `json:"actualCost"`
	Limit         points `json:"limit"`
	Remaining     points `json:"remaining"`
	RestoreRate   points `json:"restoreRate"`
}

func parseThrottle(extensions json.RawMessage) throttle {
	var e struct {
		Throttle wireThrottle `json:"throttle"`
	}
	// A value of another shape would leave a half-filled struct, and with it an empty bucket: all
	// or nothing.
	if json.Unmarshal(orNull(extensions), &e) != nil {
		return throttle{}
	}
	t := e.Throttle
	parsed := throttle{requested: t.RequestedCost, actual: t.ActualCost}
	if t.Limit.value > 0 && t.RestoreRate.value > 0 && t.Remaining.set {
		parsed.status = &pace.Status{
			Limit:       t.Limit.value,
			Remaining:   t.Remaining.value,
			RestoreRate: t.RestoreRate.value,
		}
	}
	return parsed
}

// exchange sends q once, paid from res, which it always ends.
func (r *Reader) exchange(ctx context.Context, q request, text string, res *pace.Reservation) (*reply, *fault) {
	defer res.Return() // for a panic only: every way out below ends it
	if r.install != "" && r.credential.token() == "" {
		return nil, &fault{
			verdict: isUnauthorized,
			err: &Error{
				Op:      q.op,
				Kind:    Unauthorized,
				Message: cmp.Or(r.sealed, "the app is not installed: "+r.install),
			},
		}
	}
	sent, x := withExchange(ctx, q.limits())
	x.languages = q.languages
	defer x.done()
	asked := time.Now()
	r.stats.requests.Add(1)
	data, extensions, err := r.graphql.ExecRawWithExtensions(sent, text, q.vars, graphql.OperationName(q.doc.name))
	t, complaints := parseThrottle(extensions), complaintsOf(err, x.body)
	whole := len(complaints) == 0 && (x.status == http.StatusOK || x.status == http.StatusCreated) && !isNull(data)
	part := len(complaints) > 0 && x.status < 300 && q.partial && usable(data, complaints) ||
		q.onlyAbsent(x.status, data, complaints)
	if whole || part {
		r.settle(ctx, q, text, t, res, res.Cost())
		r.log.LogAttrs(
			ctx,
			slog.LevelDebug,
			"marketplace answered",
			slog.String("op", q.op),
			slog.Float64("requested", t.requested.value),
			slog.Float64("actual", t.actual.value),
			slog.Duration("took", time.Since(asked)),
		)
		if whole {
			r.forms.succeeded(text)
		}
		answer := &reply{data: data, complaints: complaints, asked: asked}
		if q.bytes > 0 { // whoever asks for a large answer says when it is decoded
			answer.release, x.release = x.release, nil
		}
		return answer, nil
	}
	f := r.find(ctx, q, x, err, data, complaints)
	f.err.Op, f.counted = q.op, t.status != nil
	if r.install != "" && f.err.Kind == Unauthorized && !f.err.denied {
		f.err.Message += ": " + r.install // the app may have been removed
	}
	limit := r.limit(t)
	switch {
	case f.verdict == isThrottled && t.status != nil && t.requested.value > limit && r.learn(q, text, t, limit):
		// It will never fit, however long it waits.
		f.verdict, f.err.Kind = isExpensive, Invalid
		f.err.Message = fmt.Sprintf(
			"the query costs %g points, and the marketplace's bucket holds %g",
			t.requested.value,
			limit,
		)
		f.err.said.text = fmt.Sprintf("limit %g", limit)
		res.Settle(0, t.status)
	case f.verdict == isThrottled:
		if t.requested.value <= limit {
			r.learn(q, text, t, limit)
		}
		r.stats.throttled.Add(1)
		f.err.bare = t.status == nil && f.err.RetryAfter <= 0
		res.Throttled(f.err.RetryAfter, t.status)
	case t.actual.set && t.status != nil:
		r.settle(ctx, q, text, t, res, res.Cost())
	case f.verdict >= isUnauthorized && f.verdict <= isInvalid || dialFailed(err):
		r.learn(q, text, t, limit)
		res.Return() // refused before it was executed, or never sent
	default:
		res.Lost()
	}
	if f.err.Kind != Throttled && !errors.Is(f.err.Err, context.Canceled) {
		r.stats.errors.Add(1)
	}
	r.log.LogAttrs(
		ctx,
		slog.LevelDebug,
		"marketplace request failed",
		slog.String("op", q.op),
		slog.String("kind", f.err.Kind.String()),
		slog.Int("status", f.err.Status),
		slog.String("error", f.err.Message),
		slog.Duration("took", time.Since(asked)),
	)
	return nil, f
}

// settle ends res with what the answer says was charged, or with otherwise where it says nothing
// that can be.
func (r *Reader) settle(
	ctx context.Context,
	q request,
	text string,
	t throttle,
	res *pace.Reservation,
	otherwise float64,
) {
	limit := r.limit(t)
	t.requested.value = min(t.requested.value, max(limit, res.Cost())) // it was executed, so the bucket held it
	r.learn(q, text, t, limit)
	actual := otherwise
	if t.actual.set && t.actual.value <= max(limit, res.Cost()) {
		actual = max(t.actual.value, 0)
	}
	r.stats.spend(actual)
	meterOf(ctx).spend(actual)
	res.Settle(actual, t.status)
}

// limit is the points that the bucket holds, as far as t is believed.
func (r *Reader) limit(t throttle) float64 {
	if t.status == nil {
		return r.pacer.Limit(0)
	}
	return r.pacer.Limit(t.status.Limit)
}

// learn takes in what an answer says of the cost, where the bucket holds limit. It reports whether
// the requested cost is believed.
func (r *Reader) learn(q request, text string, t throttle, limit float64) (believed bool) {
	if t.status != nil {
		r.costs.adopt(limit)
	}
	believed = r.costs.believe(q.doc, text, t.requested.value, limit)
	if believed && !q.probe {
		// The server refuses what costs more than its bucket holds, so twice that is enough to
		// know.
		r.costs.observe(q.doc, text, min(t.requested.value, 2*limit))
	}
	return believed
}

// find says what an answer that is no reply comes to.
func (r *Reader) find(
	ctx context.Context,
	q request,
	x *exchange,
	err error,
	data json.RawMessage,
	complaints []complaint,
) *fault {
	f := &fault{verdict: isInternal, err: &Error{Kind: Transient, Status: x.status, RetryAfter: x.retryAfter}}
	say := func(format string, args ...any) *fault {
		f.err.Message = clean(fmt.Sprintf(format, args...), r.credential.secrets()...)
		return f
	}
	if ctx.Err() != nil {
		f.err.Err = ctx.Err()
		return say("%v", ctx.Err())
	}
	for i, c := range complaints {
		v := judge(c, q.cursor)
		if v == isUnauthorized && x.status < 300 && anyField(data) {
			v = isUnknown // one field is denied, the token is good
		}
		if i == 0 || v < f.verdict {
			f.verdict = v
			f.err.denied = v == isUnauthorized && denies(c)
			f.err.Message = clean(c.message, r.credential.secrets()...)
		}
	}
	f.err.said = objectionOf(complaints, anyField(data))
	switch {
	case x.status == 0 && dialFailed(err):
		return say("the marketplace cannot be reached: %s", cause(err))
	case x.status == 0 && isTimeout(err):
		return say("no answer within %v", answerTimeout)
	case x.status == 0:
		return say("no answer: %s", cause(err))
	case tooMuch(err) != nil:
		return say("%v", tooMuch(err))
	case x.body == nil || isTimeout(err):
		return say("the answer was cut off: %s", cause(err))
	case x.status == http.StatusUnauthorized || x.status == http.StatusForbidden:
		f.verdict, f.err.Kind = isUnauthorized, Unauthorized
		return say("the token was refused (HTTP %d)", x.status)
	case x.status == http.StatusTooManyRequests || len(complaints) > 0 && f.verdict == isThrottled:
		f.verdict, f.err.Kind = isThrottled, Throttled
		return say("throttled")
	case x.status >= 500:
		f.verdict = isInternal
		return say("the marketplace answered HTTP %d", x.status)
	case len(complaints) > 0:
		f.err.Kind, f.err.odd = f.verdict.kind(), f.verdict == isUnknown
		f.err.several = q.several > 1 && f.verdict == isInvalid && refusesAliases(f.err.said.text)
		if f.err.Message == "" {
			return say("the marketplace reports an error without a message")
		}
		return f
	case x.status >= 300:
		return say("the marketplace answered HTTP %d without saying why: is the address right?", x.status)
	case x.status == http.StatusOK || x.status == http.StatusCreated:
		return say("the answer is not GraphQL, or holds no data")
	default:
		return say("the marketplace answered HTTP %d", x.status)
	}
}

// denies reports whether a complaint about rights is about one field and not about the token.
func denies(c complaint) bool {
	m := strings.ToLower(c.message)
	about := strings.Contains(m, "scope") || !strings.Contains(m, "token") && !strings.Contains(m, "authentic")
	return len(c.path) > 0 && about
}

func (v verdict) kind() Kind {
	switch v {
	case isThrottled:
		return Throttled
	case isUnauthorized:
		return Unauthorized
	case isCursor:
		return CursorRefused
	case isExpensive, isPage, isInvalid:
		return Invalid
	default:
		return Transient
	}
}

// usable reports whether data can be read root field by root field: each complaint is about one of
// them, or some are there all the same.
func usable(data json.RawMessage, complaints []complaint) bool {
	if isNull(data) || len(complaints) == 0 {
		return false
	}
	some := anyField(data)
	for _, c := range complaints {
		switch v := judge(c, false); {
		case v == isThrottled, c.alias() == "" && !some, v == isUnauthorized && !some:
			return false
		}
	}
	return true
}

// anyField reports whether some root field of data is not null.
func anyField(data json.RawMessage) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(orNull(data), &fields) != nil {
		return false
	}
	for _, value := range fields {
		if !isNull(value) {
			return true
		}
	}
	return false
}

func isNull(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || bytes.Equal(raw, []byte("null"))
}

func dialFailed(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout() || errors.Is(err, context.DeadlineExceeded)
}

// tooMuch is the limit that the answer exceeds, nil for none.
func tooMuch(err error) error {
	if e, ok := errors.AsType[*jsonlimit.Error](err); ok {
		return e
	}
	return nil
}

// cause is the innermost text of a transport's error: the layers around it name the address, which
// may hold a secret.
func cause(err error) string {
	for {
		var next error
		switch e := err.(type) { //nolint:errorlint // the chain is what is walked here
		case interface{ Unwrap() error }:
			next = e.Unwrap()
		case interface{ Unwrap() []error }:
			if all := e.Unwrap(); len(all) > 0 {
				next = all[0]
			}
		}
		if next == nil {
			break
		}
		err = next
	}
	if err == nil {
		return "unknown"
	}
	return strings.TrimSpace(err.Error())
}
