// Package look makes looks: each reads what the marketplace holds of a publication, has package
// publication decide, carries the step out in the shop, and settles. It may be cut short at any point
// without harm.
//
// [Looks.Look] makes the look of one claim from beginning to end. It goes by a reading: in full, of the
// figures of several publications, or of which of several exist (read.go). Where the record answers, it
// needs none. A step is carried out in carry.go, and its end written in settle.go.
package look

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/worker/schedule"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A batch is the claims whose publications one reading shows.
type batch struct {
	kind     kind
	set      *publication.Settings
	claims   []schedule.Claim // that have not ended
	admitted *marketplace.Admission
	asked    time.Time // when the reading began
	made     int       // looks that have been made
	details  bool      // of a reading in full: what the product itself says is read too, whatever led to it

	full    *marketplace.Publication       // shown by a reading in full; nil: it is gone
	figures map[string]marketplace.Figures // shown by a reading of figures
	light   map[string]*marketplace.Entry  // shown by a light reading; nil: it is gone
}

// Look makes the look of a claim, and of others that the same request reads. It ends their claims.
// What it has begun to read goes on under work.
func (l *Looks) Look(ctx, work context.Context, c schedule.Claim) {
	set, err := l.Settings(ctx)
	if err != nil {
		l.Health.StoreFailed(err)
		l.Schedule.End(work, c)
		return
	}
	if l.byRecord(work, set, c) {
		return
	}
	var paid *marketplace.Admission
	for ok := true; ok; {
		c, paid, ok = l.look(ctx, work, set, c, paid)
	}
}

// byRecord makes a look for which the record is enough, for no points, and ends the claim. ok is false
// where the marketplace must be asked.
func (l *Looks) byRecord(ctx context.Context, set *publication.Settings, c schedule.Claim) (ok bool) {
	if set.Needs(c.Record, c.Mark, false, "", time.Now()) != publication.NeedNothing || c.Mark.Class == store.ClassHint {
		return false
	}
	defer l.recovered(ctx, c)
	in := l.input(c, time.Now())
	st := set.Decide(in)
	if st.Do == publication.Read || st.Do == publication.Figures && !l.reprices(ctx) {
		l.readWhole(ctx, c.Mark)
		l.Schedule.End(ctx, c)
		return true
	}
	defer l.Schedule.End(ctx, c)
	l.carryOut(ctx, set, in, st)
	return true
}

// readWhole leaves what the record does not answer to a reading in full, behind what is more urgent.
func (l *Looks) readWhole(ctx context.Context, m store.Mark) {
	l.change(ctx, m.ID, func(e *store.Entry) bool {
		if e.Mark == nil || e.Mark.Gen != m.Gen {
			return false
		}
		e.Mark.Class = min(m.Class, store.ClassFull)
		if m.Class == store.ClassSweep { // else the record would answer again
			e.Mark.Seen = ""
		}
		return true
	})
}

// input is what a decision about a claim goes by, before anything is read.
func (l *Looks) input(c schedule.Claim, now time.Time) publication.Input {
	return publication.Input{Rec: c.Record, Mark: c.Decides(), Hint: c.Hint, Lists: l.Lists(), Now: now}
}

// look is Look where a reading is needed; paid may have been admitted for it already. Where ok is
// true, urgent has become more urgent than c meanwhile, and is to be looked at in its place.
func (l *Looks) look(
	ctx, work context.Context, set *publication.Settings, c schedule.Claim, paid *marketplace.Admission,
) (urgent schedule.Claim, still *marketplace.Admission, ok bool) {
	b := &batch{set: set, claims: []schedule.Claim{c}, admitted: paid}
	defer l.end(work, b)
	defer l.recovered(work, c)
	l.join(ctx, b)
	if err := l.admit(ctx, b); err != nil {
		l.unread(work, b, err)
		return urgent, nil, false
	}
	if urgent, ok = l.Schedule.Overtaking(ctx, c); ok {
		still, b.admitted = b.admitted, nil
		return urgent, still, true
	}
	if !l.refresh(work, b) {
		return urgent, nil, false
	}
	if err := l.read(work, b); err != nil {
		l.unread(work, b, err)
		return urgent, nil, false
	}
	for len(b.claims) > 0 && l.goesOn(work, b) {
		l.conclude(work, b, b.claims[0])
		b.drop(work, l.Schedule)
	}
	return urgent, nil, false
}

// unreported reports whether no report of a publication is under way.
func (l *Looks) unreported(id string) bool { return l.Reports.UnderWay(id) == nil }

// refresh brings a batch up to date after it waited for its points. While a report of the
// publication is under way the look waits, since the report moves updatedAt. Meanwhile it holds no
// points: the report may need them. ok is false where no publication is to be read.
func (l *Looks) refresh(ctx context.Context, b *batch) (ok bool) {
	if b.admitted == nil || len(b.claims) > 1 { // it has not waited, or others would wait with it
		return true
	}
	c := &b.claims[0]
	if reported := l.Reports.UnderWay(c.Mark.ID); reported != nil {
		b.release()
		select {
		case <-reported:
		case <-ctx.Done():
		}
		return false
	}
	// only now: a report that has ended since has left its echo in the record
	return l.renew(ctx, b, c)
}

