package connector

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	_ "github.com/pubsync/pubsync/store/memorytest"
	"github.com/pubsync/pubsync/store/storetest"
)

// A shelf is a shop in memory that remembers every call.
type shelf struct {
	mu       sync.Mutex
	products map[shopadapter.PublicationID]*item
	calls    []call
	// refuse decides how a call ends before it has any effect; nil lets it through.
	refuse func(call) error
	// refuseVariant gives the reason for which a variant is refused.
	refuseVariant func(shopadapter.Variant) string
	check         error
	onPublish     func(shopadapter.PublicationID)
	deny          map[shopadapter.PublicationID]bool // deleted by hand
	// miss tells why a picture cannot be shown, and whether it may be later; "" shows it.
	miss func(address string) (reason string, later bool)
	// hides says that what was taken out of sale by hand is left so.
	hides bool
	// list is what the shop lists; nil: all that it has.
	list  func(shopadapter.Listed) (shown bool, err error)
	lists int // how often it was asked to
}

type item struct {
	listing shopadapter.ListingID
	product shopadapter.Product
	onSale  bool
}

type call struct {
	id      shopadapter.PublicationID
	method  string // create, update, unpublish, delete
	changed shopadapter.Fields
	product shopadapter.Product
}

func newShelf() *shelf {
	return &shelf{products: map[shopadapter.PublicationID]*item{}, deny: map[shopadapter.PublicationID]bool{}}
}

func (s *shelf) Publish(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	if err := ctx.Err(); err != nil {
		return shopadapter.Listing{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	it, ok := s.products[ref.Publication]
	c := call{id: ref.Publication, method: "update", changed: changed, product: p}
	if !ok {
		c.method = "create"
		if ref.Listing != "" {
			return shopadapter.Listing{}, shopadapter.ErrGone
		}
	}
	if s.refuse != nil {
		if err := s.refuse(c); err != nil {
			return shopadapter.Listing{}, err
		}
	}
	if ok && s.hides && ref.OnSale && !it.onSale {
		return shopadapter.Listing{}, shopadapter.ErrHidden
	}
	s.calls = append(s.calls, c)
	if !ok {
		it = &item{listing: shopadapter.ListingID(fmt.Sprintf("shop-%d", len(s.products)+1))}
		s.products[ref.Publication] = it
	}
	it.product, it.onSale = p, true
	l := shopadapter.Listing{
		ID:       it.listing,
		URL:      "https://shop.example/p/" + string(it.listing),
		Variants: map[string]string{},
		Refused:  map[string]string{},
	}
	for _, v := range p.Variants {
		l.Variants[v.ID] = "v-" + v.ID
		if s.refuseVariant != nil {
			if why := s.refuseVariant(v); why != "" {
				l.Refused[v.ID] = why
			}
		}
	}
	for _, address := range p.Images {
		if s.miss == nil || !changed.Has(shopadapter.FieldImages) {
			continue
		}
		if why, later := s.miss(address); why != "" {
			l.Missing = append(l.Missing, shopadapter.Picture{URL: address, Reason: why, Later: later})
		}
	}
	if s.onPublish != nil {
		s.onPublish(ref.Publication)
	}
	return l, nil
}

func (s *shelf) Unpublish(_ context.Context, ref shopadapter.Ref, how shopadapter.Removal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := call{id: ref.Publication, method: how.String()}
	if s.refuse != nil {
		if err := s.refuse(c); err != nil {
			return err
		}
	}
	s.calls = append(s.calls, c)
	if it, ok := s.products[ref.Publication]; ok {
		it.onSale = false
		if how == shopadapter.Delete {
			delete(s.products, ref.Publication)
		}
	}
	return nil
}

func (s *shelf) Check(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.check
}

// Lock keeps calls out while what decides about them changes.
func (s *shelf) Lock() { s.mu.Lock() }

// Unlock lets calls in again.
func (s *shelf) Unlock() { s.mu.Unlock() }

// byHand changes the shop as its owner does: deletes a listing, takes it out of sale, or puts it
// back.
func (s *shelf) byHand(id string, do string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch it := s.products[shopadapter.PublicationID(id)]; do {
	case "delete":
		delete(s.products, shopadapter.PublicationID(id))
	case "hide":
		it.onSale = false
	case "show":
		it.onSale = true
	}
}

// count is the number of calls of a method.
func (s *shelf) count(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, c := range s.calls {
		if c.method == method {
			n++
		}
	}
	return n
}

// since is the calls after the first n.
func (s *shelf) since(n int) []call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls[n:])
}

func (s *shelf) get(id string) (shopadapter.Product, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	it, ok := s.products[shopadapter.PublicationID(id)]
	if !ok {
		return shopadapter.Product{}, false
	}
	return it.product, it.onSale
}

// A listingShelf is a shelf that can enumerate what it made.
type listingShelf struct{ *shelf }

func (s listingShelf) Listings(context.Context) iter.Seq2[shopadapter.Listed, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shelf.lists++
	var all []shopadapter.Listed
	for _, id := range slices.Sorted(maps.Keys(s.products)) {
		it := s.products[id]
		all = append(all, shopadapter.Listed{
			Ref: shopadapter.Ref{
				Publication: id,
				Listing:     it.listing,
			}, URL: "https://shop.example/p/" + string(it.listing), OnSale: it.onSale,
		})
	}
	return func(yield func(shopadapter.Listed, error) bool) {
		for _, l := range all {
			if s.list != nil {
				shown, err := s.list(l)
				if err != nil {
					yield(shopadapter.Listed{}, err)
					return
				}
				if !shown {
					continue
				}
			}
			if !yield(l, nil) {
				return
			}
		}
	}
}

