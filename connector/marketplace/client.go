// Package marketplace is the client of the marketplace whose import list a shop follows.
//
// A [Reader] asks, a [Client] also tells: a plan has a Reader, and cannot reach a mutation. A call is one attempt.
// The [Kind] of its [Error] says who mends it.
//
// The first request reads the [Dialect] from the schema. Later objections teach only two facts: the list is not
// sorted, and reports have no userErrors.
//
// All requests are paid from one cost bucket. Nested connections are read to their end. A publication is gone only
// where the server answers null for it, or an error at its place that says it does not exist.
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

// Priority orders the requests that wait for points: the most urgent is granted first.
type Priority int

// The priorities, most urgent first. All but Urgent leave headroom for it.
const (
	Urgent  Priority = iota // what a fresh webhook asks for, and reports
	News                    // new and changed content
	Sweep                   // pages of the list
	Resync                  // pages of the complete enumeration
	Refresh                 // content not known to have changed
)

const (
	headroom      = 0.35             // of the bucket: about one reading and its report
	answerTimeout = 30 * time.Second // body included
	longestPause  = 15 * time.Minute // of a Retry-After
)

type Config struct {
	URL       string // see Endpoint
	Token     string // sent to the URL's origin only
	Sealed    string // why the installed token cannot be used, or ""
	Install   string // how to get a token by installation; "" where the token is configured
	Details   bool   // read brand, size and weight too
	Pictures  Picture
	Languages []string          // fields of translations, lower case, preferred first
	Forms     Said              // counts where the schema cannot be read
	Transport http.RoundTripper // nil: our own, with time-outs
	Logger    *slog.Logger      // nil: none
	UserAgent string            // "": pubsync
}

// A Reader asks the marketplace and changes nothing there.
type Reader struct {
	o       Config
	wire    *wire.Client
	bucket  *pace.Pacer
	dialect atomic.Pointer[Dialect] // nil: not known
	probing singleflight.Group

	mu     sync.Mutex
	tokens [2]string // in use, and the one before, which an answer may repeat
	stats  Stats
	ratios map[string]float64 // server's points to ours, by operation
	most   float64            // points of one query, after refusals; 0: not known
}

type Client struct{ *Reader }

// New makes a Client, which sends nothing before its first call.
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

// Endpoint returns {base_url}/v1/graphql, or an address that ends in /graphql, since people paste those.
func Endpoint(address string) string {
	address = strings.TrimRight(address, "/")
	// a host named graphql is no path
	if path, ok := strings.CutSuffix(address, "/graphql"); ok && !strings.HasSuffix(path, "/") {
		return address
	}
	return address + "/v1/graphql"
}

func (r *Reader) Close() error { return r.wire.Close() }

func (r *Reader) token() string { return r.secrets()[0] }

// secrets returns the tokens to remove from what is shown.
func (r *Reader) secrets() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.tokens
	return all[:]
}

// SetToken replaces the bearer token, unless the new one is empty or in use.
func (r *Reader) SetToken(token string) (changed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if changed = token != "" && token != r.tokens[0]; changed {
		r.tokens = [2]string{token, r.tokens[0]}
	}
	return changed
}

func (r *Reader) Budget() pace.Snapshot { return r.bucket.Snapshot() }

// Stats counts since the Reader was made.
type Stats struct {
	Requests  int64
	Cost      float64 // points, as far as answers say
	Throttled int64   // for lack of points
}

func (r *Reader) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

type meterKey struct{}

// Metered returns a context whose calls, all of one Reader, add their cost to points. Read that after they return.
func Metered(ctx context.Context, points *float64) context.Context {
	return context.WithValue(ctx, meterKey{}, points)
}
