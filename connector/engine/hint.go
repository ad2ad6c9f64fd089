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
	last   map[way]time.Time // by the monotonic clock: the wall clock may be set back
	pruned time.Time
}

// A way is that of webhooks of one kind to one publication.
type way struct {
	id     string
	signed bool
}

// over is when the gap is over that a mark of webhooks waits for; zero where it need not wait.
func (g *gaps) over(m store.Mark) time.Time {
	w := way{m.ID, m.Class != store.ClassHint}
	g.mu.Lock()
	defer g.mu.Unlock()
	if left := w.span() - time.Since(g.last[w]); byWebhook(m) && left > 0 {
		return time.Now().Add(left + time.Millisecond) // the store cuts times to milliseconds, which would be too soon
	}
	return time.Time{}
}

func (w way) span() time.Duration {
	if w.signed {
		return publication.SignedGap
	}
	return publication.UnsignedGap
}

// byWebhook reports whether a mark is a webhook's that names the publication.
func byWebhook(m store.Mark) bool {
	return (m.Class == store.ClassHook || m.Class == store.ClassHint) && m.Tries == 0
}

// begin records that a look begins that webhooks led to. Once a minute it drops what puts nothing off any more; the map
// is a new one, since an emptied map would keep its memory.
func (g *gaps) begin(m store.Mark) {
	if !byWebhook(m) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.last == nil || time.Since(g.pruned) > publication.UnsignedGap {
		kept := map[way]time.Time{}
		for w, at := range g.last {
			if time.Since(at) < w.span() {
				kept[w] = at
			}
		}
		g.last, g.pruned = kept, time.Now()
	}
	g.last[way{m.ID, m.Class != store.ClassHint}] = time.Now()
}

// LookAt is when a webhook that has come may lead to a look: the worker puts it off.
func (x *Engine) LookAt(_ string, _ bool, now time.Time) time.Time { return now }
