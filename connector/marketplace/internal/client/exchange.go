package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	graphql "github.com/hasura/go-graphql-client"

	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
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
	spared := !whole && !part && q.onlyDetails(x.status, data, complaints)
	if whole || part || spared {
		c.charge(ctx, q, text, t, res, res.Cost())
		c.Log.LogAttrs(
			ctx, slog.LevelDebug, "marketplace answered", slog.String("op", q.Op),
			slog.Float64("requested", t.requested.Value), slog.Float64("actual", t.actual.Value),
			slog.Duration("took", time.Since(asked)),
		)
		answer := &Reply{Data: data, Complaints: complaints, Asked: asked, Spared: spared}
		if spared {
			answer.Complaints = nil
		}
		if q.Bytes > 0 { // the caller of a large answer says when it is decoded
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
			"the query costs %g points, and the marketplace's bucket holds %g", t.requested.Value, limit,
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
		ctx, slog.LevelDebug, "marketplace request failed", slog.String("op", q.Op),
		slog.String("kind", f.err.Kind.String()), slog.Int("status", f.err.Status),
		slog.String("error", f.err.Message), slog.Duration("took", time.Since(asked)),
	)
	return nil, f
}

// charge ends res with the points that the answer says were charged; with otherwise where it says
// none, or more than the bucket holds.
func (c *Conn) charge(
	ctx context.Context, q Request, text string, t throttle, res *pace.Reservation, otherwise float64,
) {
	before, limit := c.bucket.Limit(0), c.limit(t)
	t.requested.Value = min(t.requested.Value, max(limit, res.Cost())) // it was executed, so the bucket held it
	c.learn(q, text, t, limit)
	actual := otherwise
	if t.actual.Set && t.actual.Value <= max(before, res.Cost()) {
		actual = max(t.actual.Value, 0)
	}
	c.stats.spend(actual)
	meterOf(ctx).spend(actual)
	res.Settle(actual, t.status)
}

// limit is the points that the bucket holds, given what t says.
func (c *Conn) limit(t throttle) float64 {
	if t.status == nil {
		return c.bucket.Limit(0)
	}
	return c.bucket.Limit(t.status.Limit)
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
