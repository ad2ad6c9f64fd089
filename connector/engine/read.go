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
	byContent                    // in full
	byFigures                    // in a backlog, or where they are long unread
)

// patientWait bounds a wait for points that is not urgent: something more urgent may have come.
const patientWait = 30 * time.Second

var errOutOfPatience = errors.New("the points did not come")

func (x *Engine) kindOf(ctx context.Context, c *claim) readingKind {
	now := time.Now()
	switch {
	case publication.RecordAnswers(c.record, c.mark, now):
		return byRecord
	case x.figuresAnswer(ctx, c, now) && x.Market.FiguresFit(len(c.record.Variants)) &&
		(c.mark.Class == store.ClassRefresh || x.backlogged(ctx, c.mark.ID)):
		return byFigures
	default:
		return byContent
	}
}

// buy waits for the points of a reading.
func (x *Engine) buy(ctx context.Context, c *claim) (err error) {
	p, limited := c.priority(), ctx
	if p != marketplace.Urgent {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, patientWait)
		defer cancel()
	}
	switch c.kind {
	case byContent:
		c.admitted, err = x.Market.Admit(limited, p)
	case byFigures:
		c.admitted, err = x.Market.AdmitFigures(limited, p, c.expected())
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return errOutOfPatience
	}
	return err
}

func (c *claim) expected() marketplace.Expected {
	return marketplace.Expected{ID: c.mark.ID, Variants: len(c.record.Variants), Details: c.details}
}

func (x *Engine) read(ctx context.Context, c *claim) (err error) {
	var cost float64
	c.asked = time.Now()
	x.locked(func() { x.gaps.begin(c.mark, c.asked) })
	metered := marketplace.Metered(ctx, &cost)
	if c.kind == byFigures {
		c.figures, err = x.Market.Figures(metered, c.admitted, c.expected())
	} else {
		c.details = c.details || c.set.ReadsDetails(c.record, c.mark, c.asked)
		c.content, err = x.Market.Publication(metered, c.admitted, c.expected())
	}
	if c.mark.Class == store.ClassHint {
		x.hints.spend(cost, x.Market.Budget().RestoreRate, time.Now())
	}
	return err
}

// takeFigures fails if a reading in full is needed: a variant came or went, or a refresh finds that updatedAt
// has moved.
func (x *Engine) takeFigures(ctx context.Context, c *claim, in *publication.Input) (ok bool) {
	seen, refreshes := c.figures, in.Mark.Class == store.ClassRefresh
	if refreshes && seen.UpdatedAt != in.Rec.UpdatedAt && seen.UpdatedAt != in.Rec.Echo {
		return false
	}
	if in.Rec, in.Fresh = publication.WithFigures(in.Rec, seen); !in.Fresh {
		return false
	}
	return !refreshes || x.info(ctx).Figures || c.set.Decide(*in).Do < publication.Wait
}

// mostObjections is how many in a row to a publication end a run's wait for it.
const mostObjections = 3

// notRead puts off a look whose reading failed. The failure is the publication's only if the marketplace fails
// to show it alone.
func (x *Engine) notRead(ctx context.Context, c *claim, err error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, errOutOfPatience) {
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
	x.MarketSide.succeed(time.Now())
	x.locked(func() {
		delete(x.misread, id)
		delete(x.objected, id)
	})
}
