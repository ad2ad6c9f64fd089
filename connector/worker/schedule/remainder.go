package schedule

import (
	"sync"
	"time"
)

// A share gives the remainders of changes that have waited for [publication.RemainderMost] half the
// points of all looks while other looks are due too. It counts points, since a look at a remainder
// costs several times a look at figures: that of one publication in two would leave prices and
// stock little.
type share struct {
	mu    sync.Mutex
	ahead float64   // points that remainders have had more than all else
	again time.Time // there was none that had waited so long: none is looked for sooner, and nothing counted
}

// remainderPause is how long none is looked for where there was none.
const remainderPause = time.Minute

// open reports whether a look is theirs now.
func (s *share) open(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ahead <= 0 && !now.Before(s.again)
}

// none records that there is none.
func (s *share) none(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead, s.again = 0, now.Add(remainderPause)
}

// spent counts the points of a look, which was one at a remainder or at something else.
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
