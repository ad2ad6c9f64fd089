package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	graphql "github.com/hasura/go-graphql-client"

	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
	"github.com/pubsync/pubsync/shopadapter/pace"
)

// exchange sends q once. It pays from res, which it always ends.
func (c *Conn) exchange(ctx context.Context, q Request, text string, res *pace.Reservation) (*Reply, *failure) {
	defer res.Return() // for a panic only: every way out below ends it
	if c.install != "" && c.credential.token() == "" {
		return nil, &failure{
			verdict: fault.AsUnauthorized,
			err: &fault.Error{
				Op:      q.Op,
				Kind:    fault.Unauthorized,
				Message: cmp.Or(c.sealed, "the app is not installed: "+c.install),
			},
		}
	}
	sent, x := withExchange(ctx, q.limits())
	x.languages = q.Languages
	defer x.done()
	asked := time.Now()
	c.stats.requests.Add(1)
	data, extensions, err := c.graphql.ExecRawWithExtensions(sent, text, q.Vars, graphql.OperationName(q.Doc.Name))
	t, complaints := parseThrottle(extensions), fault.ComplaintsOf(err, x.body)
	whole := len(complaints) == 0 && (x.status == http.StatusOK || x.status == http.StatusCreated) && !wire.IsNull(data)
	part := len(complaints) > 0 && x.status < 300 && q.Partial && usable(data, complaints) ||
		q.onlyAbsent(x.status, data, complaints)
	if whole || part {
		c.charge(ctx, q, text, t, res, res.Cost())
		c.Log.LogAttrs(
			ctx,
			slog.LevelDebug,
			"marketplace answered",
			slog.String("op", q.Op),
			slog.Float64("requested", t.requested.Value),
			slog.Float64("actual", t.actual.Value),
			slog.Duration("took", time.Since(asked)),
		)
		if whole {
			c.Forms.Succeeded(text)
		}
		answer := &Reply{Data: data, Complaints: complaints, Asked: asked}
		if q.Bytes > 0 { // whoever asks for a large answer says when it is decoded
			answer.release, x.release = x.release, nil
		}
		return answer, nil
	}
	f := c.find(ctx, q, x, err, data, complaints)
	f.err.Op, f.counted = q.Op, t.status != nil
	if c.install != "" && f.err.Kind == fault.Unauthorized && !f.err.Denied {
		f.err.Message += ": " + c.install // the app may have been removed
	}
	limit := c.limit(t)
	switch {
	case f.verdict == fault.AsThrottled && t.status != nil && t.requested.Value > limit && c.learn(q, text, t, limit):
		// It will never fit, however long it waits.
		f.verdict, f.err.Kind = fault.AsExpensive, fault.Invalid
		f.err.Message = fmt.Sprintf(
			"the query costs %g points, and the marketplace's bucket holds %g",
			t.requested.Value,
			limit,
		)
		f.err.Said.Text = fmt.Sprintf("limit %g", limit)
		res.Settle(0, t.status)
	case f.verdict == fault.AsThrottled:
		if t.requested.Value <= limit {
			c.learn(q, text, t, limit)
		}
		c.stats.throttled.Add(1)
		f.err.Bare = t.status == nil && f.err.RetryAfter <= 0
		res.Throttled(f.err.RetryAfter, t.status)
	case t.actual.Set && t.status != nil:
		c.charge(ctx, q, text, t, res, res.Cost())
	case f.verdict >= fault.AsUnauthorized && f.verdict <= fault.AsInvalid || dialFailed(err):
		c.learn(q, text, t, limit)
		res.Return() // refused before it was executed, or never sent
	default:
		res.Lost()
	}
	if f.err.Kind != fault.Throttled && !errors.Is(f.err.Err, context.Canceled) {
		c.stats.errors.Add(1)
	}
	c.Log.LogAttrs(
		ctx,
		slog.LevelDebug,
		"marketplace request failed",
		slog.String("op", q.Op),
		slog.String("kind", f.err.Kind.String()),
		slog.Int("status", f.err.Status),
		slog.String("error", f.err.Message),
		slog.Duration("took", time.Since(asked)),
	)
	return nil, f
}

// charge ends res with the points that the answer says were charged; with otherwise where it says
// none, or more than the bucket holds.
func (c *Conn) charge(
	ctx context.Context,
	q Request,
	text string,
	t throttle,
	res *pace.Reservation,
	otherwise float64,
) {
	limit := c.limit(t)
	t.requested.Value = min(t.requested.Value, max(limit, res.Cost())) // it was executed, so the bucket held it
	c.learn(q, text, t, limit)
	actual := otherwise
	if t.actual.Set && t.actual.Value <= max(limit, res.Cost()) {
		actual = max(t.actual.Value, 0)
	}
	c.stats.spend(actual)
	meterOf(ctx).spend(actual)
	res.Settle(actual, t.status)
}

