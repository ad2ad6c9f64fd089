package marketplace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	graphql "github.com/hasura/go-graphql-client"

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
	// why a token that came by installation cannot be used; "": there is none, or it is in use
	Sealed string
	// how to get a token, where it comes by installation; without a token nothing is sent then. "":
	// the token is configured
	Install   string
	Languages []string          // languages of titles and descriptions to ask for, in order of preference
	Transport http.RoundTripper // nil: one of our own, with time-outs
	Logger    *slog.Logger      // nil: none
	UserAgent string            // "": pubsync
	Memory    Memory            // keeps over restarts what was found out of the server; nil: nothing does
}

// A Reader asks the marketplace and changes nothing there. Its methods may be called from any
// goroutine.
type Reader struct {
	graphql      *graphql.Client
	own          *http.Transport // nil when the transport is the caller's
	credential   *credential
	install      string
	sealed       string
	log          *slog.Logger
	pacer        *pace.Pacer
	costs        *costs
	forms        *schemaVariants
	memory       Memory
	server       string // stands for the endpoint in memory
	stats        stats
	manyVariants extent // how many a listing has
	manyImages   extent
	several      several
	contents     sync.Map // contentKey -> document
}

// A Client is a Reader that also tells.
type Client struct {
	*Reader
}

// New makes a Client. It contacts nobody: the first call does.
func New(c Config) *Client { return &Client{Reader: NewReader(c)} }

// NewReader makes a Reader. It contacts nobody: the first call does.
func NewReader(c Config) *Reader {
	r := &Reader{
		credential: newCredential(c.Token),
		install:    c.Install,
		sealed:     c.Sealed,
		log:        c.Logger,
		costs:      newCosts(),
		forms:      newSchemaVariants(c.Languages),
		memory:     c.Memory,
		server:     serverDigest(Endpoint(c.URL)),
	}
	r.manyVariants.assumed, r.manyImages.assumed = assumedVariants, assumedImages
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	base := c.Transport
	if base == nil {
		r.own = newTransport()
		base = r.own
	}
	c.Languages = r.forms.wanted
	r.graphql = graphql.NewClient(Endpoint(c.URL), newHTTPClient(c, base, r.credential))
	r.pacer = pace.New(pace.Options{Headroom: func(priority int, limit float64) float64 {
		if Priority(priority) == Urgent {
			return 0
		}
		return headroom * limit
	}})
	return r
}

// Close gives up the idle connections. Calls that are under way are not disturbed.
func (r *Reader) Close() error {
	if r.own != nil {
		r.own.CloseIdleConnections()
	}
	return nil
}

// Budget is the state of the cost bucket.
func (r *Reader) Budget() pace.Snapshot { return r.pacer.Snapshot() }

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
func (r *Reader) Stats() Stats {
	return Stats{
		Requests: r.stats.requests.Load(), Cost: r.stats.Points(),
		Throttled: r.stats.throttled.Load(), Errors: r.stats.errors.Load(),
	}
}

// plan is the points that one reservation should not exceed: what the server accepts for one query,
// and half of the bucket, so that one large request never holds up the rest.
func (r *Reader) plan() float64 { return min(r.costs.query(), r.pacer.Snapshot().Limit/2) }

// mostForms bounds the adaptations within one call: there are fewer forms than this.
const mostForms = 12

// run sends what build makes of the forms known, and again where the server refused it in a way
// that another form or a smaller page mends, or a query without a figure. It is paid from res as
// far as that reaches, and res is always ended; nil: from points of its own.
func (r *Reader) run(
	ctx context.Context,
	p Priority,
	res *pace.Reservation,
	build func(Forms) (request, error),
) (*reply, error) {
	defer func() {
		if res != nil {
			res.Return()
		}
	}()
	var last string // the document that was too large
	var failed error
	var refused retries
	var t trial
	for adapted := 0; ; adapted++ {
		forms, _, err := r.known(ctx)
		if err != nil {
			return nil, err
		}
		forms = t.on(forms)
		q, err := build(forms)
		if err != nil {
			return nil, err
		}
		text := q.doc.text()
		if text == last {
			return nil, failed // it cannot be made smaller
		}
		part, err := r.pay(ctx, p, q.op, r.costs.reserve(q.doc, text), res)
		res = nil
		if err != nil {
			var large *pace.TooLargeError
			if errors.As(err, &large) && adapted < mostForms && r.costs.lower(large.Cost, large.Limit/2) {
				last, failed = text, err
				continue // the bucket turned out smaller than it was taken for
			}
			return nil, err
		}
		answer, f := r.exchange(ctx, q, text, part)
		if f == nil {
			if answer.forms = forms; r.answered(ctx, &t, answer) {
				return answer, nil
			}
			last = ""
			continue
		}
		if q.doc.kind == query && refused.again(f.err) {
			last = ""
			continue
		}
		if adapted >= mostForms {
			return nil, f.err
		}
		if f.verdict >= isInvalid {
			again, proof := r.try(ctx, &t, p, q, text, f)
			switch {
			case proof != nil:
				return proof, nil
			case !again:
				return nil, f.err
			}
			last = ""
			continue
		}
		if !r.smaller(q, text, f) {
			return nil, f.err
		}
		last, failed = text, f.err
	}
}

// smaller reports whether the same call may be sent in a smaller way.
func (r *Reader) smaller(q request, text string, f *fault) bool {
	switch f.verdict {
	case isExpensive:
		cost := r.costs.estimate(q.doc, text)
		return r.costs.lower(cost, named(f.err.said.text, cost))
	case isPage:
		return q.first > 1 && r.costs.shrink(q.first, int(named(f.err.said.text, float64(q.first))))
	default:
		return false
	}
}

// pay reserves cost points, out of res if it holds as many; res is ended either way.
func (r *Reader) pay(
	ctx context.Context,
	p Priority,
	op string,
	cost float64,
	res *pace.Reservation,
) (*pace.Reservation, error) {
	if res != nil {
		defer res.Return()
		part := res.Split(cost)
		if part.Cost() >= cost {
			return part, nil
		}
		part.Return()
		res.Return() // not later: what it holds may be what is waited for
	}
	granted, err := r.pacer.Reserve(ctx, cost, int(p))
	if err == nil {
		return granted, nil
	}
	e := &Error{Op: op, Message: fmt.Sprintf("wait for points: %v", err), Err: err}
	if _, ok := errors.AsType[*pace.TooLargeError](err); ok {
		e.Kind = Invalid
	}
	return nil, e
}
