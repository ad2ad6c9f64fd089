package engine

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A readingKind is what a reading shows.
type readingKind int

const (
	byWhole   readingKind = iota // all the content of one publication
	byFigures                    // the figures of several that have changed, during a backlog
	byRefresh                    // the figures of several that were not read for long
	byEntry                      // which of several new entries exist: those are read in full in their turn
)

const (
	mostFigured   = 10 // publications that are claimed for one reading of figures
	missingInARow = 10 // looks at new entries that do not exist, before others are read lightly
	mostLight     = 50 // entries of one light reading

	// patientWait is how long a look that nobody waits for keeps its claim without points. More urgent
	// looks may go before it for hours, and its own mark may become urgent meanwhile.
	patientWait = 30 * time.Second
)

// errOutOfPatience ends a claim whose points did not come within patientWait.
var errOutOfPatience = errors.New("the points did not come")

// choose chooses the reading that the claim of a batch asks for, and claims others that may be read with
// it.
func (x *Engine) choose(ctx context.Context, b *batch) {
	c := b.claims[0]
	figured := func(m store.Mark, r store.Record) bool {
		return b.set.Needs(r, m, true, "", time.Now()) == publication.NeedFigures &&
			x.Market.FiguresFit(len(r.Variants))
	}
	most, with := mostFigured, figured // all that is joined is of the class of c
	refreshes := c.mark.Class == store.ClassRefresh
	switch {
	case x.reported(c.mark.ID) == nil && figured(c.mark, c.record) &&
		(refreshes || x.info(ctx).Figures && x.beginFigures(ctx)):
		if b.kind = byFigures; refreshes {
			b.kind = byRefresh
		}
	case c.mark.Class == store.ClassNew && x.missing.Load() >= missingInARow && unmade(c.mark, c.record):
		b.kind, most, with = byEntry, mostLight, unmade
	default:
		return
	}
	b.release()
	b.claims = append(b.claims, x.join(ctx, c, most-1, with)...)
}

// unmade reports whether nothing was ever sent to the shop of a publication.
func unmade(_ store.Mark, r store.Record) bool {
	return r.ShopID == "" && r.Unsure() == 0 && !r.Open() && r.Sale == store.Off
}

// countMissing counts the looks in a row at new entries of the list that do not exist. Many in a row would
// delay the entries that do exist.
func (x *Engine) countMissing(m store.Mark, pub *marketplace.Publication) {
	switch {
	case m.Class != store.ClassNew:
	case pub == nil:
		x.missing.Add(1)
	default:
		x.missing.Store(0)
	}
}

// admit waits until there are points for the reading of a batch, a look that nobody waits for patientWait
// at most. It gives back the claims that the reading has no room for. A light reading pays for itself.
func (x *Engine) admit(ctx context.Context, b *batch) error {
	if b.kind == byEntry || b.admitted != nil {
		return nil
	}
	if b.kind != byWhole {
		n, err := x.Market.FitFigures(ctx, expected(b.claims))
		if err != nil {
			return err
		}
		if b.kind == byFigures {
			x.giveBack(ctx, b.claims[n:])
		} else {
			for _, c := range b.claims[n:] {
				x.end(ctx, c)
			}
		}
		b.claims = b.claims[:n]
	}
	p, limited := b.claims[0].priority(), ctx
	if p >= marketplace.Resync {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, patientWait)
		defer cancel()
	}
	var err error
	if b.kind == byWhole {
		b.admitted, err = x.Market.Admit(limited, p)
	} else {
		b.admitted, err = x.Market.AdmitFigures(limited, p, expected(b.claims))
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return errOutOfPatience
	}
	return err
}

func expected(claims []claim) []marketplace.Expected {
	of := make([]marketplace.Expected, len(claims))
	for i, c := range claims {
		of[i] = marketplace.Expected{ID: c.mark.ID, Variants: len(c.record.Variants)}
	}
	return of
}

