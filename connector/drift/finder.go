package drift

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	compareEvery = 24 * time.Hour
	listTimeout  = 30 * time.Minute
)

// comparedKey is the fact of the store that tells when the shop's listings were last compared with
// it.
const comparedKey = "drift"

// Metrics is told of each comparison.
type Metrics interface {
	ShopListed(took time.Duration)
	Drifted(kind string, n int)
}

// Options are what a Finder is made from. All are required.
type Options struct {
	Shop     func() shopadapter.Adapter
	Breaker  *breaker.Breaker // before the shop
	Health   *health.Health
	Store    store.Store
	Log      *slog.Logger
	Brake    publication.Brake
	Metrics  Metrics
	Resynced *breaker.Signal            // raised after each resync
	Due      *breaker.Signal            // raised here when publications are due
	Owed     func()                     // is told when reports are owed
	Ready    func(context.Context) bool // the last resync was complete, and looks may be made
}

// A Finder compares the shop's listings with the store.
type Finder struct {
	o         Options
	comparing chan struct{} // holds one token during a comparison
}

// New makes a Finder.
func New(o Options) *Finder { return &Finder{o: o, comparing: make(chan struct{}, 1)} }

// Run compares after a resync, once a day, until ctx ends.
func (f *Finder) Run(ctx context.Context) {
	for ctx.Err() == nil {
		resynced := f.o.Resynced.Raised()
		if f.o.Ready(ctx) && f.due(ctx, time.Now()) && !f.o.Breaker.Status(time.Now()).Open {
			f.Compare(ctx)
		}
		breaker.Sleep(ctx, time.Hour, resynced)
	}
}

// due reports whether a day has passed since the last comparison, over restarts too.
func (f *Finder) due(ctx context.Context, now time.Time) bool {
	text, err := f.o.Store.Meta(ctx, comparedKey)
	if err != nil {
		f.o.Health.StoreFailed(err)
		return false
	}
	last, err := time.Parse(time.RFC3339, text)
	return err != nil || now.Sub(last) >= compareEvery || last.After(now)
}

// Compare lists what the shop holds as ours, and settles what somebody changed there. An error
// proves nothing, and the next resync tries again.
func (f *Finder) Compare(ctx context.Context) {
	lister, ok := f.o.Shop().(shopadapter.Lister)
	if !ok {
		return
	}
	select {
	case f.comparing <- struct{}{}:
		defer func() { <-f.comparing }()
	case <-ctx.Done():
		return
	}
	begun := time.Now()
	held, err := f.list(ctx, lister)
	if errors.Is(err, shopadapter.ErrNoList) {
		return
	}
	took := time.Since(begun)
	if ctx.Err() == nil || err == nil {
		f.o.Metrics.ShopListed(took)
	}
	if err != nil {
		f.failed(ctx, err)
		return
	}
	counts, err := f.settle(ctx, held, store.At(begun))
	if err == nil {
		err = f.o.Store.SetMeta(ctx, comparedKey, begun.UTC().Format(time.RFC3339))
	}
	if err != nil {
		f.o.Health.StoreFailed(err)
		return
	}
	f.o.Log.Info(
		"compared the shop's listings with the store",
		"listings",
		len(held),
		"seconds",
		took.Seconds(),
		"missing",
		counts[publication.DriftGone],
		"hidden",
		counts[publication.DriftHidden],
		"shown_again",
		counts[publication.DriftShown],
	)
	f.o.Due.Raise()
	f.o.Owed()
}

// failed tells of a listing that failed. A run that is stopped fails nothing.
func (f *Finder) failed(ctx context.Context, err error) {
	if ctx.Err() == nil && f.o.Breaker.Judge(ctx, "list", breaker.OfShop(err)) {
		f.o.Health.Failed(err)
	}
	if !errors.Is(ctx.Err(), context.Canceled) {
		f.o.Log.Warn("shop's listings cannot be compared with the store", "error", err)
	}
}

// list is all that the shop holds as ours, by publication. Of two listings of one publication the
// one on sale counts.
func (f *Finder) list(ctx context.Context, lister shopadapter.Lister) (held map[string]shopadapter.Listed, err error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	held = map[string]shopadapter.Listed{}
	err = f.o.Health.Guard(func() error {
		for l, err := range lister.Listings(ctx) {
			if err != nil {
				return err
			}
			id := string(l.Ref.Publication)
			if before, twice := held[id]; !twice || !before.OnSale {
				held[id] = shopadapter.Listed{URL: l.URL, OnSale: l.OnSale}
			}
		}
		return ctx.Err()
	}, "call", "list")
	return held, err
}

// settle compares every record with the shop's listings. Where the list lacks more than the brake
// believes, none of them is taken for deleted.
func (f *Finder) settle(
	ctx context.Context,
	held map[string]shopadapter.Listed,
	since store.Instant,
) (map[publication.Drift]int, error) {
	found := map[publication.Drift][]string{}
	onSale := 0
	for r, err := range store.Records(ctx, f.o.Store, store.Query{}) {
		if err != nil {
			return nil, err
		}
		if r.OnSale {
			onSale++
		}
		l, listed := held[r.ID]
		if d := publication.DriftOf(r, l, listed, since); d != publication.DriftNone {
			found[d] = append(found[d], r.ID)
		}
	}
	if n := len(found[publication.DriftGone]); !f.o.Brake.BelievesGone(n, onSale) {
		f.o.Log.Warn("shop lacks so many listings that none is taken for deleted", "missing", n, "on_sale", onSale)
		delete(found, publication.DriftGone)
	}
	counts := map[publication.Drift]int{}
	for d, ids := range found {
		now := time.Now()
		n, err := store.Update(ctx, f.o.Store, func(owed *store.Report, s *store.Settlement) bool {
			l, listed := held[s.Record.ID]
			return publication.DriftOf(s.Record, l, listed, since) == d && d.Apply(s, owed, l.URL, now)
		}, ids...)
		if err != nil {
			return nil, err
		}
		counts[d] = n
		f.o.Metrics.Drifted(d.String(), n)
	}
	return counts, nil
}
