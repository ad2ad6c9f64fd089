// Package look makes looks: each reads what the marketplace holds of a publication, has package
// publication decide, carries the decision out in the shop, and settles. It may be cut short at any
// point without harm.
//
// [Looks.Look] makes the look of one claim from beginning to end. It goes by a reading: in full
// (full.go), of the figures of several publications (figures.go), or of which of several exist
// (light.go). A look by the record alone needs no reading (record.go). A decision is carried out in
// carry.go and settled in settle.go.
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

// A reading gets from the marketplace what the looks of a batch go by.
type reading interface {
	// admit waits until there are points for the reading. It gives back the claims that the reading
	// has no room for.
	admit(ctx context.Context, b *batch) error
	// read finds out what the marketplace holds of the publications.
	read(ctx context.Context, b *batch) error
	// unread deals with the publications where admit or read failed.
	unread(ctx context.Context, b *batch, err error)
	// decide is the first decision about a publication that was read. again is when to look at it
	// once more, zero for never.
	decide(ctx context.Context, b *batch, c schedule.Claim) (d publication.Decision, again time.Time, then next)
}

// A batch is the claims whose publications one reading shows.
type batch struct {
	reading
	claims   []schedule.Claim // that have not ended
	admitted *marketplace.Admission
	asked    time.Time // when the reading began
	made     int       // looks that have been made
	details  bool      // of a reading in full: what the product itself says is read too, whatever led to it

	full    *marketplace.Publication       // shown by a reading in full; nil: it is gone
	figures map[string]marketplace.Figures // shown by a reading of figures
	light   map[string]*marketplace.Entry  // shown by a light reading; nil: it is gone
}

// next is what is to be done next in a look.
type next int

const (
	nothing    next = iota // the mark stays, or has been put off
	toCarryOut             // the decision has steps
	toSettle               // the decision is to be made durable
	toReread               // more of the publication must be read
)

// Look makes the look of a claim, and of others that the same request reads. It ends their claims.
// What it has begun to read goes on under work.
func (l *Looks) Look(ctx, work context.Context, c schedule.Claim) {
	if l.byRecord(work, c) {
		return
	}
	var paid *marketplace.Admission
	for ok := true; ok; {
		c, paid, ok = l.look(ctx, work, c, paid)
	}
}

// look is Look where a reading is needed; paid may have been admitted for it already. Where ok is
// true, urgent has become more urgent than c meanwhile, and is to be looked at in its place.
func (l *Looks) look(
	ctx, work context.Context, c schedule.Claim, paid *marketplace.Admission,
) (urgent schedule.Claim, still *marketplace.Admission, ok bool) {
	b := &batch{claims: []schedule.Claim{c}, admitted: paid}
	defer l.end(work, b)
	defer l.recovered(work, c)
	l.join(ctx, b)
	if err := b.admit(ctx, b); err != nil {
		b.unread(work, b, err)
		return urgent, nil, false
	}
	if urgent, ok = l.schedule.Overtaking(ctx, c); ok {
		still, b.admitted = b.admitted, nil
		return urgent, still, true
	}
	if !l.refresh(work, b) {
		return urgent, nil, false
	}
	if err := l.read(work, b); err != nil {
		b.unread(work, b, err)
		return urgent, nil, false
	}
	for len(b.claims) > 0 && l.goesOn(work, b) {
		l.conclude(work, b, b.claims[0])
		b.drop(work, l.schedule)
	}
	return urgent, nil, false
}

// join chooses the reading that the claim of a batch asks for, and claims others that may be read
// with it.
func (l *Looks) join(ctx context.Context, b *batch) {
	c := b.claims[0]
	switch {
	case l.goesByFigures(ctx, c):
		b.reading = figures{l}
		b.release()
		b.claims = append(b.claims, l.schedule.Join(ctx, c, mostFigured-1, l.unreported, l.figuresFit)...)
	case l.refreshFits(c.Mark, c.Record) && l.unreported(c.Mark.ID):
		b.reading = refresh{figures{l}}
		b.release()
		b.claims = append(b.claims, l.schedule.Join(ctx, c, mostFigured-1, l.unreported, l.refreshFits)...)
	case l.goesLightly(c):
		b.reading = light{l}
		b.release()
		b.claims = append(b.claims, l.schedule.Join(ctx, c, mostLight-1, l.unreported, isUnmade)...)
	default:
		b.reading = full{l}
	}
}

// unreported reports whether no report of a publication is under way.
func (l *Looks) unreported(id string) bool { return l.reports.UnderWay(id) == nil }

// refresh brings a batch up to date after it waited for its points. While a report of the
// publication is under way the look waits, since the report moves updatedAt. Meanwhile it holds no
// points: the report may need them. ok is false where no publication is to be read.
func (l *Looks) refresh(ctx context.Context, b *batch) (ok bool) {
	if b.admitted == nil || len(b.claims) > 1 { // it has not waited, or others would wait with it
		return true
	}
	c := &b.claims[0]
	if reported := l.reports.UnderWay(c.Mark.ID); reported != nil {
		b.release()
		select {
		case <-reported:
		case <-ctx.Done():
		}
		return false
	}
	// only now: a report that has ended since has left its echo in the record
	return l.renew(ctx, c)
}

