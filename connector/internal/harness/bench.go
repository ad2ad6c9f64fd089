// Package harness is what tests of the connector as a whole stand on.
//
// A Bench does what a supplier, a person or a scheduler does. A test belongs to the package whose behaviour it
// holds. It asks the desk, the shop, the marketplace or the store, never a field of the connector. Tests that wait
// run in a bubble of testing/synctest.
package harness

import (
	"log/slog"
	"net/http"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector"
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
		Secrets:       connector.Secrets{Webhook: "secret", PathToken: "path-token"},
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
