// Package harness is what tests of the connector as a whole stand on.
//
// A Bench does what a supplier, a person or a scheduler does. A test belongs to the package whose behaviour it
// holds. It asks the desk, the shop, the marketplace or the store, never a field of the connector. Tests that wait
// run in a bubble of testing/synctest.
package harness

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	"github.com/pubsync/pubsync/store/postgrestest"
)

// A Bench is a sandbox, a shop and a store, with connectors between them.
type Bench struct {
	T      *testing.T
	Market *sandbox.Marketplace
	Shop   *shoptest.Shop
	Path   string // of the store's file
	Store  store.Store
	Tune   func(*connector.Options) // may be nil
	Events []string                 // of webhooks
}

func init() { debug.SetGCPercent(400) } // marketplaces in memory allocate much and hold little

// New makes a Bench.
func New(t *testing.T, o sandbox.Options) *Bench {
	t.Helper()
	b := &Bench{
		T: t, Market: sandbox.New(o), Shop: shoptest.New(shoptest.Abilities{}),
		Path: filepath.Join(t.TempDir(), "pubsync.db"), Events: DefaultEvents(),
	}
	b.Open()
	t.Cleanup(func() {
		if err := b.Store.Close(); err != nil {
			t.Error(err)
		}
		b.Market.Close()
	})
	return b
}

func (b *Bench) must(err error) {
	b.T.Helper()
	if err != nil {
		b.T.Fatal(err)
	}
}

// Open opens the store, which runs each writing function twice.
func (b *Bench) Open() {
	b.T.Helper()
	s, err := bolt.Open(b.Path)
	b.must(err)
	b.Store = store.Store{KV: postgrestest.Twice(b.T, s.KV)}
}

// Options returns the next connector's options.
func (b *Bench) Options() connector.Options {
	log := slog.New(slog.DiscardHandler)
	if testing.Verbose() {
		log = slog.New(slog.NewTextHandler(b.T.Output(), nil))
	}
	o := connector.Options{
		Options: engine.Options{
			Settings: publication.Settings{
				Rules: publication.Rules{
					Details: true, Units: shopadapter.Units{Weight: "kg", Length: "cm"},
					Languages: []string{"en", "nl"},
					Price:     publication.PriceRule{Base: publication.BaseMSRP},
				},
				Brake: publication.Brake{
					PricePercent: decimal.NewFromInt(50), RemovedPercent: decimal.NewFromInt(20),
					FirstPrice: publication.Bounds{Least: decimal.New(5, -1), Most: decimal.NewFromInt(3)},
				},
				OnRemoved: publication.RemovedUnpublish, FailAfter: 24 * time.Hour, RefreshAfter: 24 * time.Hour,
			},
			Store: b.Store, Shop: b.Shop.Adapter(), ShopName: "memory", Logger: log, Concurrency: 4,
		},
		Marketplace:   Client(b.Market.Transport()),
		WebhookSecret: "secret", WebhookPathToken: "path-token",
		WebhookPrefix: "X-Service", WebhookEvents: b.Events,
	}
	if b.Tune != nil {
		b.Tune(&o)
	}
	return o
}

// Client returns a client of the marketplace by a transport.
func Client(transport http.RoundTripper) *marketplace.Client {
	return marketplace.New(marketplace.Config{
		URL: "http://marketplace.example", Token: sandbox.DefaultToken, Languages: []string{"en", "nl"}, Transport: transport,
		Details: true, Pictures: marketplace.Picture{Method: marketplace.Uncropped},
	})
}

// DefaultEvents returns the events that concern the import list.
func DefaultEvents() []string {
	return []string{"PUBLICATION_CREATED", "PRODUCT_UPDATED", "PRODUCT_DELETED"}
}

// Connector makes a connector.
func (b *Bench) Connector() *connector.Connector { return connector.New(b.Options()) }

// Once makes a single run, a second later.
func (b *Bench) Once(full bool) desk.Summary {
	b.T.Helper()
	time.Sleep(time.Second)
	s, err := b.Connector().Once(b.T.Context(), desk.RunOptions{Full: full, Patience: 2 * time.Minute})
	if err != nil && s.Exit == 0 {
		b.T.Fatalf("run ended with exit 0 and %v", err)
	}
	return s
}

// Start runs a worker until stop. Without a schedule in Tune it sweeps only once.
func (b *Bench) Start() (c *connector.Connector, stop func()) {
	b.T.Helper()
	ctx, cancel := context.WithCancel(b.T.Context())
	c = b.Connector()
	done := make(chan error)
	go func() { done <- c.Run(ctx, &connector.Listeners{}) }()
	return c, func() {
		cancel()
		if err := <-done; err != nil {
			b.T.Error(err)
		}
	}
}

// Desk returns the desk of a store without a worker.
func Desk(s store.Store) *desk.Local {
	return &desk.Local{Store: s, Worker: desk.Remote{Alone: desk.Alone{Store: s}}}
}

// Entry returns all that the store has of a publication.
func (b *Bench) Entry(id string) store.Entry {
	b.T.Helper()
	e, err := b.Store.Get(b.T.Context(), id)
	b.must(err)
	return e
}

// State returns a publication's state.
func (b *Bench) State(id string) store.State {
	b.T.Helper()
	return b.Entry(id).Record.State
}

// History returns a publication's events, oldest first.
func (b *Bench) History(id string) []store.Event {
	b.T.Helper()
	events, err := b.Store.History(b.T.Context(), id)
	b.must(err)
	return events
}

// Update has the supplier change a listing.
func (b *Bench) Update(id string, f func(*sandbox.Listing)) {
	b.T.Helper()
	b.must(b.Market.Update(id, f))
}

// Unthrottled makes a bucket that never runs empty. A single query stays bounded.
func Unthrottled() sandbox.Options {
	return sandbox.Options{Limit: 1 << 30, RestoreRate: 1 << 30, QueryLimit: 2000}
}

// A Forger stands between worker and marketplace.
type Forger struct {
	next http.RoundTripper
	// Answer answers an operation in the marketplace's place; "" lets the request through.
	Answer func(operation, body string) string
	// Change rewrites an answer of the marketplace.
	Change func(operation, answer string) string
	mu     sync.Mutex // held by both, and by Do
}

// Do changes the forger, or what its functions know, while requests are under way.
func (f *Forger) Do(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// RoundTrip implements http.RoundTripper.
func (f *Forger) RoundTrip(r *http.Request) (*http.Response, error) {
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	_, rest, _ := strings.Cut(string(asked), `"operationName":"`)
	operation, _, _ := strings.Cut(rest, `"`)
	body := ""
	f.Do(func() {
		if f.Answer != nil {
			body = f.Answer(operation, string(asked))
		}
	})
	if body != "" {
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r,
		}, nil
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(asked))
	resp, err := f.next.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	said, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	body = string(said)
	f.Do(func() {
		if f.Change != nil {
			body = f.Change(operation, body)
		}
	})
	resp.Body = io.NopCloser(strings.NewReader(body))
	return resp, err
}

// Forge puts a forger before the bench's marketplace.
func (b *Bench) Forge() *Forger {
	f := &Forger{next: b.Market.Transport()}
	b.Tune = func(o *connector.Options) { o.Marketplace = Client(f) }
	return f
}
