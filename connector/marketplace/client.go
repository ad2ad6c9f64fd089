// Package marketplace speaks to the marketplace whose import list a shop follows.
//
// A [Reader] asks, a [Client] also tells. They are two types, so that a plan cannot reach a mutation.
// A call is one attempt: it ends in a result, or in an [Error] whose [Kind] says who mends it.
//
// The [Dialect] is what the first request learns from the schema, else the specification's words and
// PUBSYNC_MARKETPLACE_FORMS. Two things alone are learned from an objection: that the list is not
// sorted, and that reports have no userErrors.
//
// Every request is paid from one bucket: it reserves what its document counts, times what the server
// asked for the last ones of its operation. Nothing is silently short: nested connections are read to
// their end. A publication is gone only when the server says null for it, or an error at its place
// that says it does not exist.
package marketplace

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/pubsync/pubsync/shopadapter/pace"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// Priority orders the requests that wait for points: while a more urgent one waits, no other is
// granted.
type Priority int

// The priorities, the most urgent first. All but the first leave headroom for it.
const (
	Urgent  Priority = iota // what a fresh webhook asks for, and every report
	News                    // content of new and changed entries
	Sweep                   // pages of the list
	Resync                  // pages of the complete enumeration
	Refresh                 // content that nobody said has changed
)

const (
	headroom      = 0.35             // of the bucket, for urgent requests: about one reading and its report
	answerTimeout = 30 * time.Second // its body included
	longestPause  = 15 * time.Minute // however long a Retry-After is
)

// Config says how to reach the marketplace.
type Config struct {
	URL       string            // {base_url}, or the endpoint itself: see Endpoint
	Token     string            // bearer token, sent to the URL's origin only
	Sealed    string            // why the token that came by installation cannot be used; "" where it can
	Install   string            // how to get a token by installation; "" where the token is configured
	Details   bool              // what the product says beside is read too: brand, size, weight
	Pictures  Picture           // how pictures are asked for
	Languages []string          // of titles and descriptions, in order of preference: names of fields, in lower case
	Forms     Said              // what differs from the specification where the schema cannot be read
	Transport http.RoundTripper // nil: one of our own, with time-outs
	Logger    *slog.Logger      // nil: none
	UserAgent string            // "": pubsync
}

// A Reader asks the marketplace and changes nothing there.
type Reader struct {
	o       Config
	wire    *wire.Client
	bucket  *pace.Pacer
	dialect atomic.Pointer[Dialect] // nil: not known yet
	probing singleflight.Group

	mu     sync.Mutex
	tokens [2]string // the one in use, and the one before, which an answer may still repeat
	stats  Stats
	ratios map[string]float64 // of the server's count of points to ours, by operation
	most   float64            // points of one query, after a refusal of one as too dear; 0: not known
}

// A Client is a Reader that also tells.
type Client struct {
	*Reader
}

// New makes a Client. It contacts nobody: the first call does.
func New(c Config) *Client {
	r := &Reader{o: c, tokens: [2]string{c.Token}, ratios: map[string]float64{}}
	r.o.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	r.wire = wire.New(wire.Options{
		Endpoint: Endpoint(c.URL), Peer: "the marketplace", Transport: c.Transport, UserAgent: cmp.Or(c.UserAgent, "pubsync"),
		Timeout: answerTimeout, Secrets: r.secrets, Authorize: func(req *http.Request) {
			if token := r.token(); token != "" {
				req.Header.Set("Authorization", "Bearer "+token)
			}
		},
	})
	r.bucket = pace.New(func(priority int, limit float64) float64 {
		if Priority(priority) == Urgent {
			return 0
		}
		return headroom * limit
	})
	return &Client{r}
}

// Endpoint is the address that operations are sent to: {base_url}/v1/graphql, or an address that ends
// in /graphql itself, since people paste those.
func Endpoint(address string) string {
	address = strings.TrimRight(address, "/")
	// a host of that name is none
	if path, ok := strings.CutSuffix(address, "/graphql"); ok && !strings.HasSuffix(path, "/") {
		return address
	}
	return address + "/v1/graphql"
}

// Close gives up the idle connections.
func (r *Reader) Close() error { return r.wire.Close() }

func (r *Reader) token() string { return r.secrets()[0] }

// secrets is every token that an answer may repeat: they are removed from what is shown.
func (r *Reader) secrets() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.tokens
	return all[:]
}

// SetToken replaces the bearer token. An empty one, or the one in use, changes nothing.
func (r *Reader) SetToken(token string) (changed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if changed = token != "" && token != r.tokens[0]; changed {
		r.tokens = [2]string{token, r.tokens[0]}
	}
	return changed
}

// Budget is the state of the cost bucket.
func (r *Reader) Budget() pace.Snapshot { return r.bucket.Snapshot() }

// Stats counts since the Reader was made.
type Stats struct {
	Requests  int64   // sent
	Cost      float64 // points charged, as far as the answers say
	Throttled int64   // refused for lack of points
}

// Stats reads the counts.
func (r *Reader) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

func (r *Reader) count(f func(*Stats)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.stats)
}

type meterKey struct{}

// Metered is a context whose calls, all of one Reader, add what they are charged to points as well.
// Read these when the calls have returned.
func Metered(ctx context.Context, points *float64) context.Context {
	return context.WithValue(ctx, meterKey{}, points)
}
