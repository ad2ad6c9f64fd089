package worker

import (
	"sync"
	"time"
)

// A restShare gives the rests of changes that have waited for [publication.RestMost] half the
// points of all looks while other looks are due too. It counts points, since a look at a rest costs
// several times a look at figures: that of one publication in two would leave prices and stock
// little.
type restShare struct {
	mu    sync.Mutex
	ahead float64   // points that rests have had more than all else
	again time.Time // there was none that had waited so long: none is looked for sooner, and nothing counted
}

// restPause is how long none is looked for where there was none.
const restPause = time.Minute

// open reports whether a look is theirs now.
func (s *restShare) open(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ahead <= 0 && !now.Before(s.again)
}

// none notes that there is none.
func (s *restShare) none(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead, s.again = 0, now.Add(restPause)
}

// spent counts the points of a look, which was one at a rest or at something else.
func (s *restShare) spent(points float64, rest bool, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case now.Before(s.again):
	case rest:
		s.ahead += points
	default:
		s.ahead -= points
	}
}
