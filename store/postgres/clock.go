package postgres

import (
	"sync"
	"time"
)

// A clock tells how far the database's clock is ahead of this process's.
type clock struct {
	mu    sync.Mutex
	shift time.Duration
}

const (
	clockStep   = 2 * time.Second // a smaller difference is none, so that times seldom move
	clockWithin = time.Second     // an answer that takes longer does not tell the time
)

// saw learns what the database's clock showed during a request that was begun at a moment.
func (c *clock) saw(begun, now time.Time) {
	took := time.Since(begun)
	if took > clockWithin {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	shift := now.Sub(begun.Add(took / 2)).Round(time.Millisecond)
	if (shift - c.shift).Abs() > clockStep {
		if c.shift = shift; shift.Abs() < clockStep {
			c.shift = 0
		}
	}
}

// ahead is what is added to a time of this process to have it by the database's clock.
func (c *clock) ahead() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shift
}
