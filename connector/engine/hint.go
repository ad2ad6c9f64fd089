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
	last   map[way]time.Time
	pruned time.Time
}

// A way is that of webhooks of one kind to one publication.
type way struct {
	id     string
	signed bool
}

// wayOf is the way that led to a mark; ok is false where no webhook did, or a look has met an error since.
func wayOf(m store.Mark) (w way, ok bool) {
	// a signed webhook that names its product alone leads to a mark of the class of what a list finds
	signed := m.Class == store.ClassHook || m.Class == store.ClassSweep && m.Seen == ""
	return way{m.ID, signed}, (signed || m.Class == store.ClassHint) && m.Tries == 0
}

func (w way) span() time.Duration {
	if w.signed {
		return publication.SignedGap
	}
	return publication.UnsignedGap
}

// putOff is the time to which a look must be put off, zero where it need not. The time that is left counts by
// the monotonic clock, and from now on: the wall clock may have been set back since.
func (g *gaps) putOff(m store.Mark, now time.Time) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	w, ok := wayOf(m)
	last, known := g.last[w]
	if left := last.Add(w.span()).Sub(now); ok && known && left > 0 {
		return now.Add(left + time.Millisecond) // the store cuts times to milliseconds, which would be too soon
	}
	return time.Time{}
}

// begin records that a look begins. It counts where a webhook led to it. What puts nothing off any more is
// dropped once a minute: into a new map, since an emptied one would keep its memory.
func (g *gaps) begin(m store.Mark, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.Sub(g.pruned) > publication.UnsignedGap {
		kept := map[way]time.Time{}
		for w, last := range g.last {
			if now.Sub(last) < w.span() {
				kept[w] = last
			}
		}
		g.last, g.pruned = kept, now
	}
	if w, ok := wayOf(m); ok {
		g.last[w] = now
	}
}
