package look

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/worker/schedule"
	"github.com/pubsync/pubsync/store"
)

// light is a reading of several new entries of the list that shows which of them exist. Those that
// do are read in full in their turn.
type light struct{ *Looks }

const (
	missingInARow = 10 // looks at new entries that do not exist, before others are read lightly
	mostLight     = 50 // entries of one light reading
)

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

// goesLightly reports whether a new entry is read lightly first.
func (l *Looks) goesLightly(c schedule.Claim) bool {
	return c.Mark.Class == store.ClassNew && l.missing.Load() >= missingInARow && publication.Unmade(c.Record)
}

// isUnmade reports whether nothing was ever sent to the shop for a claim.
func isUnmade(_ store.Mark, r store.Record) bool { return publication.Unmade(r) }

// admit waits for nothing: a light reading pays for itself.
func (light) admit(context.Context, *batch) error { return nil }

func (t light) read(ctx context.Context, b *batch) (err error) {
	ids := make([]string, len(b.claims))
	for i, c := range b.claims {
		ids[i] = c.Mark.ID
	}
	b.light, err = t.market.Look(ctx, marketplace.News, ids, false)
	return err
}

// unread has each entry read by itself, which shows what is wrong with it.
func (t light) unread(context.Context, *batch, error) { t.missing.Store(0) }

func (t light) decide(
	ctx context.Context, b *batch, c schedule.Claim,
) (d publication.Decision, again time.Time, then next) {
	if entry, answered := b.light[c.Mark.ID]; !answered || entry != nil {
		t.missing.Store(0)
		return d, again, nothing
	}
	return t.decideGone(ctx, b, c)
}
