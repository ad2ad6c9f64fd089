package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	// silence bounds the wait for the next listing. A shop that counts costs may take hours for all.
	silence = 10 * time.Minute
	// mostSettled bounds the records of one transaction: looks settle in between.
	mostSettled = 500
)

// A comparison is one reading of the shop's listings. A listing that it lacks leads to a call of Publish, whose
// ErrGone decides. A comparison does not judge records that were written since it began, or have an attempt
// without an answer.
type comparison struct {
	*Engine
	begun time.Time

	held map[string]*publication.Shown // by publication of the store; of two the one on sale counts
	last publication.Compared
}

func (x *Engine) watchDrift(ctx context.Context) {
	for ctx.Err() == nil {
		resynced := x.resynced.Raised()
		_, full := x.lastSweeps()
		if !full.At.IsZero() && full.Error == "" && x.ready(ctx) && !x.ShopSide.Status(time.Now()).Shut {
			x.compare(ctx, false, silence)
		}
		Sleep(ctx, time.Hour, resynced)
	}
}

// compare reconciles the shop's listings with the store, once a day or at once with now. It gives up when the
// shop is silent for longer than patience between two listings.
func (x *Engine) compare(ctx context.Context, now bool, patience time.Duration) {
	leave, err := enter(ctx, x.comparing)
	if err != nil {
		return
	}
	defer leave()
	c := &comparison{Engine: x, begun: time.Now(), held: map[string]*publication.Shown{}}
	if c.last, _, err = publication.MetaCompared.Get(ctx, x.Store); err != nil {
		x.Health.Stored(err)
		return
	}
	if !now && !c.last.DayIsOver(c.begun) {
		return
	}
	switch err := c.read(ctx, patience); {
	case errors.Is(err, shopadapter.ErrNoList):
	case err != nil:
		if ctx.Err() == nil {
			x.ShopSide.Told(aboutList, err)
		}
		if !errors.Is(ctx.Err(), context.Canceled) { // a run that is stopped fails nothing
			x.Logger.Warn("shop's listings cannot be compared with the store", "error", err)
		}
	default:
		x.Health.Stored(c.settle(ctx))
		x.Wake()
	}
}

var errSilent = shopadapter.Retry("the shop was silent for too long between two of its listings")

func (c *comparison) read(ctx context.Context, patience time.Duration) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	quiet := time.AfterFunc(patience, func() { cancel(errSilent) })
	defer quiet.Stop()
	known, met := map[string]bool{}, 0 // a list may name others without end
	for r, err := range store.Records(ctx, c.Store, store.Query{}) {
		if err != nil {
			return err
		}
		known[r.ID] = true
	}
	prices := c.info(ctx).Prices
	return c.Health.guard(func() (failed error) {
		for l, err := range c.adapter().List(ctx, shopadapter.Query{}) {
			if failed = err; failed != nil {
				break
			}
			id := string(l.Ref.Publication)
			before, twice := c.held[id]
			if known[id] && (!twice || !before.OnSale) {
				c.held[id] = publication.ShownAs(l.Listing, l.Ref, prices)
			}
			if met++; met < mostListings || known[id] && !twice { // a list without end brings no other
				quiet.Reset(patience)
			}
		}
		if context.Cause(ctx) == errSilent { //nolint:errorlint // it is this very value
			return errSilent
		}
		return cmp.Or(failed, ctx.Err())
	}, "call", "list")
}

// settle reconciles what differs. Mass changes are left alone, confirmed by a second comparison, or held.
func (c *comparison) settle(ctx context.Context) error {
	next := publication.Compared{At: c.begun.UTC(), Found: map[string]int{}} // how many, by kind
	differ, onSale := map[string]string{}, 0                                 // id -> the first kind of difference
	for r, err := range store.Records(ctx, c.Store, store.Query{}) {
		if err != nil {
			return err
		}
		if r.Sale == store.OnSale {
			onSale++
		}
		shown, e := c.held[r.ID], store.Entry{Record: r, Known: true}
		found, news := c.Observe(&e, shown, store.At(c.begun), publication.Group{}, c.begun)
		stands := shown != nil && shown.Sells()
		if stands && publication.Recurs(e.Record) && len(next.Recurring) < publication.MostRecurring {
			next.Recurring = append(next.Recurring, r.ID)
		}
		if stands && !news || !stands && len(found) == 0 {
			continue // what was found before is told once
		}
		differ[r.ID] = append(found, "")[0]
		for _, kind := range found {
			next.Found[kind]++
		}
	}
	var doubts []string
	leave := func(kind string) {
		maps.DeleteFunc(differ, func(_, first string) bool { return first == kind })
		delete(next.Found, kind)
	}
	if n := next.Found[publication.FoundMissing]; !c.Brake.BelievesGone(n, onSale) {
		doubts = append(doubts,
			fmt.Sprintf("the shop lacks %d of %d listings: so many that none is taken for deleted", n, onSale))
		leave(publication.FoundMissing)
	}
	n := next.Found[publication.FoundHidden]
	if next.Doubted = c.last.Doubts(n, onSale, c.begun.UTC()); !next.Doubted.IsZero() {
		doubts = append(doubts, fmt.Sprintf("%d of %d listings are out of sale in the shop: so many that it is believed "+
			"when a look an hour after the first finds the same", n, onSale))
		leave(publication.FoundHidden)
	}
	if next.Doubt = strings.Join(doubts, "; "); next.Doubt != "" {
		c.Logger.Warn("the comparison with the shop is doubted", "reason", next.Doubt)
	}
	counts, err := c.Store.Counts(ctx)
	if err != nil {
		return err
	}
	g := publication.Group{
		Differing: next.Found[publication.FoundPrice],
		Products: counts[store.StateLive] + counts[store.StatePartial] + counts[store.StateHeld] -
			next.Found[publication.FoundHidden],
	}
	if g.Held = publication.VeryMany(g.Differing, g.Products); g.Held && g.Differing > 0 && !c.ReportDrift {
		next.Found["held"] = g.Differing
		c.Logger.Warn("prices of so many products were changed in the shop that none is put back until it is approved",
			"differing", g.Differing, "products", g.Products)
	}
	now := time.Now()
	for some := range slices.Chunk(slices.Collect(maps.Keys(differ)), mostSettled) {
		if _, err := c.Store.Change(ctx, some, func(e *store.Entry) bool {
			_, changed := c.Observe(e, c.held[e.Record.ID], store.At(c.begun), g, now)
			return changed
		}); err != nil {
			return err
		}
	}
	for kind, n := range next.Found {
		c.Metrics.drift.WithLabelValues(kind).Add(float64(n))
	}
	c.Logger.Info("compared the shop's listings with the store", "listings", len(c.held), "found", next.Found,
		"seconds", time.Since(c.begun).Seconds())
	return publication.MetaCompared.Set(ctx, c.Store, next)
}
