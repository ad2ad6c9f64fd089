package engine

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/visitor"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	// silence is how long the shop may be silent between two listings. How long it takes for all of them is
	// its own affair: one that counts costs may take hours for very many.
	silence = 10 * time.Minute
	// mostSettled bounds the records of one transaction: looks settle in between.
	mostSettled = 500
)

// A comparison is one reading of what stands in the shop, and what came of it. Only a list of all proves
// that something is missing, and a listing that is missing proves no more than that the publication is worth
// a call of Publish, whose ErrGone decides. What was written since the comparison began, or has an attempt
// without an answer, is not judged.
type comparison struct {
	*Engine
	begun    time.Time
	patience time.Duration // how long the shop may be silent

	listings int
	held     map[string]*publication.Shown // of all: by publication; of two the one on sale counts
	observed map[string]*publication.Shown // listings that are not as they were written, or were not before
	repriced int                           // of these, products whose prices were changed
	found    map[string]int                // for people, by kind
	recurs   map[string]bool               // listings, and whether figures of them are left
	page     string                        // of the product on sale that a visitor looks at
	last     publication.Compared
}

// watchDrift compares once a day, after a resync that was complete, until ctx ends.
func (x *Engine) watchDrift(ctx context.Context) {
	for ctx.Err() == nil {
		resynced := x.resynced.Raised()
		_, full := x.lastSweeps()
		if !full.At.IsZero() && full.Error == "" && x.ready(ctx) && !x.ShopSide.Status(time.Now()).Open {
			x.compare(ctx, false, silence)
		}
		breaker.Sleep(ctx, time.Hour, resynced)
	}
}

// compare finds out what the shop holds as ours, and settles what somebody changed there, at once where
// now says so, else once a day. It gives up when the shop is silent for longer than patience between two
// listings. An error proves nothing, and the next comparison tries again.
func (x *Engine) compare(ctx context.Context, now bool, patience time.Duration) {
	leave, err := enter(ctx, x.comparing)
	if err != nil {
		return
	}
	defer leave()
	c := &comparison{
		Engine: x, begun: time.Now(), held: map[string]*publication.Shown{}, patience: patience,
		observed: map[string]*publication.Shown{}, found: map[string]int{}, recurs: map[string]bool{},
	}
	if c.last, _, err = publication.MetaCompared.Get(ctx, x.Store); err != nil {
		x.Health.StoreFailed(err)
		return
	}
	if !now && !c.last.DayIsOver(c.begun) {
		return
	}
	err = c.read(ctx)
	if errors.Is(err, shopadapter.ErrNoList) {
		return
	}
	took := time.Since(c.begun)
	if trouble, ok := errors.AsType[*storeError](err); ok {
		x.Health.StoreFailed(trouble.error)
		return
	}
	if err != nil {
		if ctx.Err() == nil {
			x.ShopSide.Judge("list", breaker.OfShop(err))
		}
		if !errors.Is(ctx.Err(), context.Canceled) { // a run that is stopped fails nothing
			x.Logger.Warn("shop's listings cannot be compared with the store", "error", err)
		}
		return
	}
	if err := c.settle(ctx); err != nil {
		x.Health.StoreFailed(err)
		return
	}
	x.Logger.Info("compared the shop's listings with the store",
		"listings", c.listings, "seconds", took.Seconds(), "found", c.found)
	x.due.Raise()
	x.owed.Raise()
}

// errSilent ends a comparison whose shop tells nothing more.
var errSilent = shopadapter.Retry("the shop was silent for too long between two of its listings")

// A storeError is the store's trouble within the walk over the shop's listings.
type storeError struct{ error }

// read walks over what stands in the shop, and keeps what differs from the store.
func (c *comparison) read(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	quiet := time.AfterFunc(c.patience, func() { cancel(errSilent) })
	defer quiet.Stop()
	prices := c.info(ctx).Prices
	return c.Health.Guard(func() (failed error) {
		for l, err := range c.adapter().List(ctx, shopadapter.Query{}) {
			quiet.Reset(c.patience)
			if failed = err; failed == nil {
				failed = c.see(ctx, string(l.Ref.Publication), publication.ShownAs(l.Listing, l.Ref, prices))
			}
			if failed != nil {
				break
			}
		}
		if context.Cause(ctx) == errSilent { //nolint:errorlint // it is this very value
			return errSilent
		}
		return cmp.Or(failed, ctx.Err())
	}, "call", "list")
}

