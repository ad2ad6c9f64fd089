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

// A batch is the claims that one reading serves. The first look begins before the reading, each other in its
// turn.
type batch struct {
	kind     readingKind
	set      *publication.Settings
	claims   []*claim
	admitted *marketplace.Admission
	asked    time.Time
	details  bool // a reading in full shows the product's details too

	full    *marketplace.Publication // by a reading in full; nil: gone
	figures marketplace.Figures
	light   map[string]*marketplace.Entry // by a light reading; nil: gone
}

func (b *batch) release() {
	if b.admitted != nil {
		b.admitted.Release()
		b.admitted = nil
	}
}

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

// look buys the points for a claim, and others that the same request reads, and looks at each as it is by then.
// It may be cut short at any point without harm. The error is the store's.
func (x *Engine) look(ctx, going context.Context, c *claim) (err error) {
	b := &batch{claims: []*claim{c}}
	defer func() {
		b.release()
		for _, c := range b.claims {
			x.leave(c)
		}
	}()
	defer x.recovered(going, c)
	if b.set, err = x.settings(ctx); err != nil {
		return err
	}
	b.kind = x.kindOf(ctx, b.set, c)
	x.join(ctx, b)
	unbought := x.buy(ctx, b)
	if unbought != nil && (ctx.Err() != nil || errors.Is(unbought, errOutOfPatience)) {
		return nil
	}
	if ok, err := x.beginLook(going, c); !ok {
		return err
	}
	switch {
	case unbought != nil: // the publication's fault, or the marketplace's
		x.unread(going, b, c, unbought)
		return nil
	case needsNothing(b.set, c):
		b.release()
		x.lookByRecord(going, b.set, c)
		return nil
	case b.kind == byRecord, b.kind != byWhole && c.mark.Gen != c.gen: // what came meanwhile is read in its turn
		return nil
	}
	if err := x.read(going, b); err != nil {
		x.unread(going, b, c, err)
		return nil
	}
	x.conclude(going, b, c)
	x.leave(c)
	for _, other := range b.claims[1:] { // each may take long
		if going.Err() != nil || x.ShopSide.Status(time.Now()).Shut {
			break
		}
		ok, err := x.beginLook(going, other)
		if x.Health.Stored(err); ok && other.mark.Gen == other.gen {
			x.gaps.begin(other.mark, b.asked)
			x.conclude(going, b, other)
		}
		x.leave(other)
	}
	return nil
}

func (x *Engine) lookByRecord(ctx context.Context, set *publication.Settings, c *claim) {
	in := x.input(c, time.Now())
	st := set.Decide(in)
	short := st.Do == publication.Figures && !x.info(ctx).Figures // the shop takes no figures alone
	if short && x.recorder != nil {
		x.recorder.reads(in.Rec.ID) // a plan shows the new figures all the same
		short = false
	}
	if short || st.Do == publication.Read {
		x.readWhole(ctx, c.mark)
	} else {
		x.carryOut(ctx, set, in, st)
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
	return publication.Input{Rec: c.record, Mark: c.by, Hint: c.hint, Lists: x.lists(), Now: now}
}

func (x *Engine) conclude(ctx context.Context, b *batch, c *claim) {
	defer x.recovered(ctx, c)
	in := x.input(c, b.asked)
	switch b.kind {
	case byEntry:
		if entry, answered := b.light[c.mark.ID]; !answered || entry != nil {
			x.missing.Store(0)
			return
		}
		in.Gone = true
	case byFigures:
		if !x.takeFigures(ctx, b, &in) {
			x.reread(ctx, b.set, c, false)
			return
		}
	default:
		x.wasRead(c.mark.ID)
		if c.mark.Class == store.ClassNew && b.full == nil {
			x.missing.Add(1)
		} else if c.mark.Class == store.ClassNew {
			x.missing.Store(0)
		}
		in.Read, in.Gone = b.full, b.full == nil
		if !b.details && x.Market.HasDetails() && publication.WantsDetails(c.record, b.full) {
			x.reread(ctx, b.set, c, true)
			return
		}
		x.directory.Categorize(ctx, b.full)
	}
	if in.Mark.Class == store.ClassAsked && in.Lists {
		if err := x.observe(ctx, b.set, &in); err != nil {
			x.fail(ctx, c, shopadapter.Explain(err))
			return
		}
	}
	st, err := x.decide(ctx, b.set, &in)
	switch {
	case err != nil:
		x.Health.Stored(err)
		return
	case st.Do == publication.Read:
		x.reread(ctx, b.set, c, false)
		return
	case b.kind == byWhole && !b.details && x.Market.HasDetails() && st.MovedUnseen():
		x.reread(ctx, b.set, c, true)
		return
	}
	x.carryOut(ctx, b.set, in, st)
	x.Metrics.looks.Observe(time.Since(b.asked).Seconds())
}

// decide adds who holds the SKUs that the variants may get.
func (x *Engine) decide(
	ctx context.Context, set *publication.Settings, in *publication.Input,
) (st publication.Step, err error) {
	if skus := set.SKUs(in.Read); len(skus) > 0 {
		if in.Owners, err = x.Store.Owners(ctx, skus...); err != nil {
			return st, err
		}
	}
	return set.Decide(*in), nil
}

func (x *Engine) reread(ctx context.Context, set *publication.Settings, c *claim, details bool) {
	b := &batch{kind: byWhole, set: set, claims: []*claim{c}, details: details}
	defer b.release()
	err := x.buy(ctx, b)
	if err == nil {
		err = x.read(ctx, b)
	}
	if err != nil {
		x.unread(ctx, b, c, err)
		return
	}
	x.conclude(ctx, b, c)
}

// recovered is deferred. A panic counts as a failure of the publication.
func (x *Engine) recovered(ctx context.Context, c *claim) {
	if p := recover(); p != nil {
		x.fail(ctx, c, shopadapter.Retry("%s", x.Health.Recovered(p, "publication", c.mark.ID)))
	}
}

func (x *Engine) fail(ctx context.Context, c *claim, why *shopadapter.Error) {
	set, err := x.settings(ctx)
	if err != nil {
		x.Health.Stored(err)
		return
	}
	now, id := time.Now(), c.mark.ID
	x.tellProblem(id, why.Kind.String(), why.Error(), false)
	x.write(ctx, id, now, func(e *store.Entry) bool {
		set.Unreadable(e, x.input(c, now), why, now)
		return true
	})
}
