package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// quiet bounds a wait for store writes, which raise signals: a thousand idle accounts must not poll the
// database.
const quiet = 10 * time.Minute

// work works off the due set until ctx ends. Looks that have begun go on under going.
func (x *Engine) work(ctx, going context.Context) {
	var all sync.WaitGroup
	for _, q := range append(slices.Repeat([]queue{queueAny}, cap(x.slots)), queueUrgent, queueRules) {
		all.Go(func() {
			for ctx.Err() == nil {
				due, shop, market := x.due.Raised(), x.ShopSide.Changed(), x.MarketSide.Changed()
				if wait, did := x.step(ctx, going, q); !did {
					Sleep(ctx, wait, due, shop, market)
				}
			}
		})
	}
	all.Wait()
}

func (x *Engine) step(ctx, going context.Context, q queue) (wait time.Duration, did bool) {
	now := time.Now()
	for _, side := range []*Gate{x.ShopSide, x.MarketSide} {
		if s := side.Status(now); s.Shut {
			return s.Wait(now), false
		}
	}
	if !x.ready(ctx) {
		return time.Second, false
	}
	c, wait, err := x.choose(ctx, q)
	if err == nil && c != nil {
		err = x.look(ctx, going, c)
	}
	if err != nil {
		x.Health.Stored(err)
		return time.Second, false
	}
	return wait, c != nil
}

// look buys the points for a claim, and looks at its publication as it is by then. It may be cut short at any point
// without harm. The error is the store's.
func (x *Engine) look(ctx, going context.Context, c *claim) (err error) {
	defer x.leave(c)
	defer func() { c.admitted.Release() }()
	defer x.recovered(going, c)
	c.kind = x.kindOf(ctx, c)
	unbought := x.buy(ctx, c)
	if unbought != nil && ctx.Err() != nil {
		return nil
	}
	if ok, err := x.beginLook(going, c); !ok {
		return err
	}
	switch now := time.Now(); {
	case unbought != nil: // the publication's fault, or the marketplace's
		x.notRead(going, c, unbought)
	case publication.RecordAnswers(c.record, c.mark, now):
		c.admitted.Release()
		x.lookByRecord(going, c)
	case c.kind == byRecord, c.kind == byFigures && !x.figuresAnswer(ctx, c, now):
		// a mark that came meanwhile needs more, and is looked at in its turn
	default:
		x.lookByReading(going, c)
	}
	return nil
}

// figuresAnswer is true of a refresh even where the shop takes no figures alone: most find that nothing has moved.
func (x *Engine) figuresAnswer(ctx context.Context, c *claim, now time.Time) bool {
	return x.FiguresAnswer(c.record, c.mark, now) && (c.mark.Class == store.ClassRefresh || x.info(ctx).Figures)
}

func (x *Engine) lookByRecord(ctx context.Context, c *claim) {
	in := x.input(c, time.Now())
	st := x.Decide(in)
	short := st.Do == publication.Figures && !x.info(ctx).Figures // the shop takes no figures alone
	if short && x.recorder != nil {
		x.recorder.reads(in.Rec.ID) // a plan shows the new figures all the same
		short = false
	}
	if short || st.Do == publication.Read {
		x.readWhole(ctx, c.mark)
	} else {
		x.carryOut(ctx, in, st)
	}
}

// readWhole leaves a publication to a reading in full, behind what is more urgent.
func (x *Engine) readWhole(ctx context.Context, m store.Mark) {
	x.change(ctx, m.ID, func(e *store.Entry) bool {
		if e.Mark == nil || e.Mark.Gen != m.Gen {
			return false
		}
		e.Mark.Class = min(m.Class, store.ClassFull)
		e.Mark.Since = store.At(time.Now()) // else the record would answer again
		return true
	})
}

func (x *Engine) input(c *claim, now time.Time) publication.Input {
	return publication.Input{
		Rec: c.record, Mark: c.by, Hint: c.hint, Lists: !x.noList.Load(), Ruled: x.ruled.Load(), Now: now,
	}
}

