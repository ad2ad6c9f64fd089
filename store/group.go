package store

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"
)

// mostCalls bounds how many writers share a commit, so that the first of a burst is not kept
// waiting by the last.
const mostCalls = 512

// A Group gathers the calls of [KV.Update] into shared transactions, one at a time. The writer that
// finds no commit under way makes the next one, for all that wait.
type Group struct {
	commit func([]*Write) error
	turn   chan struct{} // full while a commit is under way

	mu      sync.Mutex
	observe func(took time.Duration)
	waiting []*Write
	closed  bool
	calls   sync.WaitGroup
}

// A Write is a call of [KV.Update], which waits for its commit.
type Write struct {
	Declared []Key
	fn       func(*Tx) error
	err      error
	panicked any
	done     chan struct{}
}

// Run runs the function of the call. Where it fails or panics nothing of it is written, and its
// caller gets that once the others are committed.
func (w *Write) Run(tx *Tx) {
	defer func() { w.panicked = recover() }()
	w.err = tx.Try(w.fn)
}

// NewGroup makes a group whose transactions are made by commit, which runs the calls, and returns
// the error that all of them have.
func NewGroup(commit func([]*Write) error) *Group {
	return &Group{commit: commit, turn: make(chan struct{}, 1), observe: func(time.Duration) {}}
}

// Observe calls f after each commit with how long it took.
func (g *Group) Observe(f func(took time.Duration)) {
	if g != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.observe = f
	}
}

// Update implements [KV]; without a group nothing can be written. The end of ctx changes nothing
// once fn is queued.
func (g *Group) Update(ctx context.Context, declared []Key, fn func(*Tx) error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case g == nil:
		return ErrReadOnly
	}
	w := &Write{Declared: declared, fn: fn, done: make(chan struct{})}
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return ErrClosed
	}
	g.waiting = append(g.waiting, w)
	g.calls.Add(1)
	g.mu.Unlock()
	defer g.calls.Done()
	for {
		select {
		case <-w.done:
			if w.panicked != nil {
				panic(w.panicked)
			}
			return w.err
		case g.turn <- struct{}{}:
			g.lead()
		}
	}
}

// lead commits what waits, and gives back the turn. Before that it yields until nobody else comes, so
// that a lone writer waits for no timer.
func (g *Group) lead() {
	defer func() { <-g.turn }()
	for n := -1; ; runtime.Gosched() {
		g.mu.Lock()
		if n == len(g.waiting) || n >= mostCalls {
			break
		}
		n = len(g.waiting)
		g.mu.Unlock()
	}
	n := min(len(g.waiting), mostCalls)
	calls, observe := g.waiting[:n:n], g.observe
	g.waiting = g.waiting[n:]
	g.mu.Unlock()
	if n == 0 {
		return
	}
	begun, err := time.Now(), errors.New("the commit did not come to an end") // but by a panic
	defer func() {
		for _, c := range calls {
			if err != nil {
				c.err, c.panicked = err, nil
			}
			close(c.done)
		}
	}()
	if err = g.commit(calls); err == nil {
		observe(time.Since(begun))
	}
}

// Close takes no more calls, and waits until those that were taken are answered.
func (g *Group) Close() {
	if g != nil {
		g.mu.Lock()
		g.closed = true
		g.mu.Unlock()
		g.calls.Wait()
	}
}
