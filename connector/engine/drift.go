package engine

import (
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

// mostSettled bounds the records of one transaction: looks settle in between.
const mostSettled = 500

func (x *Engine) watchDrift(ctx context.Context) {
	for ctx.Err() == nil {
		resynced := x.resynced.Raised()
		_, full := x.lastSweeps()
		if !full.At.Before(x.Health.started) && full.Error == "" && x.ready(ctx) {
			x.compare(ctx, false, silence)
		}
		Sleep(ctx, time.Hour, resynced)
	}
}

// compare reconciles the shop's listings with the store, once a day or at once with now. It gives up when the
// shop is silent for longer than patience between two listings. A listing that the shop's list lacks leads to a call
// of Publish, whose ErrGone decides.
func (x *Engine) compare(ctx context.Context, now bool, patience time.Duration) {
	leave, err := enter(ctx, x.comparing)
	if err != nil {
		return
	}
	defer leave()
	if x.ShopSide.Status(time.Now()).Shut {
		return
	}
	begun := time.Now()
	if x.recorder != nil {
		begun = x.recorder.begun // the shop does not show what the plan has written since
	}
	last, _, err := publication.MetaCompared.Get(ctx, x.Store)
	if x.Health.Stored(err); err != nil || !now && !last.DayIsOver(begun) {
		return
	}
	held, err := x.shown(ctx, shopadapter.Query{}, patience)
	switch {
	case errors.Is(err, shopadapter.ErrNoList):
	case err != nil:
		if ctx.Err() == nil {
			x.ShopSide.Told(aboutList, err)
		}
		if !errors.Is(ctx.Err(), context.Canceled) { // a run that is stopped fails nothing
			x.Logger.Warn("shop's listings cannot be compared with the store", "error", err)
		}
	default:
		x.Health.Stored(x.reconcile(ctx, held, last, begun))
		x.Wake()
	}
}

// reconcile brings record and listing in line where they differ. Mass changes are left alone, confirmed by a second
// comparison, or held. Records that were written since begun, or have an attempt without an answer, are not judged.
func (x *Engine) reconcile(
	ctx context.Context, held map[string]*publication.Shown, last publication.Compared, begun time.Time,
) error {
	next := publication.Compared{At: begun.UTC(), Found: map[string]int{}} // how many, by kind
	differ, onSale := map[string]string{}, 0                               // id -> the first kind of difference
	for r, err := range store.Records(ctx, x.Store, store.Query{}) {
		if err != nil {
			return err
		}
		if r.Sale == store.OnSale {
			onSale++
		}
		shown, e := held[r.ID], store.Entry{Record: r, Known: true}
		found, news := x.Observe(&e, shown, store.At(begun), publication.Group{}, begun)
		switch stands := shown != nil && shown.Sells(); {
		case stands && !news: // what was found before is told once, but not what is left
			found = slices.DeleteFunc(found, func(kind string) bool { return kind != publication.FoundLeft })
		case stands || len(found) > 0:
			differ[r.ID] = append(found, "")[0]
		}
		for _, kind := range found {
			next.Found[kind]++
		}
	}
	var doubts []string
	if n := next.Found[publication.FoundMissing]; n > 1 && x.Brake.RemovesTooMuch(onSale, 0, n) {
		doubts = append(doubts,
			fmt.Sprintf("the shop lacks %d of %d listings: so many that none is taken for deleted", n, onSale))
		maps.DeleteFunc(differ, func(_, first string) bool { return first == publication.FoundMissing })
		delete(next.Found, publication.FoundMissing)
	}
	n := next.Found[publication.FoundHidden]
	if next.Doubted = last.Doubts(n, onSale, begun.UTC()); !next.Doubted.IsZero() {
		doubts = append(doubts, fmt.Sprintf("%d of %d listings are out of sale in the shop: so many that it is believed "+
			"when a look an hour after the first finds the same", n, onSale))
		delete(next.Found, publication.FoundHidden)
	}
	if next.Doubt = strings.Join(doubts, "; "); next.Doubt != "" {
		x.Logger.Warn("the comparison with the shop is doubted", "reason", next.Doubt)
	}
	g := publication.Group{
		Doubted:   !next.Doubted.IsZero(),
		Differing: next.Found[publication.FoundPrice], Products: onSale - next.Found[publication.FoundHidden],
	}
	if g.Held = publication.VeryMany(g.Differing, g.Products); g.Held && g.Differing > 0 && !x.ReportDrift {
		x.Logger.Warn("prices of so many products were changed in the shop that none is put back until it is approved",
			"differing", g.Differing, "products", g.Products)
	}
	now := time.Now()
	for some := range slices.Chunk(slices.Collect(maps.Keys(differ)), mostSettled) {
		if _, err := x.Store.Change(ctx, some, func(e *store.Entry) bool {
			_, changed := x.Observe(e, held[e.Record.ID], store.At(begun), g, now)
			return changed
		}); err != nil {
			return err
		}
	}
	for kind, n := range next.Found {
		x.Metrics.drift.WithLabelValues(kind).Add(float64(n))
	}
	x.Logger.Info("compared the shop's listings with the store", "listings", len(held), "found", next.Found,
		"seconds", time.Since(begun).Seconds())
	return publication.MetaCompared.Set(ctx, x.Store, next)
}
