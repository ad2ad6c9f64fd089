package worker

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/quota"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
)

// A hookedStore is a store that calls a test after it has read a record, and before it settles one.
type hookedStore struct {
	store.Store
	afterGet     func()
	beforeSettle func(store.Settlement) error
}

func (s *hookedStore) Get(ctx context.Context, id string) (store.Entry, error) {
	e, err := s.Store.Get(ctx, id)
	if s.afterGet != nil {
		s.afterGet()
	}
	return e, err
}

func (s *hookedStore) Settle(ctx context.Context, w store.Settlement) (store.Record, error) {
	if s.beforeSettle != nil {
		if err := s.beforeSettle(w); err != nil {
			return store.Record{}, err
		}
	}
	return s.Store.Settle(ctx, w)
}

// A countingShop takes everything, and counts the calls by publication.
type countingShop struct {
	mu    sync.Mutex
	calls map[string]int
	fail  error
}

func (s *countingShop) Publish(
	_ context.Context, ref shopadapter.Ref, p shopadapter.Product, _ shopadapter.Fields,
) (shopadapter.Listing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[string(ref.Publication)]++
	if s.fail != nil {
		return shopadapter.Listing{}, s.fail
	}
	l := shopadapter.Listing{
		ID:       shopadapter.ListingID("shop-" + ref.Publication),
		URL:      "https://shop.example/" + string(ref.Publication),
		Variants: map[string]string{},
	}
	for _, v := range p.Variants {
		l.Variants[v.ID] = "v-" + v.ID
	}
	return l, nil
}

func (*countingShop) Unpublish(context.Context, shopadapter.Ref, shopadapter.Removal) error {
	return nil
}

func (s *countingShop) total() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, calls := range s.calls {
		n += calls
	}
	return n
}

func (s *countingShop) heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = nil
}

// A oneReport is an outbox with one report, which may be under way.
type oneReport struct{ underWay atomic.Pointer[chan struct{}] }

func (r *oneReport) UnderWay(string) <-chan struct{} {
	if c := r.underWay.Load(); c != nil {
		return *c
	}
	return nil
}

func (*oneReport) Notify() {}

type noRemovals struct{}

func (noRemovals) FoundRemoval() {}
func (noRemovals) HintSpent()    {}

type noDirectory struct{}

func (noDirectory) Categorize(context.Context, *marketplace.Publication) {}

type noMetrics struct{}

func (noMetrics) Looked(time.Duration)            {}
func (noMetrics) ShopCalled(time.Duration, error) {}
func (noMetrics) Failed(shopadapter.Kind)         {}

// A place is a worker between a sandbox and a shop that counts.
type place struct {
	*Worker
	box     *sandbox.Marketplace
	store   *hookedStore
	shop    *countingShop
	reports *oneReport
	ids     []string
}

