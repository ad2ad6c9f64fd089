package postgres

import (
	"sync"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A clock tells how far the database's clock is ahead of this process's. The marks of an account are
// made and read by several processes, whose clocks need not agree: so the time of a mark is stored by
// the database's clock, and is read by the process's own.
type clock struct {
	mu    sync.Mutex
	base  store.Instant // the database's clock
	at    time.Time     // by the monotonic clock, when the database's showed base; zero: it was not read
	shift store.Instant // what is added to a time of this process
}

const (
	clockStep   = 2000        // milliseconds; a smaller difference is none, so that times seldom move
	clockWithin = time.Second // an answer that takes longer does not tell the time
)

// selectClock is the database's clock in milliseconds, for the list of a select.
const selectClock = `(extract(epoch from clock_timestamp()) * 1000)::bigint`

// saw learns what the database's clock showed during a request that was begun at a moment.
func (c *clock) saw(begun time.Time, base int64) {
	took := time.Since(begun)
	if took > clockWithin {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.base, c.at = store.Instant(base), begun.Add(took/2)
}

// ahead is what is added to a time of this process to have it by the database's clock.
func (c *clock) ahead() store.Instant {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() {
		return 0
	}
	shift := c.base + store.Instant(time.Since(c.at).Milliseconds()) - store.At(time.Now())
	if d := shift - c.shift; d > clockStep || d < -clockStep {
		c.shift = shift
		if shift < clockStep && shift > -clockStep {
			c.shift = 0
		}
	}
	return c.shift
}

// moved is a time by a clock that is so far ahead. The times that stand for none and for never stay.
func moved(i, ahead store.Instant) store.Instant {
	if i <= 0 || i >= store.Latest/2 {
		return i
	}
	return max(i+ahead, 1)
}

// movedMark is a mark with its times by a clock that is so far ahead.
func movedMark(m store.Mark, ahead store.Instant) store.Mark {
	m.At, m.Hint = moved(m.At, ahead), moved(m.Hint, ahead)
	return m
}