// renew reads the record of a claim anew. Where its mark needs no reading any more, renew settles
// the look and returns false.
func (l *Looks) renew(ctx context.Context, b *batch, c *schedule.Claim) (ok bool) {
	e, err := l.Store.Get(ctx, c.Mark.ID)
	if err != nil {
		l.Health.StoreFailed(err)
		return false
	}
	c.Record = e.Record
	needs := b.set.Needs(c.Record, c.Mark, false, "", time.Now())
	if needs == publication.NeedNothing && c.Mark.Class == store.ClassSweep {
		in := l.input(*c, time.Now())
		l.carryOut(ctx, b.set, in, b.set.Decide(in))
		return false
	}
	return true
}

// goesOn reports whether the next look of a batch is to be made. A batch of figures has several,
// and each may take long. It ends early when a person waits for another publication, and while the
// shop cannot be used.
func (l *Looks) goesOn(ctx context.Context, b *batch) bool {
	if b.kind != byFigures && b.kind != byRefresh {
		return true
	}
	waits := b.made > 0 && l.Schedule.PersonWaits(ctx, b.claims)
	return ctx.Err() == nil && !waits && !l.ShopBreaker.Status(time.Now()).Open
}

// end ends the remaining claims of a batch.
func (l *Looks) end(ctx context.Context, b *batch) {
	b.release()
	if b.kind == byFigures {
		l.Schedule.GiveBack(ctx, b.claims)
		l.Schedule.EndFigures(ctx)
		return
	}
	for len(b.claims) > 0 {
		b.drop(ctx, l.Schedule)
	}
}

// drop ends the first claim of a batch.
func (b *batch) drop(ctx context.Context, s *schedule.Schedule) {
	s.End(ctx, b.claims[0])
	b.claims, b.made = b.claims[1:], b.made+1
}

// release gives back points that were not spent.
func (b *batch) release() {
	if b.admitted != nil {
		b.admitted.Release()
		b.admitted = nil
	}
}

// conclude decides about a publication that was read, carries the step out, and settles the look.
func (l *Looks) conclude(ctx context.Context, b *batch, c schedule.Claim) {
	defer l.recovered(ctx, c)
	in := l.input(c, b.asked)
	switch b.kind {
	case byEntry:
		if entry, answered := b.light[c.Mark.ID]; !answered || entry != nil {
			l.missing.Store(0)
			return
		}
		in.Gone = true
	case byFigures, byRefresh:
		if !l.takeFigures(ctx, b, &in) {
			l.reread(ctx, b.set, c, false)
			return
		}
	default:
		l.misread.forget(c.Mark.ID)
		l.countMissing(c.Mark, b.full)
		in.Read, in.Gone = b.full, b.full == nil
		if !b.details && l.Market.HasDetails() && publication.WantsDetails(c.Record, b.full) {
			l.reread(ctx, b.set, c, true)
			return
		}
		if b.full != nil {
			l.Directory.Categorize(ctx, b.full)
		}
	}
	if in.Mark.Class == store.ClassAsked && in.Lists {
		if err := l.observe(ctx, b.set, &in); err != nil {
			l.fail(ctx, c, shopadapter.Explain(err))
			return
		}
	}
	st, err := l.decide(ctx, b.set, &in)
	switch {
	case err != nil:
		l.Health.StoreFailed(err)
		return
	case st.Do == publication.Read:
		l.reread(ctx, b.set, c, false)
		return
	case b.kind == byWhole && !b.details && l.Market.HasDetails() && st.MovedUnseen():
		l.reread(ctx, b.set, c, true)
		return
	}
	l.carryOut(ctx, b.set, in, st)
	l.Metrics.Looked(time.Since(b.asked))
}

// decide decides with who holds the SKUs that the variants may be given.
func (l *Looks) decide(
	ctx context.Context, set *publication.Settings, in *publication.Input,
) (st publication.Step, err error) {
	if skus := set.SKUs(in.Read); len(skus) > 0 {
		if in.Owners, err = l.Store.Owners(ctx, skus...); err != nil {
			return st, err
		}
	}
	return set.Decide(*in), nil
}

// reread makes the look of a claim by a reading in full; details says that those are wanted.
func (l *Looks) reread(ctx context.Context, set *publication.Settings, c schedule.Claim, details bool) {
	b := &batch{kind: byWhole, set: set, claims: []schedule.Claim{c}, details: details}
	defer b.release()
	if err := l.admit(ctx, b); err != nil {
		l.unread(ctx, b, err)
		return
	}
	if !l.renew(ctx, b, &b.claims[0]) {
		return
	}
	if err := l.read(ctx, b); err != nil {
		l.unread(ctx, b, err)
		return
	}
	l.conclude(ctx, b, b.claims[0])
}

// recovered is deferred. It settles a panic as a failure of the one publication.
func (l *Looks) recovered(ctx context.Context, c schedule.Claim) {
	if p := recover(); p != nil {
		l.fail(ctx, c, shopadapter.Retry("%s", l.Health.Recovered(p, "publication", c.Mark.ID)))
	}
}

// fail settles a look that failed before anything was decided.
func (l *Looks) fail(ctx context.Context, c schedule.Claim, why *shopadapter.Error) {
	set, err := l.Settings(ctx)
	if err != nil {
		l.Health.StoreFailed(err)
		return
	}
	set = l.hurried(set)
	now, id := time.Now(), c.Mark.ID
	l.Metrics.Failed(why.Kind)
	l.Log.Warn("publication not settled", "publication", id, "kind", why.Kind.String(), "error", why.Error())
	l.write(ctx, id, now, func(e *store.Entry) bool {
		set.Unreadable(e, l.input(c, now), why, now)
		return true
	})
}
