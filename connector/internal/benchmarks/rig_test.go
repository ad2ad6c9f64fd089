package benchmarks

import (
	"context"
	"hash/fnv"
	"iter"
	"log/slog"
	"net/http"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
)

func init() { debug.SetGCPercent(400) } // marketplaces in memory allocate much and hold little

// A nullShop takes everything at once: what is left to measure is the connector.
type nullShop struct{}

func (nullShop) Check(context.Context) (shopadapter.Info, error) { return shopadapter.Info{}, nil }

func (nullShop) List(context.Context, shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) { yield(shopadapter.Listed{}, shopadapter.ErrNoList) }
}

func (nullShop) Publish(
	_ context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	_ shopadapter.Fields,
) (shopadapter.Listing, error) {
	l := shopadapter.Listing{
		ID: shopadapter.ListingID(rowOf(string(ref.Publication))),
	}
	l.URL = "https://shop.example/product/" + rowOf(string(ref.Publication))
	for _, v := range p.Variants {
		l.Variants = append(l.Variants, shopadapter.ListedVariant{ID: v.ID, ShopID: rowOf(v.ID)})
	}
	return l, nil
}

// rowOf is an id such as shops have, the number of a row in a table, the same for the same thing
// always.
func rowOf(id string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	return strconv.Itoa(int(h.Sum32() % 10_000_000))
}

func (nullShop) Unpublish(context.Context, shopadapter.Ref, shopadapter.Removal) (string, error) {
	return "", nil
}

// A rig is a store in a fresh folder, and connectors between it, the null shop and a marketplace.
type rig struct {
	tb     testing.TB
	store  store.Store
	market marketplace.Config
	tune   func(*connector.Options)
}

// newRig is a rig whose marketplace answers on the transport.
func newRig(tb testing.TB, transport http.RoundTripper) *rig {
	tb.Helper()
	s, err := bolt.Open(filepath.Join(tb.TempDir(), "pubsync.db"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return &rig{tb: tb, store: s, market: marketplace.Config{URL: "http://marketplace.example", Transport: transport}}
}

func (r *rig) connector() *connector.Connector {
	r.tb.Helper()
	c, market := assemble(r.store, r.market, r.tune)
	r.tb.Cleanup(func() {
		if err := market.Close(); err != nil {
			r.tb.Error(err)
		}
	})
	return c
}

// assemble makes a connector into the null shop as a merchant's configuration would, and the client
// that it asks the marketplace with; tune may be nil.
func assemble(
	s store.Store, market marketplace.Config, tune func(*connector.Options),
) (*connector.Connector, *marketplace.Client) {
	market.Token, market.Languages = sandbox.DefaultToken, []string{"en", "nl"}
	o := connector.Options{
		Options: engine.Options{
			Settings: publication.Settings{
				Rules: publication.Rules{
					Details: true, Units: shopadapter.Units{Weight: "kg", Length: "cm"},
					Languages: market.Languages,
					Price:     publication.PriceRule{Base: publication.BaseMSRP},
				},
				Brake:     publication.Brake{PricePercent: decimal.NewFromInt(50), RemovedPercent: decimal.NewFromInt(20)},
				OnRemoved: publication.RemovedUnpublish, FailAfter: 24 * time.Hour, RefreshAfter: 24 * time.Hour,
			},
			Store: s, Shop: nullShop{}, ShopName: "null", Logger: slog.New(slog.DiscardHandler), Concurrency: 4,
		},
		Marketplace:   marketplace.New(asByDefault(market)),
		WebhookSecret: sandbox.DefaultSecret,
		WebhookPrefix: "X-Service",
	}
	if tune != nil {
		tune(&o)
	}
	return connector.New(o), o.Marketplace
}

// asByDefault is how the program reads contents where no setting says otherwise.
func asByDefault(c marketplace.Config) marketplace.Config {
	c.Details, c.Pictures = true, marketplace.Picture{Method: marketplace.Uncropped}
	return c
}
