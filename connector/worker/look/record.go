package look

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/worker/schedule"
	"github.com/pubsync/pubsync/store"
)

// byRecord makes a look for which the record is enough, for no points, and ends the claim. ok is
// false where the marketplace must be asked.
func (l *Looks) byRecord(ctx context.Context, c schedule.Claim) (ok bool) {
	if !lookedAt(c.Mark, c.Record) && !publication.Reprices(c.Mark) {
		return false
	}
	defer l.schedule.End(ctx, c)
	defer l.recovered(ctx, c)
	if lookedAt(c.Mark, c.Record) {
		l.skip(ctx, c)
	} else {
		l.reprice(ctx, c)
	}
	return true
}

// lookedAt reports whether all that a mark asks for has been looked at since.
func lookedAt(m store.Mark, r store.Record) bool {
	return publication.Needless(m, r) || publication.Figured(m, r)
}

// skip settles a look that needs no reading.
func (l *Looks) skip(ctx context.Context, c schedule.Claim) {
	now := time.Now()
	l.settler.write(ctx, c.Mark, c.Record, l.decider.Skip(c.Record, c.Mark, now), now)
}

// reprice applies the present rules of prices and stock to the figures that the record keeps. Where
// that is not enough, it leaves the publication to a reading.
func (l *Looks) reprice(ctx context.Context, c schedule.Claim) {
	asked, then := time.Now(), toReread
	d, ok := l.decider.Reprice(c.Record, c.Mark, asked)
	if ok && (d.Step == publication.Settle || l.carrier.reprices(ctx)) {
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
