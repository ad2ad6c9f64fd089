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
	held     map[string]*publication.Shown // of all: by publication; of two the one on sale counts
	observed map[string]*publication.Shown // listings that are not as they were written, or were not before
	repriced int                           // of these, products whose prices were changed
	found    map[string]int                // for people, by kind
	recurs   map[string]bool               // listings, and whether figures of them are left
	page     string                        // of the product on sale that a visitor looks at
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

// see compares one listing with its record.
func (c *comparison) see(ctx context.Context, id string, o *publication.Shown) error {
	c.listings++
	if before, twice := c.held[id]; twice && before.OnSale {
		return nil
	}
	c.held[id] = o
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
	test := e
	differs := c.o.Settings.Observe(&test, o, store.At(c.begun), publication.Group{}, c.begun)
	c.recurs[id] = publication.Recurs(test.Record)
	if differs {
		c.observed[id] = o
		c.count(c.o.Settings.Find(e.Record, o, store.At(c.begun)))
	}
	return nil
}

// count counts what was found of one listing.
func (c *comparison) count(f publication.Finding) {
	for kind, is := range map[string]bool{
		"price": f.Price, "stock": f.Stock, "variants": f.Variants, "pictures": f.Pictures, "edited": f.Edited,
		"again": f.Again, "moved": f.Moved,
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
	g.Held = publication.VeryMany(g.Differing, g.Products)
	if g.Held && c.repriced > 0 && !c.o.Settings.ReportDrift {
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
		if _, err := c.o.Store.Change(ctx, some, func(e *store.Entry) bool {
			return c.o.Settings.Observe(e, c.observed[e.Record.ID], store.At(c.begun), g, now)
		}); err != nil {
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
	moved, onSale := map[string][]string{}, 0
	for r, err := range store.Records(ctx, c.o.Store, store.Query{}) {
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
	if n := len(moved["missing"]); !c.o.Settings.Brake.BelievesGone(n, onSale) {
		c.o.Log.Warn("shop lacks so many listings that none is taken for deleted", "missing", n, "on_sale", onSale)
		delete(moved, "missing")
	}
	if n := len(moved["hidden"]); c.last.Doubts(n, onSale, c.begun.UTC()) {
		c.o.Log.Warn("so many listings were taken out of sale in the shop that a second look, an hour after the first, "+
			"is to find the same", "hidden", n, "on_sale", onSale)
		delete(moved, "hidden")
	}
	for kind, ids := range moved {
		now := time.Now()
		n, err := c.o.Store.Change(ctx, ids, func(e *store.Entry) bool {
			return c.moved(e.Record) == kind &&
				c.o.Settings.Observe(e, c.held[e.Record.ID], store.At(c.begun), publication.Group{}, now)
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
	switch f := c.o.Settings.Find(r, c.held[r.ID], store.At(c.begun)); {
	case f.Gone:
		return "missing"
	case f.Hidden:
		return "hidden"
	case f.Back:
		return "shown"
	case f.Moved && c.observed[r.ID] == nil: // else it is told with the rest
		return "moved"
	default:
		return ""
	}
}

// remember records the comparison for the next one, and for people.
func (c *comparison) remember(ctx context.Context) error {
	last := publication.Compared{At: c.begun.UTC(), Found: c.found, Doubted: c.last.Doubted}
	last.Recurs(c.recurs)
	last.Page = c.lookAtPage(ctx, c.last.Page)
	return store.SetMetaJSON(ctx, c.o.Store, publication.MetaCompared, last)
}
