package vendure

import (
	"context"
	"sync"
)

// locks holds one lock for each name in use, so that two products with the same picture upload it
// once.
type locks struct {
	mu   sync.Mutex
	held map[string]*lock
}

type lock struct {
	turn  chan struct{}
	users int
}

func newLocks() *locks { return &locks{held: map[string]*lock{}} }

// acquire waits for the name; release gives it back. What was found out before is to be looked at
// again: an earlier holder may have done the work.
func (l *locks) acquire(ctx context.Context, name string) (release func(), err error) {
	l.mu.Lock()
	mine := l.held[name]
	if mine == nil {
		mine = &lock{turn: make(chan struct{}, 1)}
		l.held[name] = mine
	}
	mine.users++
	l.mu.Unlock()

	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if mine.users--; mine.users == 0 {
			delete(l.held, name)
		}
	}
	select {
	case mine.turn <- struct{}{}:
		return func() { <-mine.turn; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
