package look

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/worker/schedule"
	"github.com/pubsync/pubsync/store"
)

// A kind is what a reading shows.
type kind int

const (
	byWhole   kind = iota // all the content of one publication
	byFigures             // the figures of several that have changed, while the points do not pay for their content
	byRefresh             // the figures of several that were not read for long
	byEntry               // which of several new entries exist: those that do are read in full in their turn
)

const (
	mostFigured   = 10 // publications that are claimed for one reading of figures
	missingInARow = 10 // looks at new entries that do not exist, before others are read lightly
	mostLight     = 50 // entries of one light reading
)

// patientWait is how long a look that nobody waits for keeps its claim without points. More urgent
// looks may go before it for hours, and its own mark may become urgent meanwhile.
const patientWait = 30 * time.Second

// errOutOfPatience ends a claim whose points did not come within patientWait.
var errOutOfPatience = errors.New("the points did not come")

// join chooses the reading that the claim of a batch asks for, and claims others that may be read
// with it.
func (l *Looks) join(ctx context.Context, b *batch) {
	c := b.claims[0]
	fits := func(refresh bool) func(m store.Mark, r store.Record) bool {
		return func(m store.Mark, r store.Record) bool {
			needs := b.set.Needs(r, m, true, "", time.Now())
			return needs == publication.NeedFigures && (m.Class == store.ClassRefresh) == refresh &&
				l.Market.FiguresFit(len(r.Variants))
		}
	}
	var most int
	var with func(m store.Mark, r store.Record) bool
	switch {
	case l.unreported(c.Mark.ID) && fits(false)(c.Mark, c.Record) && l.Info(ctx).Figures &&
		l.Schedule.BeginFigures(ctx, time.Now()):
		b.kind, most, with = byFigures, mostFigured, fits(false)
	case l.unreported(c.Mark.ID) && fits(true)(c.Mark, c.Record):
		b.kind, most, with = byRefresh, mostFigured, fits(true)
	case c.Mark.Class == store.ClassNew && l.missing.Load() >= missingInARow && unmade(c.Mark, c.Record):
		b.kind, most, with = byEntry, mostLight, unmade
	default:
		b.kind = byWhole
		return
	}
	b.release()
	b.claims = append(b.claims, l.Schedule.Join(ctx, c, most-1, l.unreported, with)...)
}

// unmade reports whether nothing was ever sent to the shop of a publication.
func unmade(_ store.Mark, r store.Record) bool {
	return r.ShopID == "" && r.Unsure() == 0 && !r.Open() && r.Sale == store.Off
}

// countMissing counts the looks in a row at new entries of the list that do not exist. Many in a
// row would delay the entries that do exist.
func (l *Looks) countMissing(m store.Mark, pub *marketplace.Publication) {
	switch {
	case m.Class != store.ClassNew:
	case pub == nil:
		l.missing.Add(1)
	default:
		l.missing.Store(0)
	}
}

// admit waits until there are points for the reading of a batch. It gives back the claims that the
// reading has no room for. A light reading pays for itself.
func (l *Looks) admit(ctx context.Context, b *batch) error {
	switch {
	case b.kind == byEntry, b.admitted != nil:
		return nil
	case b.kind == byWhole:
		return l.patiently(ctx, b, l.Market.Admit)
	}
	n, err := l.Market.FitFigures(ctx, expected(b.claims))
	if err != nil {
		return err
	}
	if b.kind == byFigures {
		l.Schedule.GiveBack(ctx, b.claims[n:])
	} else {
		for _, c := range b.claims[n:] {
			l.Schedule.End(ctx, c)
		}
	}
	b.claims = b.claims[:n]
	return l.patiently(ctx, b, func(ctx context.Context, p marketplace.Priority) (*marketplace.Admission, error) {
		return l.Market.AdmitFigures(ctx, p, expected(b.claims))
	})
}

