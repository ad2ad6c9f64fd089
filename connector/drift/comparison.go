package drift

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A comparison is one reading of what stands in the shop, and what came of it.
type comparison struct {
	*Finder
	begun    time.Time
	patience time.Duration // how long the shop may be silent

	listings int
	held     map[string]shopadapter.Listing     // of all: by publication; of two the one on sale counts
	observed map[string]publication.Observation // listings that are not as they were written, or were not before
	repriced int                                // of these, products whose prices were changed
	found    map[string]int                     // for people, by kind
	recurs   map[string]bool                    // listings, and whether figures of them are left
	page     string                             // of the product on sale that a visitor looks at
	last     publication.Compared
}

// mostSettled bounds the records of one transaction: looks settle in between.
const mostSettled = 500

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
	prices := c.o.Info(ctx).Prices
	return c.o.Health.Guard(func() (failed error) {
		for l, err := range c.o.Shop().List(ctx, shopadapter.Query{}) {
			quiet.Reset(c.patience)
			if failed = err; failed == nil {
				o := publication.Observation{Listing: l.Listing, Prices: prices}
				failed = c.see(ctx, string(l.Ref.Publication), o)
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

// see compares one listing with its record.
func (c *comparison) see(ctx context.Context, id string, o publication.Observation) error {
	c.listings++
	if before, twice := c.held[id]; twice && before.OnSale {
		return nil
	}
	c.held[id] = shopadapter.Listing{URL: o.URL, OnSale: o.OnSale}
	delete(c.observed, id)
	if !o.OnSale {
		return nil
	}
	e, err := c.o.Store.Get(ctx, id)
	if err != nil {
		return &storeError{err}
	}
	if !publication.Judged(e.Record, store.At(c.begun)) {
		c.recurs[id] = publication.Recurs(e.Record)
		return nil
	}
	test := store.Settlement{Record: e.Record}
	differs := c.o.Settings.Observed(&test, o, publication.Group{}, c.begun)
	c.recurs[id] = publication.Recurs(test.Record)
	if differs {
		c.observed[id] = o
		c.count(c.o.Settings.Find(e.Record, o))
	}
	return nil
}

// count counts what was found of one listing.
func (c *comparison) count(f publication.Finding) {
	for kind, is := range map[string]bool{
		"price": f.Price, "stock": f.Stock, "variants": f.Variants, "pictures": f.Pictures, "edited": f.Edited,
		"again": f.Again,
	} {
		if is {
			c.found[kind]++
		}
	}
	if f.Price {
		c.repriced++
	}
}

// settle brings what was found into the store.
func (c *comparison) settle(ctx context.Context) error {
	if err := c.settleMoved(ctx); err != nil {
		return err
	}
	counts, err := c.o.Store.Counts(ctx)
	if err != nil {
		return err
	}
	g := publication.Group{
		Differing: c.repriced, Products: counts[store.StateLive] + counts[store.StatePartial] + counts[store.StateHeld],
	}
	g.Held = c.o.Settings.Brake.HoldsDrift(g.Differing, g.Products)
	if g.Held && c.repriced > 0 && c.o.Settings.OnDrift != publication.DriftReport {
		c.found["held"] = c.repriced
		c.o.Log.Warn("prices of so many products were changed in the shop that none is put back until it is approved",
			"differing", g.Differing, "products", g.Products)
	}
	ids := make([]string, 0, len(c.observed))
	for id := range c.observed {
		ids = append(ids, id)
	}
	now := time.Now()
	for some := range slices.Chunk(ids, mostSettled) {
		if _, err := store.Update(ctx, c.o.Store, func(_ *store.Report, s *store.Settlement) bool {
			return publication.Judged(s.Record, store.At(c.begun)) &&
				c.o.Settings.Observed(s, c.observed[s.Record.ID], g, now)
		}, some...); err != nil {
			return err
		}
	}
	for kind, n := range c.found {
		c.o.Metrics.Drifted(kind, n)
	}
	return c.remember(ctx)
}

// settleMoved settles listings that somebody deleted, took out of sale, or put back. Where a list of
// all lacks more than the brake believes, none of them is taken for deleted.
func (c *comparison) settleMoved(ctx context.Context) error {
	moved, onSale := map[publication.Drift][]string{}, 0
	see := func(r store.Record) {
		if r.OnSale {
			onSale++
			c.page = cmp.Or(c.page, r.URL)
		}
		l, listed := c.held[r.ID]
		d := publication.DriftOf(r, l, listed, store.At(c.begun))
		if d != publication.DriftNone {
			moved[d] = append(moved[d], r.ID)
		}
	}
	for r, err := range store.Records(ctx, c.o.Store, store.Query{}) {
		if err != nil {
			return err
		}
		see(r)
	}
	if n := len(moved[publication.DriftGone]); !c.o.Settings.Brake.BelievesGone(n, onSale) {
		c.o.Log.Warn("shop lacks so many listings that none is taken for deleted", "missing", n, "on_sale", onSale)
		delete(moved, publication.DriftGone)
	}
	if n := len(moved[publication.DriftHidden]); c.last.Doubts(n, onSale, c.begun.UTC()) {
		c.o.Log.Warn("so many listings were taken out of sale in the shop that a second look, an hour after the first, "+
			"is to find the same", "hidden", n, "on_sale", onSale)
		delete(moved, publication.DriftHidden)
	}
	for d, ids := range moved {
		now := time.Now()
		n, err := store.Update(ctx, c.o.Store, func(owed *store.Report, s *store.Settlement) bool {
			l, listed := c.held[s.Record.ID]
			return publication.DriftOf(s.Record, l, listed, store.At(c.begun)) == d && d.Apply(s, owed, l.URL, now)
		}, ids...)
		if err != nil {
			return err
		}
		c.found[d.String()] = n
	}
	return nil
}

// remember records the comparison for the next one, and for people.
func (c *comparison) remember(ctx context.Context) error {
	last := publication.Compared{At: c.begun.UTC(), Found: c.found, Doubted: c.last.Doubted}
	last.Recurs(c.recurs)
	last.Page = c.lookAtPage(ctx, c.last.Page)
	return store.SetMetaJSON(ctx, c.o.Store, publication.MetaCompared, last)
}
