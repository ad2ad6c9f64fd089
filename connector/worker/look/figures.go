package look

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/worker/schedule"
	"github.com/pubsync/pubsync/store"
)

// figures is a reading of the figures of several publications that have changed, while the points
// do not pay for all of their content. The remainder is owed from then on.
type figures struct{ *Looks }

// mostFigured bounds the publications that are claimed for one reading of figures.
const mostFigured = 10

// goesByFigures reports whether the look of a claim begins with the figures. That look ends with
// [schedule.Schedule.EndFigures].
func (l *Looks) goesByFigures(ctx context.Context, c schedule.Claim) bool {
	return l.unreported(c.Mark.ID) && l.figuresFit(c.Mark, c.Record) && l.carrier.restocks(ctx) &&
		l.schedule.BeginFigures(ctx, time.Now())
}

// figuresFit reports whether figures may do for a look.
func (l *Looks) figuresFit(m store.Mark, r store.Record) bool {
	return publication.ByFigures(r, m, time.Now()) && l.market.FiguresFit(len(r.Variants)) && !lookedAt(m, r)
}

func (f figures) admit(ctx context.Context, b *batch) error {
	n, err := f.market.FitFigures(ctx, expected(b.claims))
	if err != nil {
		return err
	}
	f.schedule.GiveBack(ctx, b.claims[n:])
	b.claims = b.claims[:n]
	b.admitted, err = f.market.AdmitFigures(ctx, b.claims[0].Priority(), expected(b.claims))
	return err
}

func (f figures) read(ctx context.Context, b *batch) (err error) {
	b.figures, err = f.market.Figures(ctx, b.admitted, expected(b.claims))
	return err
}

// unread has each publication read in full where another reading of figures would fail too.
func (f figures) unread(ctx context.Context, b *batch, err error) {
	for len(b.claims) > 0 {
		if c := b.claims[0]; marketplace.KindOf(err) == marketplace.Invalid {
			f.reread(ctx, c, false)
		} else {
			f.notRead(ctx, c.Mark, err)
		}
		b.drop(ctx, f.schedule)
	}
}

func (f figures) decide(
	ctx context.Context, b *batch, c schedule.Claim,
) (d publication.Decision, again time.Time, then next) {
	e, err := f.store.Get(ctx, c.Mark.ID) // writing the others of the batch may have taken long
	if err != nil {
		f.health.StoreFailed(err)
		return d, again, nothing
	}
	seen, shown := b.figures[c.Mark.ID]
	d, ok := f.decider.DecideFigures(e.Record, c.Mark, seen, b.asked)
	if !shown || !ok {
		return d, again, toReread
	}
	f.misread.forget(c.Mark.ID)
	return d, f.announced.judge(c.Mark.ID, seen.UpdatedAt, true, time.Now()), toCarryOut
}

// A refresh is a reading of the figures of several publications that were not read for long. What has
// changed otherwise moves updatedAt, and leads to a reading in full.
type refresh struct{ figures }

// refreshFits reports whether the figures are enough for a refresh.
func (l *Looks) refreshFits(m store.Mark, r store.Record) bool {
	return l.decider.RefreshesFigures(r, m, time.Now()) && l.market.FiguresFit(len(r.Variants)) && !lookedAt(m, r)
}

func (f refresh) admit(ctx context.Context, b *batch) error {
	n, err := f.market.FitFigures(ctx, expected(b.claims))
	if err != nil {
		return err
	}
	for _, c := range b.claims[n:] {
		f.schedule.End(ctx, c)
	}
	b.claims = b.claims[:n]
	return patiently(ctx, b, func(ctx context.Context, p marketplace.Priority) (*marketplace.Admission, error) {
		return f.market.AdmitFigures(ctx, p, expected(b.claims))
	})
}

func (f refresh) unread(ctx context.Context, b *batch, err error) {
	if !errors.Is(err, errOutOfPatience) {
		f.figures.unread(ctx, b, err)
	}
}

func (f refresh) decide(
	ctx context.Context, b *batch, c schedule.Claim,
) (d publication.Decision, again time.Time, then next) {
	if d, again, then = f.figures.decide(ctx, b, c); d.Step == publication.Restock && !f.carrier.restocks(ctx) {
		then = toReread
	}
	return d, again, then
}

// expected is what is asked for about the claims.
func expected(claims []schedule.Claim) []marketplace.Expected {
	of := make([]marketplace.Expected, len(claims))
	for i, c := range claims {
		of[i] = marketplace.Expected{ID: c.Mark.ID, Variants: len(c.Record.Variants)}
	}
	return of
}
