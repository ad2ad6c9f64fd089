// Package client sends documents to one marketplace and returns the data of their answers. A [Conn]
// pays for each request from the bucket of points, finds out the forms that documents are made of,
// and bounds what an answer may hold.
package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"

	graphql "github.com/hasura/go-graphql-client"

	"github.com/pubsync/pubsync/connector/marketplace/internal/cost"
	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
	"github.com/pubsync/pubsync/shopadapter/pace"
)

// Priority orders the requests that wait for points. It is strict: while a more urgent request
// waits, no other is granted.
type Priority int

// The priorities, the most urgent first. All but the first leave headroom for it.
const (
	Urgent  Priority = iota // what a fresh webhook asks for, and every report
	News                    // content of new and changed entries
	Sweep                   // pages of the list
	Resync                  // pages of the complete enumeration
	Refresh                 // content that nobody said has changed
)

// headroom is the share of the bucket that stays free for urgent requests: about one reading of a
// publication and its report.
const headroom = 0.35

// Config says how to reach the marketplace.
type Config struct {
	URL   string // {base_url}, or the endpoint itself: see Endpoint
	Token string // bearer token, sent to the URL's origin only
	// Sealed says why the token that came by installation cannot be used; "" where it can, or where
	// there is none.
	Sealed string
	// Install says how to get a token by installation: nothing is sent until one is there. "" where
	// the token is configured.
	Install   string
	Details   bool              // contents are read with what their product says beside: brand, size, weight
	Pictures  form.Picture      // how pictures are asked for
	Languages []string          // languages of titles and descriptions to ask for, in order of preference
	Forms     form.Said         // what differs from the specification where the schema cannot be read
	Transport http.RoundTripper // nil: one of our own, with time-outs
	Logger    *slog.Logger      // nil: none
	UserAgent string            // "": pubsync
}

// A Conn is the way to one marketplace: it sends requests, pays their points, and keeps the forms
// that they are made of.
type Conn struct {
	graphql    *graphql.Client
	own        *http.Transport // nil when the transport is the caller's
	credential *credential
	install    string
	sealed     string
	Log        *slog.Logger
	bucket     *pace.Pacer
	Costs      *cost.Learned
	Forms      *form.InUse
	stats      stats
}

