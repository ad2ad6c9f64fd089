package engine

import (
	"maps"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

const unsignedShare = 0.10

// A share is the part of the restore rate that looks and sweeps by unsigned webhooks may cost. One is always
// allowed; its cost is paid off before the next.
type share struct {
	mu       sync.Mutex
	free     time.Time // when the last is paid off
	underWay bool      // a look whose cost is not known yet
}

// wait returns how long the budget stays closed, at most most. During a look it returns most, since the end is
// signalled.
func (s *share) wait(now time.Time, most time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.underWay {
		return most
	}
	return min(max(s.free.Sub(now), 0), most)
}

func (s *share) open(now time.Time) bool { return s.wait(now, time.Nanosecond) == 0 }

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

// spend charges points at a restore rate per second.
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

// gaps remembers when signed and unsigned webhooks last led to a look. The next such look is put off, never
// dropped. The engine's mutex guards them.
type gaps map[way]time.Time

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

// putOff returns when a look by webhook may be made, zero if now. The rest of the span counts by the monotonic clock:
// the wall clock may have been set back.
func (g gaps) putOff(m store.Mark, now time.Time) time.Time {
	signed, is := publication.ByWebhook(m)
	w := way{m.ID, signed}
	if left := g[w].Add(w.span()).Sub(now); is && left > 0 {
		return now.Add(left + time.Millisecond) // the store cuts times to milliseconds, which would be too soon
	}
	return time.Time{}
}

// begin records a look that a webhook led to.
func (g gaps) begin(m store.Mark, now time.Time) {
	if signed, is := publication.ByWebhook(m); is {
		maps.DeleteFunc(g, func(w way, last time.Time) bool { return now.Sub(last) > w.span() })
		g[way{m.ID, signed}] = now
	}
}