func (x *Engine) lookByReading(ctx context.Context, c *claim) {
	if err := x.read(ctx, c); err != nil {
		x.notRead(ctx, c, err)
		return
	}
	in := x.input(c, c.asked)
	if c.kind == byFigures {
		if !x.takeFigures(ctx, c, &in) {
			x.reread(ctx, c, false)
			return
		}
	} else {
		x.directory.Categorize(ctx, c.content)
		in.Read, in.Gone = c.content, c.content == nil
	}
	x.wasRead(c.mark.ID)
	if in.Mark.Class == store.ClassAsked && in.Lists {
		if err := x.observe(ctx, &in); err != nil {
			x.fail(ctx, c, shopadapter.Explain(err))
			return
		}
	}
	st, err := x.decide(ctx, &in)
	switch {
	case err != nil:
		x.Health.Stored(err)
	case st.Do == publication.Read:
		x.reread(ctx, c, false)
	case !c.details && x.Details && st.WantsDetails():
		x.reread(ctx, c, true)
	default:
		x.carryOut(ctx, in, st)
		x.Metrics.looks.Observe(time.Since(c.asked).Seconds())
	}
}

// decide adds who holds the SKUs that the variants may get.
func (x *Engine) decide(ctx context.Context, in *publication.Input) (st publication.Step, err error) {
	if skus := x.SKUs(in.Read); len(skus) > 0 {
		if in.Owners, err = x.Store.Owners(ctx, skus...); err != nil {
			return st, err
		}
	}
	return x.Decide(*in), nil
}

// reread reads the content, after a reading of less.
func (x *Engine) reread(ctx context.Context, c *claim, details bool) {
	c.kind, c.details = byContent, details
	if err := x.buy(ctx, c); err != nil {
		x.notRead(ctx, c, err)
		return
	}
	x.lookByReading(ctx, c)
}

// recovered is deferred. A panic counts as a failure of the publication.
func (x *Engine) recovered(ctx context.Context, c *claim) {
	if p := recover(); p != nil {
		x.fail(ctx, c, shopadapter.Retry("%s", x.Health.Recovered(p, "publication", c.mark.ID)))
	}
}

func (x *Engine) fail(ctx context.Context, c *claim, why *shopadapter.Error) {
	now := time.Now()
	x.write(ctx, c.mark.ID, now, func(s *publication.Settings, e *store.Entry) bool {
		s.Unreadable(e, x.input(c, now), why, now)
		return true
	})
}

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
	if p >= marketplace.Resync {
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
	x.gaps.begin(c.mark, c.asked)
	metered := marketplace.Metered(ctx, &cost)
	if c.kind == byFigures {
		c.figures, err = x.Market.Figures(metered, c.admitted, c.expected())
	} else {
		c.details = c.details || x.ReadsDetails(c.record, c.mark, c.asked)
		c.content, err = x.Market.Publication(metered, c.admitted, c.expected())
	}
	if c.mark.Class == store.ClassHint {
		x.hints.spend(cost-c.paid, x.Market.Budget().RestoreRate, time.Now())
		c.paid = 0 // a second reading pays for itself
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
	in.Figures = &seen
	return !refreshes || x.info(ctx).Figures || x.Decide(*in).Do < publication.Wait
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
	now := time.Now()
	gate := x.MarketSide.Status(now)
	if own := publication.OwnFailure(err, inARow, gate.Shut); own != nil {
		x.fail(ctx, c, own)
		if inARow >= mostObjections && marketplace.IsObjection(err) {
			x.locked(func() {
				x.objected[id] = true
				delete(x.retrying, id)
			})
		}
		return
	}
	at := gate.Until
	if !gate.Shut || inARow > mostObjections { // else the pause is enough
		at = latest(at, now.Add(Backoff(inARow, x.MaxBackoff())))
		x.retries(id, now)
	}
	x.Health.Stored(x.putOff(context.WithoutCancel(ctx), c.mark, at, 1))
}

func (x *Engine) wasRead(id string) {
	x.MarketSide.succeed(time.Now())
	x.locked(func() {
		delete(x.misread, id)
		delete(x.objected, id)
	})
}