// New makes a conn. It contacts nobody: the first request does.
func New(config Config) *Conn {
	c := &Conn{
		credential: newCredential(config.Token),
		install:    config.Install,
		sealed:     config.Sealed,
		Log:        config.Logger,
		Costs:      cost.New(),
		Forms:      form.New(config.Languages, config.Forms),
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	base := config.Transport
	if base == nil {
		c.own = newTransport()
		base = c.own
	}
	config.Languages = c.Forms.Wanted
	c.graphql = graphql.NewClient(Endpoint(config.URL), newHTTPClient(config, base, c.credential))
	c.bucket = pace.New(pace.Options{Headroom: func(priority int, limit float64) float64 {
		if Priority(priority) == Urgent {
			return 0
		}
		return headroom * limit
	}})
	return c
}

// Close gives up the idle connections. Calls that are under way are not disturbed.
func (c *Conn) Close() error {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
	return nil
}

// Budget is the state of the cost bucket.
func (c *Conn) Budget() pace.Snapshot { return c.bucket.Snapshot() }

// Stats counts what was asked of the marketplace since the Reader was made.
type Stats struct {
	Requests  int64   // sent
	Cost      float64 // points charged, as far as the answers say
	Throttled int64   // refused for lack of points
	Errors    int64   // ended otherwise without a usable answer
}

type stats struct {
	requests, throttled, errors atomic.Int64
	Meter
}

// Stats reads the counts.
func (c *Conn) Stats() Stats {
	return Stats{
		Requests: c.stats.requests.Load(), Cost: c.stats.Points(),
		Throttled: c.stats.throttled.Load(), Errors: c.stats.errors.Load(),
	}
}

// Plan is the points that one reservation should not exceed: what the server accepts for one query,
// and half of the bucket, so that a large request does not hold up all others.
func (c *Conn) Plan() float64 { return min(c.Costs.Query(), c.bucket.Snapshot().Limit/2) }

// SetToken has requests sent from now on carry another token. It reports whether it is another.
func (c *Conn) SetToken(token string) (changed bool) { return c.credential.replace(token) }

// Clean makes one bounded line of what the server said, without the tokens.
func (c *Conn) Clean(s string) string { return fault.Clean(s, c.credential.secrets()...) }

// Headroom is the points that stay in the bucket when a request that is not urgent is granted.
func (c *Conn) Headroom() float64 { return headroom * c.Budget().Limit }

// MostSizes bounds the requests of one call, each smaller than the one before.
const MostSizes = 12

// Run sends the request that build makes of the forms in use. It builds and sends a smaller one
// where the server objects to its size, and repeats a query that was refused for want of points
// without a figure. The points come from res, as far as they reach; res may be nil, and is always
// ended.
func (c *Conn) Run(
	ctx context.Context, p Priority, res *pace.Reservation, build func(form.Forms) (Request, error),
) (*Reply, error) {
	if res != nil {
		defer res.Return()
	}
	return c.RunBefore(ctx, p, res, build)
}

// RunBefore is Run for a request that another one follows: what it leaves of res stays with the
// caller. All of res is given back before it waits for points, since others may wait for those.
func (c *Conn) RunBefore(
	ctx context.Context, p Priority, res *pace.Reservation, build func(form.Forms) (Request, error),
) (*Reply, error) {
	forms, err := c.Known(ctx)
	if err != nil {
		return nil, err
	}
	var last string // the document that was too large
	var failed error
	var refused Retries
	for sizes := 0; ; sizes++ {
		q, err := build(forms)
		if err != nil {
			return nil, err
		}
		text := q.Doc.Text()
		if text == last {
			return nil, failed // it cannot be made smaller
		}
		part, err := c.Pay(ctx, p, q.Op, c.Costs.Reserve(q.Doc, text), res)
		if err != nil {
			var large *pace.TooLargeError
			if errors.As(err, &large) && sizes < MostSizes && c.Costs.Lower(large.Cost, large.Limit/2) {
				last, failed = text, err
				continue // the bucket is smaller than was expected
			}
			return nil, err
		}
		answer, f := c.exchange(ctx, q, text, part)
		if f == nil {
			answer.Forms = forms
			return answer, nil
		}
		if q.Doc.Kind == document.Query && refused.Again(f.err) {
			last = ""
			continue
		}
		if sizes >= MostSizes || !c.smaller(q, text, f) {
			if advice := forms.Advice(f.err.Said); f.verdict == fault.AsInvalid && advice != "" {
				f.err.Message += " (" + advice + ")"
			}
			return nil, f.err
		}
		last, failed = text, f.err
	}
}

// smaller reports whether the same call may be sent in a smaller way.
func (c *Conn) smaller(q Request, text string, f *failure) bool {
	switch f.verdict {
	case fault.AsExpensive:
		cost := c.Costs.Estimate(q.Doc, text)
		return c.Costs.Lower(cost, fault.Named(f.err.Said.Text, cost))
	case fault.AsPage:
		return q.First > 1 && c.Costs.Shrink(q.First, int(fault.Named(f.err.Said.Text, float64(q.First))))
	default:
		return false
	}
}

// Pay reserves cost points, out of res if it holds as many. Else all of res is given back first,
// since what it holds may be what is waited for, here or by others.
func (c *Conn) Pay(
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
	granted, err := c.bucket.Reserve(ctx, cost, int(p))
	if err == nil {
		return granted, nil
	}
	e := &fault.Error{Op: op, Message: fmt.Sprintf("wait for points: %v", err), Err: err}
	if _, ok := errors.AsType[*pace.TooLargeError](err); ok {
		e.Kind = fault.Invalid
	}
	return nil, e
}
