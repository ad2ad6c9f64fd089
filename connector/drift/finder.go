package drift

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// silence is how long the shop may be silent between two listings. How long it takes for all of
// them is its own affair: one that counts costs may take hours for very many.
const silence = 10 * time.Minute

// Metrics is told of each comparison.
type Metrics interface {
	ShopListed(took time.Duration)
	Drifted(kind string, n int)
}

// Options are what a Finder is made from. All but the visitor are required.
type Options struct {
	Shop     func() shopadapter.Adapter
	Info     func(context.Context) shopadapter.Info // what the shop said of itself when it was last checked
	Breaker  *breaker.Breaker                       // before the shop
	Health   *health.Health
	Store    store.Store
	Log      *slog.Logger
	Settings *publication.Settings
	Metrics  Metrics
	Resynced *breaker.Signal            // raised after each resync
	Due      *breaker.Signal            // raised here when publications are due
	Owed     func()                     // is told when reports are owed
	Ready    func(context.Context) bool // the last resync was complete, and looks may be made
	Visitor  *http.Client               // sees one page each time that all is compared; nil: none is seen
}

// A Finder compares the shop's listings with the store.
type Finder struct {
	o         Options
	comparing chan struct{} // holds one token during a comparison
}

// New makes a Finder.
func New(o Options) *Finder { return &Finder{o: o, comparing: make(chan struct{}, 1)} }

// Run compares once a day, after a resync, until ctx ends.
func (f *Finder) Run(ctx context.Context) {
	for ctx.Err() == nil {
		resynced := f.o.Resynced.Raised()
		if f.o.Ready(ctx) && !f.o.Breaker.Status(time.Now()).Open {
			f.Compare(ctx, false, silence)
		}
		breaker.Sleep(ctx, time.Hour, resynced)
	}
}

// Compare finds out what the shop holds as ours, and settles what somebody changed there, at once
// where now says so, else once a day. It gives up when the shop is silent for longer than patience
// between two listings. An error proves nothing, and the next comparison tries again.
func (f *Finder) Compare(ctx context.Context, now bool, patience time.Duration) {
	select {
	case f.comparing <- struct{}{}:
		defer func() { <-f.comparing }()
	case <-ctx.Done():
		return
	}
	var last publication.Compared
	if _, err := store.MetaJSON(ctx, f.o.Store, publication.MetaCompared, &last); err != nil {
		f.o.Health.StoreFailed(err)
		return
	}
	begun := time.Now()
	if !now && !last.DayIsOver(begun) {
		return
	}
	c := &comparison{
		Finder: f, begun: begun, held: map[string]*publication.Shown{}, patience: patience, last: last,
		observed: map[string]*publication.Shown{}, found: map[string]int{}, recurs: map[string]bool{},
	}
	err := c.read(ctx)
	if errors.Is(err, shopadapter.ErrNoList) {
		return
	}
	took := time.Since(begun)
	if ctx.Err() == nil || err == nil {
		f.o.Metrics.ShopListed(took)
	}
	if trouble, ok := errors.AsType[*storeError](err); ok {
		f.o.Health.StoreFailed(trouble.error)
		return
	}
	if err != nil {
		f.failed(ctx, err)
		return
	}
	if err := c.settle(ctx); err != nil {
		f.o.Health.StoreFailed(err)
		return
	}
	f.o.Log.Info("compared the shop's listings with the store",
		"listings", c.listings, "seconds", took.Seconds(), "found", c.found)
	f.o.Due.Raise()
	f.o.Owed()
}

// failed tells of a list that failed. A run that is stopped fails nothing.
func (f *Finder) failed(ctx context.Context, err error) {
	if ctx.Err() == nil {
		f.o.Breaker.Judge("list", breaker.OfShop(err))
	}
	if !errors.Is(ctx.Err(), context.Canceled) {
		f.o.Log.Warn("shop's listings cannot be compared with the store", "error", err)
	}
}