func (c *comparison) see(ctx context.Context, id string, shown *publication.Shown) error {
	c.listings++
	if before, twice := c.held[id]; twice && before.OnSale {
		return nil
	}
	c.held[id] = shown
	delete(c.observed, id)
	if !shown.OnSale {
		return nil
	}
	e, err := c.Store.Get(ctx, id)
	if err != nil {
		return &storeError{err}
	}
	if !publication.Judged(e.Record, store.At(c.begun)) {
		c.recurs[id] = publication.Recurs(e.Record)
		return nil
	}
	test := e
	differs := c.Observe(&test, shown, store.At(c.begun), publication.Group{}, c.begun)
	c.recurs[id] = publication.Recurs(test.Record)
	if !differs {
		return nil
	}
	c.observed[id] = shown
	for _, kind := range c.Find(e.Record, shown, store.At(c.begun)) {
		c.found[kind]++
		if kind == publication.FoundPrice {
			c.repriced++
		}
	}
	return nil
}

func (c *comparison) settle(ctx context.Context) error {
	if err := c.settleMoved(ctx); err != nil {
		return err
	}
	counts, err := c.Store.Counts(ctx)
	if err != nil {
		return err
	}
	g := publication.Group{
		Differing: c.repriced, Products: counts[store.StateLive] + counts[store.StatePartial] + counts[store.StateHeld],
	}
	g.Held = publication.VeryMany(g.Differing, g.Products)
	if g.Held && c.repriced > 0 && !c.ReportDrift {
		c.found["held"] = c.repriced
		c.Logger.Warn("prices of so many products were changed in the shop that none is put back until it is approved",
			"differing", g.Differing, "products", g.Products)
	}
	now := time.Now()
	for some := range slices.Chunk(slices.Collect(maps.Keys(c.observed)), mostSettled) {
		if _, err := c.Store.Change(ctx, some, func(e *store.Entry) bool {
			return c.Observe(e, c.observed[e.Record.ID], store.At(c.begun), g, now)
		}); err != nil {
			return err
		}
	}
	for kind, n := range c.found {
		c.Metrics.drift.WithLabelValues(kind).Add(float64(n))
	}
	last := publication.Compared{At: c.begun.UTC(), Found: c.found, Doubted: c.last.Doubted, Page: c.lookAtPage(ctx)}
	last.Recurs(c.recurs)
	return publication.MetaCompared.Set(ctx, c.Store, last)
}

// settleMoved settles listings that somebody deleted, took out of sale, or put back. Where a list of all
// lacks more than the brake believes, none of them is taken for deleted.
func (c *comparison) settleMoved(ctx context.Context) error {
	moved, onSale := map[string][]string{}, 0
	for r, err := range store.Records(ctx, c.Store, store.Query{}) {
		if err != nil {
			return err
		}
		if r.Sale == store.OnSale {
			onSale++
			c.page = cmp.Or(c.page, r.URL)
		}
		if kind := c.moved(r); kind != "" {
			moved[kind] = append(moved[kind], r.ID)
		}
	}
	if n := len(moved[publication.FoundMissing]); !c.Brake.BelievesGone(n, onSale) {
		c.Logger.Warn("shop lacks so many listings that none is taken for deleted", "missing", n, "on_sale", onSale)
		delete(moved, publication.FoundMissing)
	}
	if n := len(moved[publication.FoundHidden]); c.last.Doubts(n, onSale, c.begun.UTC()) {
		c.Logger.Warn("so many listings were taken out of sale in the shop that a second look, an hour after the first, "+
			"is to find the same", "hidden", n, "on_sale", onSale)
		delete(moved, publication.FoundHidden)
	}
	for kind, ids := range moved {
		now := time.Now()
		n, err := c.Store.Change(ctx, ids, func(e *store.Entry) bool {
			return c.moved(e.Record) == kind &&
				c.Observe(e, c.held[e.Record.ID], store.At(c.begun), publication.Group{}, now)
		})
		if err != nil {
			return err
		}
		c.found[kind] = n
	}
	return nil
}

// moved is how a listing stands otherwise than its record as a whole, "" where it does not.
func (c *comparison) moved(r store.Record) string {
	found := c.Find(r, c.held[r.ID], store.At(c.begun))
	if len(found) == 0 {
		return ""
	}
	switch kind := found[0]; {
	case kind == publication.FoundMissing, kind == publication.FoundHidden, kind == publication.FoundShown,
		kind == publication.FoundMoved && c.observed[r.ID] == nil: // else it is told with the rest
		return kind
	default:
		return ""
	}
}

// lookAtPage is what a visitor sees in place of the product that the comparison chose. Where nothing can be
// told of its page, what was seen before stands.
func (c *comparison) lookAtPage(ctx context.Context) (saw string) {
	if c.Visitor == nil || c.page == "" {
		return ""
	}
	saw, err := visitor.See(ctx, c.Visitor, c.page)
	if err != nil {
		c.Logger.Debug("product page not seen", "address", c.page, "error", err.Error())
		return c.last.Page
	}
	if saw == "" {
		return ""
	}
	c.Logger.Warn("visitors see something else than the product", "address", c.page, "seen", saw)
	return "visitors see " + saw + " in place of the product at " + c.page
}