func (x *Engine) read(ctx context.Context, b *batch) (err error) {
	var cost marketplace.Meter
	b.asked = time.Now()
	of, ids := expected(b.claims), make([]string, len(b.claims))
	for i, c := range b.claims {
		x.Gaps.Begin(c.mark, b.asked)
		ids[i] = c.mark.ID
	}
	metered := marketplace.Metered(ctx, &cost)
	switch c := b.claims[0]; b.kind {
	case byEntry:
		b.light, err = x.Market.Look(metered, marketplace.News, ids, false)
	case byFigures, byRefresh:
		b.figures, err = x.Market.Figures(metered, b.admitted, of)
	default:
		of[0].Details = b.details || b.set.ReadsDetails(c.record, c.mark, b.asked)
		b.full, err = x.Market.Publication(metered, b.admitted, of[0])
	}
	if b.claims[0].mark.Class == store.ClassHint {
		x.hints.spend(cost.Points(), x.Market.Budget().RestoreRate, time.Now())
	}
	if err == nil {
		x.MarketSide.Succeed(time.Now(), ids...)
	}
	return err
}

// takeFigures takes figures that were read into what is decided upon. ok is false where the publication
// must be read in full: a variant came or went, or a refresh finds that updatedAt has moved.
func (x *Engine) takeFigures(ctx context.Context, b *batch, in *publication.Input) (ok bool) {
	id := in.Mark.ID
	e, err := x.Store.Get(ctx, id) // writing the others of the batch may have taken long
	if err != nil {
		x.Health.StoreFailed(err)
		return false
	}
	seen, shown := b.figures[id]
	if !shown || b.kind == byRefresh && seen.UpdatedAt != e.Record.UpdatedAt && seen.UpdatedAt != e.Record.Echo {
		return false
	}
	if in.Rec, ok = publication.WithFigures(e.Record, seen); !ok {
		return false
	}
	in.Fresh = true
	x.wasRead(id)
	return b.kind == byFigures || x.info(ctx).Figures || b.set.Decide(*in).Do == publication.Nothing
}

// unread deals with the publications where admit or read failed. Figures that the marketplace objects to
// are read in full, which shows of which publication that is.
func (x *Engine) unread(ctx context.Context, b *batch, err error) {
	switch {
	case errors.Is(err, errOutOfPatience):
	case b.kind == byEntry:
		x.missing.Store(0)
	case b.kind == byWhole:
		x.notRead(ctx, b.claims[0], err)
	default:
		for len(b.claims) > 0 {
			if c := b.claims[0]; marketplace.KindOf(err) == marketplace.Invalid {
				x.reread(ctx, b.set, c, false)
			} else {
				x.notRead(ctx, c, err)
			}
			x.drop(ctx, b)
		}
	}
}

// mostObjections is how many objections in a row to a publication a run waits for the next try.
const mostObjections = 3

// notRead puts off a look whose reading failed. A failure of the marketplace is not the publication's,
// unless the marketplace fails to show this one alone. One to which it objects again and again keeps no
// run waiting.
func (x *Engine) notRead(ctx context.Context, c claim, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	id := c.mark.ID
	failed := publication.FailedRead{Err: err}
	x.locked(func() {
		x.misread[id]++
		failed.InARow = x.misread[id]
	})
	x.MarketSide.Judge(id, breaker.OfMarketplace(err))
	if own := failed.Own(x.MarketSide.Status(time.Now()).Open); own != nil {
		x.fail(ctx, c, own)
		if failed.InARow >= mostObjections && marketplace.IsObjection(err) {
			x.locked(func() {
				x.objected[id] = true
				delete(x.retrying, id)
			})
		}
		return
	}
	x.retryAt(ctx, c.mark, time.Now().Add(breaker.Backoff(failed.InARow, x.Waiters.MaxBackoff())))
}

func (x *Engine) wasRead(id string) {
	x.locked(func() {
		delete(x.misread, id)
		delete(x.objected, id)
	})
}