// renew reads the record of a claim anew. Where its mark needs no reading any more, renew settles
// the look and returns false.
func (l *Looks) renew(ctx context.Context, c *schedule.Claim) (ok bool) {
	e, err := l.store.Get(ctx, c.Mark.ID)
	if err != nil {
		l.health.StoreFailed(err)
		return false
	}
	c.Record = e.Record
	if publication.Needless(c.Mark, c.Record) {
		l.skip(ctx, *c)
		return false
	}
	return true
}

// goesOn reports whether the next look of a batch is to be made. A batch of figures has several,
// and each may take long. It ends early when a person waits for another publication, and while the
// shop cannot be used.
func (l *Looks) goesOn(ctx context.Context, b *batch) bool {
	switch b.reading.(type) {
	case figures, refresh:
	default:
		return true
	}
	waits := b.made > 0 && l.schedule.PersonWaits(ctx, b.claims)
	return ctx.Err() == nil && !waits && !l.carrier.paused()
}

// end ends the remaining claims of a batch.
func (l *Looks) end(ctx context.Context, b *batch) {
	b.release()
	if _, ok := b.reading.(figures); ok {
		l.schedule.GiveBack(ctx, b.claims)
		l.schedule.EndFigures(ctx)
		return
	}
	for len(b.claims) > 0 {
		b.drop(ctx, l.schedule)
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

// read reads the batch, and counts what that costs.
func (l *Looks) read(ctx context.Context, b *batch) error {
	var cost marketplace.Meter
	b.asked = time.Now()
	for _, c := range b.claims {
		l.schedule.Begin(c.Mark, b.asked)
	}
	err := b.read(marketplace.Metered(ctx, &cost), b)
	l.schedule.Spent(b.claims[0].Mark, cost.Points(), time.Now())
	if err == nil {
		ids := make([]string, len(b.claims))
		for i, c := range b.claims {
			ids[i] = c.Mark.ID
		}
		l.breaker.Succeed(time.Now(), ids...)
	}
	return err
}

// conclude decides about a publication that was read, carries the decision out, and settles the
// look.
func (l *Looks) conclude(ctx context.Context, b *batch, c schedule.Claim) {
	defer l.recovered(ctx, c)
	d, again, then := b.decide(ctx, b, c)
	if then == nothing {
		return
	}
	if then == toCarryOut {
		d, then = l.carryOut(ctx, c.Mark, d, b.asked)
	}
	switch then {
	case toReread:
		l.reread(ctx, c, b.details)
		return
	case toSettle:
		if !b.details && l.market.HasDetails() && d.MovedUnseen() {
			l.reread(ctx, c, true)
			return
		}
		l.settler.settle(ctx, c.Mark, d, time.Now())
	default:
	}
	if !again.IsZero() {
		l.settler.mark(ctx, store.Mark{
			ID: c.Mark.ID, Class: store.ClassHook, Cause: store.CauseSigned, At: store.At(again),
		})
	}
	l.metrics.Looked(time.Since(b.asked))
}

// reread makes the look of a claim by a reading in full; details says that those are wanted.
func (l *Looks) reread(ctx context.Context, c schedule.Claim, details bool) {
	b := &batch{reading: full{l}, claims: []schedule.Claim{c}, details: details}
	defer b.release()
	if err := b.admit(ctx, b); err != nil {
		b.unread(ctx, b, err)
		return
	}
	if !l.renew(ctx, &b.claims[0]) {
		return
	}
	if err := l.read(ctx, b); err != nil {
		b.unread(ctx, b, err)
		return
	}
	l.conclude(ctx, b, b.claims[0])
}

// carryOut carries out a decision and those that follow from it, until the look is to be settled or
// read in full.
func (l *Looks) carryOut(
	ctx context.Context, m store.Mark, d publication.Decision, asked time.Time,
) (publication.Decision, next) {
	d, left := l.carrier.carryOut(ctx, d)
	switch left.why {
	case done:
		return d, toSettle
	case needsWhole:
		return d, toReread
	case paused:
		l.settler.retryAt(ctx, m, left.until)
	case stopped:
		l.settler.stop(ctx, m, d, time.Since(asked))
	default:
	}
	return d, nothing
}

// recovered is deferred. It settles a panic as a failure of the one publication.
func (l *Looks) recovered(ctx context.Context, c schedule.Claim) {
	if p := recover(); p != nil {
		l.fail(ctx, c.Mark, shopadapter.Retry("%s", l.health.Recovered(p, "publication", c.Mark.ID)))
	}
}

// fail settles a look that failed before it had a decision.
func (l *Looks) fail(ctx context.Context, m store.Mark, failure *shopadapter.Error) {
	e, err := l.store.Get(context.WithoutCancel(ctx), m.ID)
	if err != nil {
		l.health.StoreFailed(err)
		return
	}
	now := time.Now()
	l.settler.settle(ctx, m, l.decider.Decide(e.Record, m, publication.Seen{Err: failure, At: now}), now)
}