// newPlace has n new publications due.
func newPlace(t *testing.T, n, concurrency int) *place {
	t.Helper()
	file, err := bolt.Open(filepath.Join(t.TempDir(), "pubsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	box := sandbox.New(sandbox.Options{Limit: 1 << 30, RestoreRate: 1 << 30})
	t.Cleanup(func() {
		box.Close()
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	p := &place{
		box:     box,
		store:   &hookedStore{Store: file},
		shop:    &countingShop{calls: map[string]int{}},
		reports: &oneReport{},
		ids:     box.AddSound(n),
	}
	var waiters breaker.Waiters
	log := slog.New(slog.DiscardHandler)
	of := func(side breaker.Side) *breaker.Breaker {
		return breaker.New(
			breaker.Options{
				Side: side,
				Log:  log,
				Most: waiters.MaxBackoff,
			},
		)
	}
	p.Worker = New(Options{
		Store: p.store, Shop: func() shopadapter.Adapter { return p.shop }, ShopBreaker: of(breaker.Shop),
		MarketBreaker: of(breaker.Marketplace), Waiters: &waiters,
		Market: marketplace.New(marketplace.Config{
			URL: "http://marketplace.example", Token: sandbox.DefaultToken, Languages: []string{"en", "nl"},
			Transport: box.Transport(),
		}).Reader,
		Decider: publication.NewDecider(publication.Settings{
			Rules: publication.Rules{
				Languages: []string{"en", "nl"},
				Price:     publication.PriceRule{Base: publication.BaseMSRP},
			},
			Brake:     publication.Brake{PricePercent: decimal.NewFromInt(50), RemovedPercent: decimal.NewFromInt(20)},
			OnRemoved: publication.RemovedUnpublish, FailAfter: 24 * time.Hour,
			RefreshAfter: 24 * time.Hour,
			Backoff:      func(int) time.Duration { return time.Millisecond },
		}),
		Health: health.New(
			log, func(s string) string { return s }, file,
		), Log: log, Metrics: noMetrics{}, Hints: &quota.Share{}, Gaps: quota.NewGaps(),
		Due: breaker.NewSignal(), Reports: p.reports, Removals: noRemovals{}, Directory: noDirectory{},
		Ready: func(context.Context) bool { return true }, Concurrency: concurrency,
	})
	p.mark(t, p.ids...)
	return p
}

// mark has publications read.
func (p *place) mark(t *testing.T, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if err := p.store.Mark(t.Context(),
			store.Mark{ID: id, Class: store.ClassNew, Cause: store.CauseRead, At: store.At(time.Now())}); err != nil {
			t.Fatal(err)
		}
	}
}

// start runs the worker until stop is called, which returns once it has ended.
func (p *place) start(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Run(ctx, context.WithoutCancel(ctx))
	}()
	return func() {
		cancel()
		<-done
	}
}

// settled waits until nothing is worked on, and so many are in a state.
func (p *place) settled(t *testing.T, n int, state store.State) {
	t.Helper()
	time.Sleep(time.Minute) // of the bubble's clock
	counts, err := p.store.Counts(t.Context())
	if err != nil || counts[state] != n || p.Busy() != 0 {
		t.Fatalf("%v, %v, and %d are being worked on, want %d %s", counts, err, p.Busy(), n, state)
	}
}

// A look that cannot be settled gives back its claim, and the turn where one look at a time is let
// through.
func TestALookThatCannotBeSettled(t *testing.T) {
	for name, fail := range map[string]func() error{
		"panic": func() error { panic("this one cannot be settled") },
		"error": func() error { return errors.New("the store cannot be written") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPlace(t, 12, 2)
				var failed sync.Map
				p.store.beforeSettle = func(s store.Settlement) error {
					if _, again := failed.LoadOrStore(s.Record.ID, true); again {
						return nil
					}
					return fail()
				}
				p.Worker.shop.EndPause() // one at a time
				defer p.start(t)()
				p.settled(t, len(p.ids), store.StateLive)
			})
		})
	}
}

// Where one look at a time is let through, the next begins once the last is settled.
func TestOneLookAtATimeIsSettledBeforeTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t, 12, 4)
		p.shop.fail = shopadapter.Retry("no answer")
		hold := make(chan struct{})
		p.store.beforeSettle = func(store.Settlement) error { <-hold; return nil }
		p.Worker.shop.EndPause()
		defer p.start(t)()
		time.Sleep(breaker.MaxPause)
		if n := p.shop.total(); n != 1 {
			t.Errorf("%d calls before the first look is settled, want 1", n)
		}
		p.shop.heal()
		close(hold)
		time.Sleep(breaker.MaxPause)
		p.settled(t, len(p.ids), store.StateLive)
	})
}

// A report may end while the record of its publication is being read. What it did to updatedAt
// costs no reading of the content.
func TestTheEchoOfAReportThatHasJustEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t, 1, 1)
		id := p.ids[0]
		stop := p.start(t)
		p.settled(t, 1, store.StateLive)
		stop()
		p.box.Forget()
		now := time.Now()
		echo := now.UTC().Format(time.RFC3339Nano)
		underWay := make(chan struct{})
		p.reports.underWay.Store(&underWay)
		if err := p.store.Mark(t.Context(), store.Mark{
			ID: id, Class: store.ClassSweep, Cause: store.CauseSeen, Seen: echo, SeenAt: store.At(now), At: store.At(now),
		}); err != nil {
			t.Fatal(err)
		}
		p.store.afterGet = sync.OnceFunc(func() {
			if _, err := store.Update(t.Context(), p.store.Store, func(_ *store.Report, s *store.Settlement) bool {
				s.Record.ContentAt, s.Record.UpdatedAt = s.Record.UpdatedAt, echo
				return true
			}, id); err != nil {
				t.Error(err)
			}
			p.reports.underWay.Store(nil)
			close(underWay)
		})
		stop = p.start(t)
		p.settled(t, 1, store.StateLive)
		stop()
		if e, err := p.store.Get(t.Context(), id); err != nil || e.Mark != nil && e.Mark.Cause&store.CauseSeen != 0 {
			t.Errorf("got %+v, %v, want no mark of a sweep", e.Mark, err)
		}
		if n := p.box.Totals()[sandbox.KindContent].Requests; n != 0 {
			t.Errorf("got %d readings of the content, want none", n)
		}
	})
}
