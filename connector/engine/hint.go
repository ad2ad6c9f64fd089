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

// hints is what the looks and sweeps of unsigned webhooks may cost: a tenth of the restore rate, with one always
// allowed. What costs more is paid off before the next, and while one is under way the next waits for its cost.
// The zero value is ready.
type hints struct {
	mu   sync.Mutex
	free time.Time // when the last one is paid off
}

// wait is how long to wait for the budget, 0 where it is open; at most so long.
func (h *hints) wait(now time.Time, most time.Duration) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return min(max(h.free.Sub(now), 0), most)
}

func (h *hints) open(now time.Time) bool { return h.wait(now, time.Nanosecond) == 0 }

// begin takes the budget for one look at a time. It reports whether it could.
func (h *hints) begin(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now.Before(h.free) {
		return false
	}
	h.free = now.Add(callLasts) // or until its end
	return true
}

// end charges points at a restore rate in points per second.
func (h *hints) end(points, restoreRate float64, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.free = now
	if restoreRate > 0 && points > 0 {
		seconds := min(points/(restoreRate*unsignedShare), (24 * time.Hour).Seconds())
		h.free = now.Add(time.Duration(seconds * float64(time.Second)))
	}
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

func (w way) span() time.Duration {
	if w.signed {
		return publication.SignedGap
	}
	return publication.UnsignedGap
}

func wayOf(m store.Mark) way { return way{m.ID, m.Class != store.ClassHint} }

// byWebhook reports whether a mark is a webhook's that names the publication.
func byWebhook(m store.Mark) bool {
	return (m.Class == store.ClassHook || m.Class == store.ClassHint) && m.Tries == 0
}

// putOff is the time to which a look must be put off that only webhooks ask for, zero where it need not. The
// time that is left counts by the monotonic clock, and from now on: the wall clock may have been set back since.
func (g *gaps) putOff(m store.Mark, now time.Time) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := wayOf(m)
	last, known := g.last[w]
	if left := last.Add(w.span()).Sub(now); known && byWebhook(m) && left > 0 {
		return now.Add(left + time.Millisecond) // the store cuts times to milliseconds, which would be too soon
	}
	return time.Time{}
}

// begin records that a look begins, where a webhook led to it. What puts nothing off any more is dropped once a
// minute. The map is a new one then: an emptied map would keep its memory.
func (g *gaps) begin(m store.Mark, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.Sub(g.pruned) > publication.UnsignedGap {
		kept := map[way]time.Time{}
		for w, last := range g.last {
			if now.Sub(last) <= w.span() {
				kept[w] = last
			}
		}
		g.last, g.pruned = kept, now
	}
	if byWebhook(m) {
		g.last[wayOf(m)] = now
	}
}
