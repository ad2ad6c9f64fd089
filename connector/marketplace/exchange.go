package marketplace

import (
	"bytes"
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

	"github.com/pubsync/pubsync/shopadapter/pace"
)

// A request is one document on its way.
type request struct {
	op      string // for errors and logs
	doc     document
	vars    map[string]any
	first   int  // the largest page asked for; 0: none
	cursor  bool // a cursor is among the variables
	partial bool // the root fields stand on their own: one that failed leaves the others good
	probe   bool // its cost says nothing about the models
}

// A reply is an answer that can be used. complaints is empty unless the request was partial.
type reply struct {
	data       json.RawMessage
	complaints []complaint
	asked      time.Time // when the request was sent
}

// A fault is why there is no reply.
type fault struct {
	err     *Error
	verdict verdict
	counted bool   // the answer said what remains in the bucket
	text    string // everything the server complained of, unbounded: to find the next form in, not to be shown
}

// throttle is what extensions.throttle says.
type throttle struct {
	requested, actual points
	status            *pace.Status // nil when it is not all there
}

func parseThrottle(extensions json.RawMessage) throttle {
	var e struct {
		Throttle json.RawMessage `json:"throttle"`
	}
	var t struct {
		RequestedCost, ActualCost, Limit, Remaining, RestoreRate points
	}
	// A value of another shape would leave a half-filled struct, and with it an empty bucket: all or nothing.
	if json.Unmarshal(orNull(extensions), &e) != nil || json.Unmarshal(orNull(e.Throttle), &t) != nil {
		return throttle{}
	}
	parsed := throttle{requested: t.RequestedCost, actual: t.ActualCost}
	if t.Limit.value > 0 && t.RestoreRate.value > 0 && t.Remaining.set {
		parsed.status = &pace.Status{Limit: t.Limit.value, Remaining: t.Remaining.value, RestoreRate: t.RestoreRate.value}
	}
	return parsed
}

// exchange sends q once, paid from res, which it always ends.
func (r *Reader) exchange(ctx context.Context, q request, text string, res *pace.Reservation) (*reply, *fault) {
	defer res.Return() // for a panic only: every way out below ends it
	sent, x := withExchange(ctx)
	asked := time.Now()
	r.stats.requests.Add(1)
	data, extensions, err := r.graphql.ExecRawWithExtensions(sent, text, q.vars, graphql.OperationName(q.doc.name))
	if err == nil && !isNull(data) {
		t := parseThrottle(extensions)
		r.settle(ctx, q, text, t, res, res.Cost())
		r.log.LogAttrs(ctx, slog.LevelDebug, "marketplace answered", slog.String("op", q.op), slog.Float64("requested", t.requested.value),
			slog.Float64("actual", t.actual.value), slog.Duration("took", time.Since(asked)))
		return &reply{data: data, asked: asked}, nil
	}

	// The library's errors depend on how well formed the answer is, so the answer itself is read again.
	var envelope struct{ Data, Errors, Extensions json.RawMessage }
	graphQL := x.status > 0 && json.NewDecoder(bytes.NewReader(x.body)).Decode(&envelope) == nil
	t := parseThrottle(envelope.Extensions)
	complaints := parseComplaints(envelope.Errors)
	if graphQL && x.status < 300 && q.partial && usable(envelope.Data, complaints) {
		r.settle(ctx, q, text, t, res, res.Cost())
		return &reply{data: envelope.Data, complaints: complaints, asked: asked}, nil
	}
	f := r.find(ctx, q, x, err, envelope.Data, complaints)
	f.err.Op, f.counted = q.op, t.status != nil
	switch {
	case f.verdict == isThrottled && t.status != nil && t.requested.value > t.status.Limit:
		// It will never fit, however long it waits.
		f.verdict, f.err.Kind = isExpensive, Invalid
		f.err.Message = fmt.Sprintf("the query costs %g points, and the marketplace's bucket holds %g", t.requested.value, t.status.Limit)
		f.text = fmt.Sprintf("limit %g", t.status.Limit)
		r.learn(q, text, t)
		res.Settle(0, t.status)
	case f.verdict == isThrottled:
		r.learn(q, text, t)
		r.stats.throttled.Add(1)
		res.Throttled(f.err.RetryAfter, t.status)
	case t.actual.set && t.status != nil:
		r.settle(ctx, q, text, t, res, t.actual.value)
	case f.verdict >= isUnauthorized && f.verdict <= isInvalid || dialFailed(err):
		r.learn(q, text, t)
		res.Return() // refused before it was executed, or never sent
	default:
		res.Lost()
	}
	if f.err.Kind != Throttled && !errors.Is(f.err.Err, context.Canceled) {
		r.stats.errors.Add(1)
	}
	r.log.LogAttrs(ctx, slog.LevelDebug, "marketplace request failed", slog.String("op", q.op), slog.String("kind", f.err.Kind.String()),
		slog.Int("status", f.err.Status), slog.String("error", f.err.Message), slog.Duration("took", time.Since(asked)))
	return nil, f
}

// settle ends res with what the answer says was charged, or with otherwise where it says nothing.
func (r *Reader) settle(ctx context.Context, q request, text string, t throttle, res *pace.Reservation, otherwise float64) {
	r.learn(q, text, t)
	actual := otherwise
	if t.actual.set {
		actual = max(t.actual.value, 0)
	}
	r.stats.spend(actual)
	meterOf(ctx).spend(actual)
	res.Settle(actual, t.status)
}

func (r *Reader) learn(q request, text string, t throttle) {
	if t.status != nil {
		r.costs.adopt(t.status.Limit)
	}
	if !q.probe {
		r.costs.observe(q.doc, text, t.requested.value)
	}
}

// find says what an answer that is no reply comes to.
func (r *Reader) find(ctx context.Context, q request, x *exchange, err error, data json.RawMessage, complaints []complaint) *fault {
	f := &fault{verdict: isInternal, err: &Error{Kind: Transient, Status: x.status, RetryAfter: x.retryAfter}}
	say := func(format string, args ...any) *fault {
		f.err.Message = clean(fmt.Sprintf(format, args...), r.token)
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
			f.err.Message = clean(c.message, r.token)
		}
		f.text += c.message + "\n"
	}
	switch {
	case x.status == 0 && dialFailed(err):
		return say("the marketplace cannot be reached: %s", cause(err))
	case x.status == 0 && isTimeout(err):
		return say("no answer within %v", answerTimeout)
	case x.status == 0:
		return say("no answer: %s", cause(err))
	case isTooLong(err):
		return say("the answer is longer than %d MiB", largestAnswer>>20)
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
	return len(c.path) > 0 && !strings.Contains(m, "token") && !strings.Contains(m, "authentic")
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

// usable reports whether data can be read root field by root field: each complaint is about one of them, or some are there all the same.
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

func isTooLong(err error) bool {
	_, ok := errors.AsType[*http.MaxBytesError](err)
	return ok
}

// cause is the innermost text of a transport's error: the layers around it name the address, which may hold a secret.
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
