package store

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// mostCalls bounds how many writers share a commit, so that the first of a burst is not kept
// waiting by the last.
const mostCalls = 512

// A Group gathers the calls of [KV.Update] into shared transactions, one at a time. The writer that
// finds no commit under way makes the next one, for all that wait.
type Group struct {
	commit  func([]*Write) error
	turn    chan struct{} // full while a commit is under way
	observe atomic.Pointer[func(took time.Duration)]

	mu      sync.Mutex
	waiting []*Write
	refuses error // nil: it takes calls
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
	return &Group{commit: commit, turn: make(chan struct{}, 1)}
}

// ReadOnly is a group of a KV that is only read: each call is ErrReadOnly.
func ReadOnly() *Group { return &Group{refuses: ErrReadOnly} }

// Update implements [KV]. The end of ctx changes nothing once fn is queued.
func (g *Group) Update(ctx context.Context, declared []Key, fn func(*Tx) error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	w := &Write{Declared: declared, fn: fn, done: make(chan struct{})}
	g.mu.Lock()
	if g.refuses != nil {
		g.mu.Unlock()
		return g.refuses
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

// lead commits what waits, and gives back the turn. It yields before, so that others may come and a
// lone writer waits for no timer.
func (g *Group) lead() {
	defer func() { <-g.turn }()
	runtime.Gosched()
	g.mu.Lock()
	n := min(len(g.waiting), mostCalls)
	calls := g.waiting[:n:n]
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
	err = g.commit(calls)
	if observe := g.observe.Load(); err == nil && observe != nil {
		(*observe)(time.Since(begun))
	}
}

// Observe calls f after each commit with how long it took.
func (g *Group) Observe(f func(took time.Duration)) { g.observe.Store(&f) }

// Close takes no more calls, and waits until those that were taken are answered.
func (g *Group) Close() {
	g.mu.Lock()
	if g.refuses == nil {
		g.refuses = ErrClosed
	}
	g.mu.Unlock()
	g.calls.Wait()
}
