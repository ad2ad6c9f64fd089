package quota

import (
	"context"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Gaps remembers when webhooks last led to a look at each publication. The next such look is put
// off, never dropped.
type Gaps struct {
	mu       sync.Mutex
	signed   map[string]gap
	unsigned map[string]gap
	pruned   time.Time
}

// A gap is what is known of the looks that webhooks led to at one publication.
type gap struct {
	last    time.Time // when the last began
	pending time.Time // when the next is to be made; zero: none is
}

// NewGaps remembers nothing.
func NewGaps() *Gaps { return &Gaps{signed: map[string]gap{}, unsigned: map[string]gap{}} }

func (g *Gaps) of(signed bool) (known map[string]gap, span time.Duration) {
	if signed {
		return g.signed, publication.SignedGap
	}
	return g.unsigned, publication.UnsignedGap
}

// Next is the earliest time at which a webhook of this kind, which has come, may lead to a look.
func (g *Gaps) Next(id string, signed bool, now time.Time) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	known, span := g.of(signed)
	next := known[id]
	next.pending = later(next.last, span, now)
	known[id] = next
	return next.pending
}

// later is when a span is over since a moment. The time that is left counts by the monotonic clock, and
// from now on: the wall clock may have been set back since.
func later(last time.Time, span time.Duration, now time.Time) time.Time {
	if left := last.Add(span).Sub(now); !last.IsZero() && left > 0 {
		return now.Add(left)
	}
	return now
}

// PutOff is the time to which a look must be put off, zero where it need not. It puts off looks that
// only webhooks ask for.
func (g *Gaps) PutOff(m store.Mark, now time.Time) time.Time {
	if !byWebhook(m) {
		return time.Time{}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	known, span := g.of(m.Class != store.ClassHint)
	if at := later(known[m.ID].last, span, now); at.After(now) {
		return at.Add(time.Millisecond) // the store cuts times to milliseconds, which would be too soon
	}
	return time.Time{}
}

// byWebhook reports whether a mark is a webhook's that names the publication.
func byWebhook(m store.Mark) bool {
	return (m.Class == store.ClassHook || m.Class == store.ClassHint) && m.Tries == 0
}

// Begin records that a look begins. It counts where a webhook led to it.
func (g *Gaps) Begin(m store.Mark, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, signed := range []bool{true, false} {
		known, _ := g.of(signed)
		one := known[m.ID]
		waited := !one.pending.IsZero() && !one.pending.After(now)
		if waited || byWebhook(m) && signed == (m.Class != store.ClassHint) {
			known[m.ID] = gap{last: now}
		}
	}
	g.prune(now)
}

// Forget drops the looks that put nothing off any more. Begin does that too; Forget is for times
// without looks.
func (g *Gaps) Forget(now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.prune(now)
}

func (g *Gaps) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.signed) + len(g.unsigned)
}

// prune drops old looks once a minute. The caller holds mu.
func (g *Gaps) prune(now time.Time) {
	if now.Sub(g.pruned) > publication.UnsignedGap {
		g.pruned = now
		g.signed = since(g.signed, now.Add(-publication.SignedGap))
		g.unsigned = since(g.unsigned, now.Add(-publication.UnsignedGap))
	}
}

// since is a new map of the gaps not before least: an emptied map would keep its memory.
func since(m map[string]gap, least time.Time) map[string]gap {
	kept := map[string]gap{}
	for id, one := range m {
		if !one.last.Before(least) || !one.pending.Before(least) {
			kept[id] = one
		}
	}
	return kept
}

// Run drops old looks until ctx ends.
func (g *Gaps) Run(ctx context.Context) {
	ticker := time.NewTicker(publication.UnsignedGap)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			g.Forget(now)
		}
	}
}