// limit is the points that the bucket holds, given what t says.
func (c *Conn) limit(t throttle) float64 {
	if t.status == nil {
		return c.pacer.Limit(0)
	}
	return c.pacer.Limit(t.status.Limit)
}

// learn records what an answer says of the cost of q. limit is what the bucket holds. It reports
// whether the requested cost is believed.
func (c *Conn) learn(q Request, text string, t throttle, limit float64) (believed bool) {
	if t.status != nil {
		c.Costs.Adopt(limit)
	}
	believed = c.Costs.Believe(q.Doc, text, t.requested.Value, limit)
	if believed && !q.Probe {
		// The server refuses what costs more than its bucket holds, so twice that is enough to
		// know.
		c.Costs.Observe(q.Doc, text, min(t.requested.Value, 2*limit))
	}
	return believed
}

// find returns the failure that an answer amounts to.
func (c *Conn) find(
	ctx context.Context,
	q Request,
	x *exchange,
	err error,
	data json.RawMessage,
	complaints []fault.Complaint,
) *failure {
	f := &failure{
		verdict: fault.AsInternal,
		err:     &fault.Error{Kind: fault.Transient, Status: x.status, RetryAfter: x.retryAfter},
	}
	say := func(format string, args ...any) *failure {
		f.err.Message = c.Clean(fmt.Sprintf(format, args...))
		return f
	}
	if ctx.Err() != nil {
		f.err.Err = ctx.Err()
		return say("%v", ctx.Err())
	}
	for i, said := range complaints {
		v := fault.Judge(said, q.Cursor)
		if v == fault.AsUnauthorized && x.status < 300 && anyField(data) {
			v = fault.AsUnknown // one field is denied, the token is good
		}
		if i == 0 || v < f.verdict {
			f.verdict = v
			f.err.Denied = v == fault.AsUnauthorized && fault.Denies(said)
			f.err.Message = c.Clean(said.Message)
		}
	}
	f.err.Said = fault.ObjectionOf(complaints, anyField(data))
	switch {
	case x.status == 0 && dialFailed(err):
		return say("the marketplace cannot be reached: %s", cause(err))
	case x.status == 0 && isTimeout(err):
		return say("no answer within %v", AnswerTimeout)
	case x.status == 0:
		return say("no answer: %s", cause(err))
	case tooMuch(err) != nil:
		return say("%v", tooMuch(err))
	case x.body == nil || isTimeout(err):
		return say("the answer was cut off: %s", cause(err))
	case x.status == http.StatusUnauthorized || x.status == http.StatusForbidden:
		f.verdict, f.err.Kind = fault.AsUnauthorized, fault.Unauthorized
		return say("the token was refused (HTTP %d)", x.status)
	case x.status == http.StatusTooManyRequests || len(complaints) > 0 && f.verdict == fault.AsThrottled:
		f.verdict, f.err.Kind = fault.AsThrottled, fault.Throttled
		return say("throttled")
	case x.status >= 500:
		f.verdict = fault.AsInternal
		return say("the marketplace answered HTTP %d", x.status)
	case len(complaints) > 0:
		f.err.Kind, f.err.Odd = f.verdict.Kind(), f.verdict == fault.AsUnknown
		f.err.Several = q.Several > 1 && f.verdict == fault.AsInvalid && fault.RefusesAliases(f.err.Said.Text)
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

// usable reports whether data can be read root field by root field: each complaint is about one of
// them, or some of them are there nonetheless.
func usable(data json.RawMessage, complaints []fault.Complaint) bool {
	if wire.IsNull(data) || len(complaints) == 0 {
		return false
	}
	some := anyField(data)
	for _, said := range complaints {
		switch v := fault.Judge(said, false); {
		case v == fault.AsThrottled, said.Alias() == "" && !some, v == fault.AsUnauthorized && !some:
			return false
		}
	}
	return true
}

// anyField reports whether some root field of data is not null.
func anyField(data json.RawMessage) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(wire.OrNull(data), &fields) != nil {
		return false
	}
	for _, value := range fields {
		if !wire.IsNull(value) {
			return true
		}
	}
	return false
}

func dialFailed(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout() || errors.Is(err, context.DeadlineExceeded)
}

// tooMuch is the error about a limit that the answer exceeds, nil for none.
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

// onlyAbsent reports whether an answer says no more than that publications do not exist: each
// complaint is about a root field of the request, which is null or missing.
func (q Request) onlyAbsent(status int, data json.RawMessage, complaints []fault.Complaint) bool {
	if !q.Partial && !q.Alone || status >= 300 && status != http.StatusNotFound || len(complaints) == 0 {
		return false
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(wire.OrNull(data), &fields) != nil {
		return false
	}
	for _, c := range complaints {
		asked := slices.ContainsFunc(
			q.Doc.Body,
			func(f document.Field) bool { return cmp.Or(f.Alias, f.Name) == c.Alias() },
		)
		if !asked || !c.Absent() || !wire.IsNull(fields[c.Alias()]) {
			return false
		}
	}
	return true
}