// A bench is a sandbox, a shelf and a store, and connectors between them.
type bench struct {
	events []string // that a worker registers for; nil: DefaultEvents
	t      *testing.T
	box    *sandbox.Marketplace
	shop   *shelf
	path   string
	store  *bolt.Store
	tune   func(*Options)
	lists  bool
}

func newBench(t *testing.T, o sandbox.Options) *bench {
	t.Helper()
	b := &bench{t: t, box: sandbox.New(o), shop: newShelf(), path: filepath.Join(t.TempDir(), "pubsync.db")}
	b.open()
	t.Cleanup(func() {
		if err := b.store.Close(); err != nil {
			t.Error(err)
		}
		b.box.Close()
	})
	return b
}

func (b *bench) open() {
	b.t.Helper()
	s, err := bolt.Open(b.path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.store = s
}

// lose drops the store, as a disk that died would.
func (b *bench) lose() {
	b.t.Helper()
	if err := b.store.Close(); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Remove(b.path); err != nil {
		b.t.Fatal(err)
	}
	b.open()
}

// A pureStore is a store that fails the test where a rule that runs in it is not pure.
type pureStore struct {
	*bolt.Store
	twice storetest.Store
}

func (s pureStore) Begin(ctx context.Context, a store.Attempt) (map[string]string, error) {
	return s.twice.Begin(ctx, a)
}

func (s pureStore) Settle(ctx context.Context, w store.Settlement) (store.Record, error) {
	return s.twice.Settle(ctx, w)
}

func (s pureStore) Change(ctx context.Context, changes ...store.Change) (int, error) {
	return s.twice.Change(ctx, changes...)
}

func (s pureStore) PutPage(ctx context.Context, p store.Page) error { return s.twice.PutPage(ctx, p) }

func (b *bench) options() Options {
	var log *slog.Logger
	if testing.Verbose() {
		log = slog.New(slog.NewTextHandler(b.t.Output(), &slog.HandlerOptions{Level: slog.LevelInfo}))
	} else {
		log = slog.New(slog.DiscardHandler)
	}
	o := Options{
		Store: pureStore{
			b.store,
			storetest.Twice(b.t, b.store),
		}, Shop: b.shop, ShopName: "shelf", Logger: log, Concurrency: 4,
		Marketplace: clientOf(b.box.Transport()),
		Rules: publication.Rules{
			Languages: []string{"en", "nl"},
			Price:     publication.PriceRule{Base: publication.BaseMSRP},
		},
		Brake: publication.Brake{
			PricePercent: decimal.NewFromInt(50), RemovedPercent: decimal.NewFromInt(20),
			FirstPrice: publication.Bounds{Least: decimal.New(5, -1), Most: decimal.NewFromInt(3)},
		},
		OnRemoved: publication.RemovedUnpublish, OnDeleted: publication.DeletedKeep, FailAfter: 24 * time.Hour, RefreshAfter: 24 * time.Hour,
		Webhook: WebhookOptions{Prefix: "X-Service", Secret: "secret", PathToken: "path-token"},
	}
	if b.lists {
		o.Shop = listingShelf{b.shop}
	}
	if b.tune != nil {
		b.tune(&o)
	}
	return o
}

// settings are what decides about a publication, as a connector on this bench has them.
func (b *bench) settings() publication.Settings {
	o := b.options()
	return publication.Settings{
		Rules: o.Rules, Brake: o.Brake, OnRemoved: o.OnRemoved, OnDeleted: o.OnDeleted,
		FailAfter: o.FailAfter, RefreshAfter: o.RefreshAfter,
	}
}

// health is that of one loop which runs alone on the bench.
func (b *bench) health() *health.Health {
	return health.New(slog.New(slog.DiscardHandler), func(s string) string { return s }, b.store)
}

// breaker is that of one loop which runs alone on the bench.
func (b *bench) breaker(side breaker.Side) *breaker.Breaker {
	var none breaker.Waiters
	return breaker.New(breaker.Options{
		Side: side, Log: slog.New(slog.DiscardHandler), Most: none.MaxBackoff, Memory: b.store,
		MemoryFailed: b.health().StoreFailed,
	})
}

// clientOf is a client of the marketplace that answers by a transport.
func clientOf(transport http.RoundTripper) *marketplace.Client {
	return marketplace.New(marketplace.Config{
		URL: "http://marketplace.example", Token: sandbox.DefaultToken, Languages: []string{"en", "nl"}, Transport: transport,
	})
}

func (b *bench) connector() *Connector {
	b.t.Helper()
	c, err := New(b.t.Context(), b.options())
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

// once makes a single run, a second after whatever was before.
func (b *bench) once(full bool) desk.Summary {
	b.t.Helper()
	time.Sleep(time.Second)
	s, err := b.connector().Once(b.t.Context(), desk.RunOptions{Full: full, Patience: 2 * time.Minute})
	if err != nil && s.Exit == 0 {
		b.t.Fatalf("run ended with exit 0 and %v", err)
	}
	return s
}

func (b *bench) record(id string) store.Record {
	b.t.Helper()
	return b.entry(id).Record
}

// entry is all that the store holds of one publication.
func (b *bench) entry(id string) store.Entry {
	b.t.Helper()
	e, err := b.store.Get(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return e
}

// counts is the number of publications in each state.
func (b *bench) counts() map[store.State]int {
	b.t.Helper()
	counts, err := b.store.Counts(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return counts
}

// backlog is what is due and owed at a moment.
func (b *bench) backlog(now time.Time) store.Backlog {
	b.t.Helper()
	f, err := b.store.Backlog(b.t.Context(), store.At(now))
	if err != nil {
		b.t.Fatal(err)
	}
	return f
}

func (b *bench) state(id string) store.State { return b.record(id).State }

// inBubble runs a test whose clock is the bubble's: minutes of backoff pass at once.
func inBubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}
