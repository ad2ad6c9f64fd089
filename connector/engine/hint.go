package engine

import (
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// unsignedShare is the part of the restore rate that the looks of unsigned webhooks may cost
// together.
const unsignedShare = 0.10

// A share is the budget of the looks and sweeps that unsigned webhooks lead to: a tenth of the restore
// rate, with one always allowed. What costs more is paid off before the next. The zero value is ready.
type share struct {
	mu       sync.Mutex
	free     time.Time // when the last look is paid off
	underWay bool      // a look whose cost is not known yet
}

// wait is how long to wait for the budget, 0 where it is open; at most so long, which it is while a look is
// under way: its end is signalled.
func (s *share) wait(now time.Time, most time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.underWay {
		return most
	}
	return min(max(s.free.Sub(now), 0), most)
}

func (s *share) open(now time.Time) bool { return s.wait(now, time.Nanosecond) == 0 }

// begin takes the budget for one look at a time. It reports whether it could.
func (s *share) begin(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.underWay || now.Before(s.free) {
		return false
	}
	s.underWay = true
	return true
}

func (s *share) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.underWay = false
}

// spend charges points at a restore rate in points per second.
func (s *share) spend(points, restoreRate float64, now time.Time) {
	if restoreRate <= 0 || points <= 0 {
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

// gaps remembers when webhooks last led to a look at each publication: the signed ones, and the others. The
// next such look is put off, never dropped. The zero value is ready.
type gaps struct {
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

type gap struct {
	last    time.Time // when the last look began that webhooks led to
	pending time.Time // when the next is to be made; zero: none is
}

// LookAt is the earliest time at which a webhook that has come may lead to a look.
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

// later is when the span is over since a moment. The time that is left counts by the monotonic clock, and from
// now on: the wall clock may have been set back since.
func (w way) later(last, now time.Time) time.Time {
	if left := last.Add(w.span()).Sub(now); !last.IsZero() && left > 0 {
		return now.Add(left)
	}
	return now
}

// putOff is the time to which a look must be put off that only webhooks ask for, zero where it need not.
func (g *gaps) putOff(m store.Mark, now time.Time) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := way{m.ID, m.Class != store.ClassHint}
	if at := w.later(g.known[w].last, now); byWebhook(m) && at.After(now) {
		return at.Add(time.Millisecond) // the store cuts times to milliseconds, which would be too soon
	}
	return time.Time{}
}

// byWebhook reports whether a mark is a webhook's that names the publication.
func byWebhook(m store.Mark) bool {
	return (m.Class == store.ClassHook || m.Class == store.ClassHint) && m.Tries == 0
}

// begin records that a look begins. It counts where a webhook led to it.
func (g *gaps) begin(m store.Mark, now time.Time) {
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
