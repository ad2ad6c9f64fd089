package quota

import (
	"sync"
	"time"
)

// unsignedShare is the part of the restore rate that the looks of unsigned webhooks may cost
// together.
const unsignedShare = 0.10

// A Share is the budget of the looks that unsigned webhooks lead to: a tenth of the restore rate,
// with one look always allowed. A look that costs more is paid off before the next. The zero value
// is ready.
type Share struct {
	mu       sync.Mutex
	free     time.Time // when the last look is paid off
	underWay bool      // a look whose cost is not known yet
}

func (s *Share) Open(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.underWay && !now.Before(s.free)
}

// Begin records that a look of an unsigned webhook has begun. One may be under way at a time.
func (s *Share) Begin() { s.set(true) }

func (s *Share) End() { s.set(false) }

func (s *Share) set(underWay bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.underWay = underWay
}

// Overdrawn is how long the budget is overdrawn, 0 when it is not.
func (s *Share) Overdrawn(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(s.free.Sub(now), 0)
}

// Wait is how long to wait for the budget: most while a look is under way, since its end is
// signalled.
func (s *Share) Wait(now time.Time, most time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.underWay {
		return most
	}
	return min(max(s.free.Sub(now), time.Millisecond), most)
}

// Spend charges points at a restore rate in points per second.
func (s *Share) Spend(points, restoreRate float64, now time.Time) {
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
