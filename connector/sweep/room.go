package sweep

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
)

// errMadeRoom interrupts an enumeration: a sweep of what changed goes first.
var errMadeRoom = errors.New("the enumeration makes room for a sweep of what changed")

// leastTurn is how long a part of an enumeration goes on even while sweeps wait: else it would
// never list a page.
const leastTurn = 5 * time.Second

// alone runs f while no sweep is under way: sweeps, and the judging of what they found, never
// overlap.
func (s *Sweeper) alone(ctx context.Context, f func()) {
	select {
	case s.sweeping <- struct{}{}:
		defer func() { <-s.sweeping }()
		f()
	case <-ctx.Done():
	}
}

// aloneSoon is alone for a sweep of what changed: an enumeration under way makes room for it.
func (s *Sweeper) aloneSoon(ctx context.Context, f func()) {
	s.waiting.Add(1)
	s.queue.asked.Raise()
	began := false
	s.alone(ctx, func() {
		s.waiting.Add(-1)
		began = true
		f()
	})
	if !began {
		s.waiting.Add(-1)
	}
}

// wanted reports whether another sweep of what changed is to be made now.
func (s *Sweeper) wanted() bool {
	_, _, ok := s.queue.next(time.Now(), s.hints, Changes, Hinted)
	return ok || s.waiting.Load() > 0
}

// untilWanted is a context that ends when a sweep of what changed waits for this enumeration.
func (s *Sweeper) untilWanted(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		breaker.Sleep(ctx, leastTurn)
		for ctx.Err() == nil {
			asked := s.queue.asked.Raised()
			if s.waiting.Load() > 0 {
				cancel()
			}
			breaker.Sleep(ctx, breaker.Idle, asked)
		}
	}()
	return ctx, cancel
}
