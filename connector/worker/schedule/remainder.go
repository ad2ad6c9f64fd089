package schedule

import (
	"sync"
	"time"
)

// A share gives half the points of all looks to the remainders that have waited for
// [publication.RemainderMost], while other looks are due too. It counts points, not looks: a look
// at a remainder costs several times a look at figures, and every second look would leave little
// for prices and stock.
type share struct {
	mu    sync.Mutex
	ahead float64   // points that remainders have had more than all other looks
	again time.Time // there was no such remainder: until then none is searched for, and nothing is counted
}

// remainderPause is how long no late remainder is searched for after none was found.
const remainderPause = time.Minute

// open reports whether the next look may be at a late remainder.
func (s *share) open(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ahead <= 0 && !now.Before(s.again)
}

// none records that there is no late remainder.
func (s *share) none(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead, s.again = 0, now.Add(remainderPause)
}

// spent counts the points of a look at a remainder, or at something else.
func (s *share) spent(points float64, remainder bool, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case now.Before(s.again):
	case remainder:
		s.ahead += points
	default:
		s.ahead -= points
	}
}
