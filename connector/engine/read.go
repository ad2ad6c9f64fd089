package engine

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

type readingKind int

const (
	byRecord  readingKind = iota // none: the record answers
	byWhole                      // one publication in full
	byFigures                    // one publication's figures, in a backlog or long unread
	byEntry                      // which of several new entries exist; those are read in full in their turn
)

const (
	missingInARow = 10 // new entries that do not exist, before others are read lightly
	mostLight     = 50 // entries of one light reading

	// patientWait bounds a wait for points that is not urgent: something more urgent may have come.
	patientWait = 30 * time.Second
)

var errOutOfPatience = errors.New("the points did not come")

func (x *Engine) kindOf(ctx context.Context, set *publication.Settings, c *claim) readingKind {
	switch {
	case needsNothing(set, c):
		return byRecord
	case x.figured(set)(c.mark, c.record) &&
		(c.mark.Class == store.ClassRefresh || x.info(ctx).Figures && x.backlogged(ctx, c.mark.ID)):
		return byFigures
	case c.mark.Class == store.ClassNew && x.missing.Load() >= missingInARow && unmade(c.mark, c.record):
		return byEntry
	default:
		return byWhole
	}
}

func needsNothing(set *publication.Settings, c *claim) bool {
	return c.mark.Class != store.ClassHint &&
		set.Needs(c.record, c.mark, false, time.Now()) == publication.NeedNothing
}

func (x *Engine) figured(set *publication.Settings) func(store.Mark, store.Record) bool {
	return func(m store.Mark, r store.Record) bool {
		return set.Needs(r, m, true, time.Now()) == publication.NeedFigures && x.Market.FiguresFit(len(r.Variants))
	}
}

// unmade reports whether nothing was ever sent to the shop.
func unmade(_ store.Mark, r store.Record) bool {
	return r.ShopID == "" && r.Unsure() == 0 && !r.Open() && r.Sale == store.Off
}

// buy waits for the points of a batch. A light reading pays for itself.
func (x *Engine) buy(ctx context.Context, b *batch) (err error) {
	if b.kind == byRecord || b.kind == byEntry {
		return nil
	}
	p, limited := b.claims[0].priority(), ctx
	if p >= marketplace.Resync {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, patientWait)
		defer cancel()
	}
	if b.kind == byWhole {
		b.admitted, err = x.Market.Admit(limited, p)
	} else {
		b.admitted, err = x.Market.AdmitFigures(limited, p, expected(b.claims[0]))
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return errOutOfPatience
	}
	return err
}

func expected(c *claim) marketplace.Expected {
	return marketplace.Expected{ID: c.mark.ID, Variants: len(c.record.Variants)}
}

func (x *Engine) read(ctx context.Context, b *batch) (err error) {
	var cost float64
	b.asked = time.Now()
	of, ids := expected(b.claims[0]), make([]string, len(b.claims))
	for i, c := range b.claims {
		ids[i] = c.mark.ID
	}
	x.gaps.begin(b.claims[0].mark, b.asked)
	metered := marketplace.Metered(ctx, &cost)
	switch c := b.claims[0]; b.kind {
	case byEntry:
		b.light, err = x.Market.Look(metered, marketplace.News, ids, false)
	case byFigures:
		b.figures, err = x.Market.Figures(metered, b.admitted, of)
	default:
		of.Details = b.details || b.set.ReadsDetails(c.record, c.mark, b.asked)
		b.full, err = x.Market.Publication(metered, b.admitted, of)
	}
	if b.claims[0].mark.Class == store.ClassHint {
		x.hints.spend(cost, x.Market.Budget().RestoreRate, time.Now())
	}
	if err == nil {
		x.MarketSide.succeed(time.Now())
	}
	return err
}

// takeFigures fails if a reading in full is needed: a variant came or went, or a refresh finds that updatedAt
// has moved.
func (x *Engine) takeFigures(ctx context.Context, b *batch, in *publication.Input) (ok bool) {
	seen, refreshes := b.figures, in.Mark.Class == store.ClassRefresh
	if refreshes && seen.UpdatedAt != in.Rec.UpdatedAt && seen.UpdatedAt != in.Rec.Echo {
		return false
	}
	if in.Rec, ok = publication.WithFigures(in.Rec, seen); !ok {
		return false
	}
	in.Fresh = true
	x.wasRead(in.Mark.ID)
	return !refreshes || x.info(ctx).Figures || b.set.Decide(*in).Do < publication.Wait
}

// unread ends a look whose reading failed.
func (x *Engine) unread(ctx context.Context, b *batch, c *claim, err error) {
	switch {
	case errors.Is(err, errOutOfPatience):
	case b.kind == byEntry:
		x.missing.Store(0)
	default:
		x.notRead(ctx, c, err)
	}
}

// mostObjections is how many in a row to a publication end a run's wait for it.
const mostObjections = 3

// notRead puts off a look whose reading failed. The failure is the publication's only if the marketplace fails
// to show it alone.
func (x *Engine) notRead(ctx context.Context, c *claim, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	id := c.mark.ID
	inARow := 0
	x.locked(func() {
		x.misread[id]++
		inARow = x.misread[id]
	})
	x.MarketSide.Told(id, err)
	if own := publication.OwnFailure(err, inARow, x.MarketSide.Status(time.Now()).Shut); own != nil {
		x.fail(ctx, c, own)
		if inARow >= mostObjections && marketplace.IsObjection(err) {
			x.locked(func() {
				x.objected[id] = true
				delete(x.retrying, id)
			})
		}
		return
	}
	now := time.Now()
	at := now.Add(Backoff(inARow, x.Waiters.MaxBackoff()))
	x.Health.Stored(x.putOff(context.WithoutCancel(ctx), c.mark, at, 1))
	x.retries(id, now)
}

func (x *Engine) wasRead(id string) {
	x.locked(func() {
		delete(x.misread, id)
		delete(x.objected, id)
	})
}
