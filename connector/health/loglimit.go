package health

import (
	"sync"
	"time"
)

// logGap is the least time between two warnings of one kind that a stranger can provoke.
const logGap = time.Minute

// A LogLimiter lets one warning of a kind through a minute, and counts the others. The zero value
// lets the first one through.
type LogLimiter struct {
	mu     sync.Mutex
	next   time.Time
	untold int
}

// Allow reports whether to warn now, and how many warnings were left out since the last.
func (l *LogLimiter) Allow(now time.Time) (untold int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Before(l.next) {
		l.untold++
		return 0, false
	}
	untold, l.untold, l.next = l.untold, 0, now.Add(logGap)
	return untold, true
}
