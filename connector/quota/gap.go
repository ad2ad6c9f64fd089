// Package quota bounds how often webhooks lead to looks.
package quota

import (
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Gaps remembers when webhooks last led to a look at each publication. The next such look is put off, never
// dropped.
type Gaps struct {
	mu     sync.Mutex
	known  map[way]gap
	pruned time.Time
}

// A way is that of webhooks of one kind to one publication.
type way struct {
	id     string
	signed bool
}

func (w way) span() time.Duration {
	if w.signed {
		return publication.SignedGap
	}
	return publication.UnsignedGap
}

// A gap is what is known of the looks that webhooks of a way led to.
type gap struct {
	last    time.Time // when the last began
	pending time.Time // when the next is to be made; zero: none is
}

// NewGaps remembers nothing.
func NewGaps() *Gaps { return &Gaps{known: map[way]gap{}} }

// Next is the earliest time at which a webhook of this kind, which has come, may lead to a look.
func (g *Gaps) Next(id string, signed bool, now time.Time) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.prune(now)
	w := way{id, signed}
	next := g.known[w]
	next.pending = later(next.last, w.span(), now)
	g.known[w] = next
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

// PutOff is the time to which a look must be put off, zero where it need not. It puts off looks that only
// webhooks ask for.
func (g *Gaps) PutOff(m store.Mark, now time.Time) time.Time {
	if !byWebhook(m) {
		return time.Time{}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	w := way{m.ID, m.Class != store.ClassHint}
	if at := later(g.known[w].last, w.span(), now); at.After(now) {
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
	g.prune(now)
	for _, signed := range []bool{true, false} {
		w := way{m.ID, signed}
		one := g.known[w]
		waited := !one.pending.IsZero() && !one.pending.After(now)
		if waited || byWebhook(m) && signed == (m.Class != store.ClassHint) {
			g.known[w] = gap{last: now}
		}
	}
}

// prune drops what puts nothing off any more, once a minute. The map is a new one: an emptied map would keep
// its memory. The caller holds mu.
func (g *Gaps) prune(now time.Time) {
	if now.Sub(g.pruned) <= publication.UnsignedGap {
		return
	}
	kept := map[way]gap{}
	for w, one := range g.known {
		if least := now.Add(-w.span()); !one.last.Before(least) || !one.pending.Before(least) {
			kept[w] = one
		}
	}
	g.known, g.pruned = kept, now
}
