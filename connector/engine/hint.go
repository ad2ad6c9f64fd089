package engine

import (
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

const unsignedShare = 0.10

// A share is the part of the restore rate that looks and sweeps by unsigned webhooks may cost. One is always
// allowed; its cost is paid off before the next.
type share struct {
	mu   sync.Mutex
	free time.Time // when the last is paid off
}

// wait returns how long the budget stays closed, at most most.
func (s *share) wait(now time.Time, most time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(max(s.free.Sub(now), 0), most)
}

func (s *share) open(now time.Time) bool { return s.wait(now, time.Nanosecond) == 0 }

// spend charges points at a restore rate per second, or gives some back.
func (s *share) spend(points, restoreRate float64, now time.Time) {
	if restoreRate <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free.Before(now) {
		s.free = now
	}
	seconds := min(points/(restoreRate*unsignedShare), (24 * time.Hour).Seconds())
	s.free = s.free.Add(time.Duration(seconds * float64(time.Second)))
}

// gaps remembers when signed and unsigned webhooks last led to a look. The next such look is put off, never
// dropped.
type gaps struct {
	none bool // no worker runs that webhooks could come to: what is put off would be left by a single run

	mu     sync.Mutex
	known  map[way]gap
	pruned time.Time
}

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

type gap struct {
	last    time.Time // when the last look by webhook began
	pending time.Time // when the next is due; zero: none
}

// LookAt returns when a webhook that has come may first lead to a look.
func (x *Engine) LookAt(id string, signed bool, now time.Time) time.Time {
	g, w := &x.gaps, way{id, signed}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.prune(now)
	next := g.known[w]
	next.pending = w.later(next.last, now)
	g.known[w] = next
	return next.pending
}

// later returns when the span since last is over. The rest of it counts by the monotonic clock: the wall clock
// may have been set back.
func (w way) later(last, now time.Time) time.Time {
	if left := last.Add(w.span()).Sub(now); !last.IsZero() && left > 0 {
		return now.Add(left)
	}
	return now
}

// putOff returns when a look by webhook may be made, zero if now.
func (g *gaps) putOff(m store.Mark, now time.Time) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := way{m.ID, m.Class != store.ClassHint}
	if at := w.later(g.known[w].last, now); byWebhook(m) && at.After(now) {
		return at.Add(time.Millisecond) // the store cuts times to milliseconds, which would be too soon
	}
	return time.Time{}
}

// byWebhook does not hold for a retry.
func byWebhook(m store.Mark) bool {
	return (m.Class == store.ClassHook || m.Class == store.ClassHint) && m.Tries == 0
}

// begin records a look if a webhook led to it or waits for it.
func (g *gaps) begin(m store.Mark, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.none {
		return
	}
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

// prune makes a new map, since an emptied one keeps its memory. The caller holds mu.
func (g *gaps) prune(now time.Time) {
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