// patiently admits a batch, for which a look that nobody waits for keeps its claim for patientWait.
func (l *Looks) patiently(
	ctx context.Context, b *batch,
	admit func(context.Context, marketplace.Priority) (*marketplace.Admission, error),
) (err error) {
	p, limited := b.claims[0].Priority(), ctx
	if p >= marketplace.Resync {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, patientWait)
		defer cancel()
	}
	b.admitted, err = admit(limited, p)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return errOutOfPatience
	}
	return err
}

// read reads a batch, and counts what that costs.
func (l *Looks) read(ctx context.Context, b *batch) (err error) {
	var cost marketplace.Meter
	b.asked = time.Now()
	ids := make([]string, len(b.claims))
	for i, c := range b.claims {
		l.Schedule.Begin(c.Mark, b.asked)
		ids[i] = c.Mark.ID
	}
	metered := marketplace.Metered(ctx, &cost)
	switch c := b.claims[0]; b.kind {
	case byEntry:
		b.light, err = l.Market.Look(metered, marketplace.News, ids, false)
	case byFigures, byRefresh:
		b.figures, err = l.Market.Figures(metered, b.admitted, expected(b.claims))
	default:
		b.full, err = l.Market.Publication(metered, b.admitted, marketplace.Expected{
			ID: c.Mark.ID, Variants: len(c.Record.Variants),
			Details: b.details || b.set.ReadsDetails(c.Record, c.Mark, b.asked),
		})
	}
	l.Schedule.Spent(b.claims[0].Mark, cost.Points(), time.Now())
	if err == nil {
		l.MarketBreaker.Succeed(time.Now(), ids...)
	}
	return err
}

// takeFigures takes figures that were read into what is decided upon. ok is false where the
// publication must be read in full: a variant came or went, or a refresh finds that updatedAt has moved.
func (l *Looks) takeFigures(ctx context.Context, b *batch, in *publication.Input) (ok bool) {
	id := in.Mark.ID
	e, err := l.Store.Get(ctx, id) // writing the others of the batch may have taken long
	if err != nil {
		l.Health.StoreFailed(err)
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
	l.misread.forget(id)
	return b.kind == byFigures || l.Info(ctx).Figures || b.set.Decide(*in).Do == publication.Nothing
}

// unread deals with the publications where admit or read failed. Figures that the marketplace objects to
// are read in full, which shows of which publication that is.
func (l *Looks) unread(ctx context.Context, b *batch, err error) {
	switch {
	case errors.Is(err, errOutOfPatience):
	case b.kind == byEntry:
		l.missing.Store(0)
	case b.kind == byWhole:
		l.notRead(ctx, b.claims[0], err)
	default:
		for len(b.claims) > 0 {
			if c := b.claims[0]; marketplace.KindOf(err) == marketplace.Invalid {
				l.reread(ctx, b.set, c, false)
			} else {
				l.notRead(ctx, c, err)
			}
			b.drop(ctx, l.Schedule)
		}
	}
}

// expected is what is asked for about the claims.
func expected(claims []schedule.Claim) []marketplace.Expected {
	of := make([]marketplace.Expected, len(claims))
	for i, c := range claims {
		of[i] = marketplace.Expected{ID: c.Mark.ID, Variants: len(c.Record.Variants)}
	}
	return of
}

// mostObjections is how many objections in a row to a publication a run waits for the next try.
const mostObjections = 3

// notRead puts off a look whose reading failed. A failure of the marketplace is not the
// publication's, unless the marketplace fails to show this one alone. One to which it objects again
// and again keeps no run waiting.
func (l *Looks) notRead(ctx context.Context, c schedule.Claim, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	failed := publication.FailedRead{Err: err, InARow: l.misread.count(c.Mark.ID)}
	l.MarketBreaker.Judge(c.Mark.ID, breaker.OfMarketplace(err))
	if own := failed.Own(l.MarketBreaker.Status(time.Now()).Open); own != nil {
		l.fail(ctx, c, own)
		if failed.InARow >= mostObjections && marketplace.IsObjection(err) {
			l.misread.own(c.Mark.ID)
			l.retrying.forget(c.Mark.ID)
		}
		return
	}
	l.retryAt(ctx, c.Mark, time.Now().Add(breaker.Backoff(failed.InARow, l.Waiters.MaxBackoff())))
}
