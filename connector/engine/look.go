package engine

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A batch is the publications that one reading shows: at first those that its points are bought for, and then
// those that were claimed.
type batch struct {
	kind     readingKind
	set      *publication.Settings
	claims   []claim
	admitted *marketplace.Admission
	asked    time.Time // when the reading began
	details  bool      // of a reading in full: what the product itself says is read too, whatever led to it

	full    *marketplace.Publication       // shown by a reading in full; nil: it is gone
	figures map[string]marketplace.Figures // shown by a reading of figures
}

func (b *batch) release() {
	if b.admitted != nil {
		b.admitted.Release()
		b.admitted = nil
	}
}

// look buys the points of the look that first needs, with others that the same request reads. Then it claims what
// is most urgent by now, which may be another, and looks at it. What it has begun to read goes on under going. It
// may be cut short at any point without harm. The error is the store's.
func (x *Engine) look(ctx, going context.Context, first claim) error {
	set, err := x.settings(ctx)
	if err != nil {
		return err
	}
	b := &batch{set: set, kind: x.kindOf(ctx, set, first), claims: []claim{first}}
	defer b.release()
	defer x.recovered(going, first)
	if b.kind == byFigures {
		x.join(ctx, b)
	}
	unbought := x.buy(ctx, b)
	if unbought != nil && (ctx.Err() != nil || errors.Is(unbought, errOutOfPatience)) {
		return nil
	}
	if b.claims, err = x.claimAll(going, b, unbought); err == nil && len(b.claims) > 0 {
		x.lookAt(going, b, unbought)
	}
	for _, c := range b.claims {
		x.end(c.mark)
	}
	return err
}

// lookAt looks at what was claimed, and takes off b what it ends. unbought is why its points could not be bought:
// that is the fault of the publication, or of the marketplace.
func (x *Engine) lookAt(ctx context.Context, b *batch, unbought error) {
	c := b.claims[0]
	defer x.recovered(ctx, c)
	if unbought == nil && (b.kind == byRecord || b.kind == byWhole && needsNothing(b.set, c)) {
		b.release()
		x.lookByRecord(ctx, b.set, c)
		return
	}
	if unbought == nil {
		unbought = x.read(ctx, b)
	}
	if unbought != nil {
		x.unread(ctx, b, unbought)
		return
	}
	for first := true; len(b.claims) > 0; first = false {
		c := b.claims[0]
		if first || ctx.Err() == nil && !x.ShopSide.Status(time.Now()).Open { // each may take long
			x.conclude(ctx, b, c)
		}
		x.end(c.mark)
		b.claims = b.claims[1:]
	}
}

// lookByRecord makes a look for which the record is enough, for no points.
func (x *Engine) lookByRecord(ctx context.Context, set *publication.Settings, c claim) {
	in := x.input(c, time.Now())
	st := set.Decide(in)
	short := st.Do == publication.Figures && !x.info(ctx).Figures // the shop takes no figures alone
	if short && x.recorder != nil {
		x.recorder.reads(in.Rec.ID) // a plan shows the new figures all the same, for no points
		short = false
	}
	if short || st.Do == publication.Read {
		x.readWhole(ctx, c.mark)
	} else {
		x.carryOut(ctx, set, in, st)
	}
}

// readWhole leaves what the record does not answer to a reading in full, behind what is more urgent.
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

// input is what a decision about a claim goes by, before anything is read.
func (x *Engine) input(c claim, now time.Time) publication.Input {
	return publication.Input{Rec: c.record, Mark: c.decides(), Hint: c.hint, Lists: x.lists(), Now: now}
}

// conclude decides about a publication that was read, carries the step out, and settles the look.
func (x *Engine) conclude(ctx context.Context, b *batch, c claim) {
	defer x.recovered(ctx, c)
	in := x.input(c, b.asked)
	if b.kind == byFigures {
		if !x.takeFigures(ctx, b, &in) {
			x.reread(ctx, b.set, c, false)
			return
		}
	} else {
		x.wasRead(c.mark.ID)
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
		x.Health.StoreFailed(err)
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

// decide decides with who holds the SKUs that the variants may be given.
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

// reread makes the look of a claim by a reading in full; details says that those are wanted.
func (x *Engine) reread(ctx context.Context, set *publication.Settings, c claim, details bool) {
	b := &batch{kind: byWhole, set: set, claims: []claim{c}, details: details}
	defer b.release()
	err := x.buy(ctx, b)
	if err == nil { // a report may have ended meanwhile, and has left its echo in the record
		e, failed := x.Store.Get(ctx, c.mark.ID)
		if failed != nil {
			x.Health.StoreFailed(failed)
			return
		}
		b.claims[0].record = e.Record
		err = x.read(ctx, b)
	}
	if err != nil {
		x.unread(ctx, b, err)
		return
	}
	x.conclude(ctx, b, b.claims[0])
}

// recovered is deferred. It settles a panic as a failure of the one publication.
func (x *Engine) recovered(ctx context.Context, c claim) {
	if p := recover(); p != nil {
		x.fail(ctx, c, shopadapter.Retry("%s", x.Health.Recovered(p, "publication", c.mark.ID)))
	}
}

func (x *Engine) fail(ctx context.Context, c claim, why *shopadapter.Error) {
	set, err := x.settings(ctx)
	if err != nil {
		x.Health.StoreFailed(err)
		return
	}
	now, id := time.Now(), c.mark.ID
	x.Metrics.failed(why.Kind)
	x.Logger.Warn("publication not settled", "publication", id, "kind", why.Kind.String(), "error", why.Error())
	x.write(ctx, id, now, func(e *store.Entry) bool {
		set.Unreadable(e, x.input(c, now), why, now)
		return true
	})
}
