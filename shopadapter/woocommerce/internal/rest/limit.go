package rest

import (
	"context"
	"sync"
	"time"
)

const (
	firstParallel = 4  // requests at a time until the shop has shown what it can bear
	mostParallel  = 16 //
	caution       = 32 // how much slower it grows where it was too much the last time
	slowFactor    = 3  // an answer that takes so many times the usual is a sign of strain
	slowAtLeast   = time.Second
)

// A limiter bounds the requests under way at a time, and finds the bound by itself: each answer
// that came in good time raises it a little, a sign of strain halves it. It is fair: who waits
// longest goes first.
type limiter struct {
	mu      sync.Mutex
	allowed float64 // between 1 and mostParallel
	ceiling float64 // where the last sign of strain came
	busy    int
	waiting []chan struct{}
	halved  time.Time                // when it was last halved: what was begun before tells of the time before
	usual   map[string]time.Duration // by kind of request: how long an operation takes as a rule
}

func newLimiter() *limiter {
	return &limiter{allowed: firstParallel, ceiling: mostParallel + 1, usual: map[string]time.Duration{}}
}

// A turn is the right to make one request.
type turn struct {
	limiter *limiter
	kind    string
	ops     int // operations that the request holds
	begun   time.Time
}

// acquire waits for a turn. The error is the context's.
func (l *limiter) acquire(ctx context.Context, kind string, ops int) (*turn, error) {
	l.mu.Lock()
	if l.busy < int(l.allowed) && len(l.waiting) == 0 {
		l.busy++
		l.mu.Unlock()
		return &turn{l, kind, max(ops, 1), time.Now()}, nil
	}
	mine := make(chan struct{})
	l.waiting = append(l.waiting, mine)
	l.mu.Unlock()
	select {
	case <-mine:
		return &turn{l, kind, max(ops, 1), time.Now()}, nil
	case <-ctx.Done():
		l.leave(mine)
		return nil, ctx.Err()
	}
}

// leave takes a waiter out of the line. The turn may have been given to it at the same moment: then
// it is passed on.
func (l *limiter) leave(mine chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, other := range l.waiting {
		if other == mine {
			l.waiting = append(l.waiting[:i:i], l.waiting[i+1:]...)
			return
		}
	}
	l.busy--
	l.admit()
}

// admit lets in as many as there is room for.
func (l *limiter) admit() {
	for l.busy < int(l.allowed) && len(l.waiting) > 0 {
		close(l.waiting[0])
		l.waiting = l.waiting[1:]
		l.busy++
	}
}

// An outcome is what a request told of the shop's strength.
type outcome int

const (
	unknown  outcome = iota // nothing
	answered                // how long it took tells
	strained                // it said so, or did not answer in time
)

// done gives the turn back.
func (t *turn) done(o outcome) {
	l, took := t.limiter, time.Since(t.begun)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy--
	if o == answered && l.slow(t.kind, took, took/time.Duration(t.ops)) {
		o = strained
	}
	switch {
	case o == answered:
		l.raise()
	case o == strained && t.begun.After(l.halved):
		l.ceiling, l.allowed, l.halved = l.allowed, max(l.allowed/2, 1), time.Now()
	}
	l.admit()
}

// raise allows one more for as many good answers as there are requests at a time. Where it was too
// much the last time it goes slowly, since each step too far costs the shop's customers; once it is
// past that point it takes heart again.
func (l *limiter) raise() {
	step := 1 / l.allowed
	if l.allowed+1 > l.ceiling {
		step /= caution
	}
	l.allowed = min(l.allowed+step, mostParallel)
	if l.allowed >= l.ceiling+1 {
		l.ceiling = mostParallel + 1
	}
}

// slow reports whether an answer took much longer than answers of its kind do. What is usual
// follows the fastest answers at once, the slow ones only hesitantly.
func (l *limiter) slow(kind string, took, each time.Duration) bool {
	if kind == KindUpload {
		return false // the supplier's server is in it too
	}
	usual, known := l.usual[kind]
	switch {
	case !known || each < usual:
		l.usual[kind] = each
		return false
	default:
		l.usual[kind] = usual + (each-usual)/64
	}
	return took > slowAtLeast && each > slowFactor*usual
}
