package look

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/worker/schedule"
	"github.com/pubsync/pubsync/store"
)

// byRecord makes the look of a claim whose record tells all that it needs, for no points, and ends
// the claim. ok is false where the marketplace must be asked.
func (l *Looks) byRecord(ctx context.Context, c schedule.Claim) (ok bool) {
	if !settled(c.Mark, c.Record) && !publication.Reprices(c.Mark) {
		return false
	}
	defer l.schedule.End(ctx, c)
	defer l.recovered(ctx, c)
	if settled(c.Mark, c.Record) {
		l.skip(ctx, c)
	} else {
		l.reprice(ctx, c)
	}
	return true
}

// settled reports whether a mark says nothing that has not been looked at since.
func settled(m store.Mark, r store.Record) bool {
	return publication.Needless(m, r) || publication.Figured(m, r)
}

// skip settles a look that needs no reading.
func (l *Looks) skip(ctx context.Context, c schedule.Claim) {
	now := time.Now()
	l.settler.write(ctx, c.Mark, c.Record, l.decider.Skip(c.Record, c.Mark, now), now)
}

// reprice makes prices and stock by the rules of now, of what the record keeps of the supplier's
// figures. Where that does not do, it is left to a reading.
func (l *Looks) reprice(ctx context.Context, c schedule.Claim) {
	asked, then := time.Now(), toReread
	d, ok := l.decider.Reprice(c.Record, c.Mark, asked)
	if ok && (d.Step == publication.Settle || l.carrier.restocks(ctx)) {
		d, then = l.carryOut(ctx, c.Mark, d, asked)
	}
	switch now := time.Now(); then {
	case toSettle:
		l.settler.settle(ctx, c.Mark, d, now)
	case toReread:
		l.settler.write(ctx, c.Mark, c.Record, l.decider.ReadLater(c.Record, c.Mark, now), now)
	default:
	}
}
