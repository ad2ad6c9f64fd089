package engine

import (
	"sync"
	"time"
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
