package store

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// mostCalls bounds a commit, so that the first of a burst does not wait for the last.
const mostCalls = 512

// A Group gathers calls of [KV.Update] into shared transactions, one at a time.
type Group struct {
	commit  func([]*Write) error
	turn    chan struct{} // full while a commit is under way
	observe atomic.Pointer[func(took time.Duration)]

	mu      sync.Mutex
	waiting []*Write
	refuses error // nil: it takes calls
	calls   sync.WaitGroup
}

// A Write is a call of [KV.Update] that waits for its commit.
type Write struct {
	Declared []Key
	fn       func(*Tx) error
	err      error
	panicked any
	done     chan struct{}
}

// Run runs the call, whose caller learns of an error or a panic after the commit.
func (w *Write) Run(tx *Tx) {
	defer func() { w.panicked = recover() }()
	w.err = tx.Try(w.fn)
}

// NewGroup makes a group. commit runs the calls in one transaction, and its error is that of each.
func NewGroup(commit func([]*Write) error) *Group {
	return &Group{commit: commit, turn: make(chan struct{}, 1)}
}

// ReadOnly makes a group that answers each call with ErrReadOnly.
func ReadOnly() *Group { return &Group{refuses: ErrReadOnly} }

// Update implements [KV].
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

// lead yields before the commit, so that others can join without a timer.
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
	begun, err := time.Now(), errors.New("the commit did not come to an end") // if commit panics
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

// Observe has f called after each commit that succeeds.
func (g *Group) Observe(f func(took time.Duration)) { g.observe.Store(&f) }

// Close refuses further calls and waits for those under way.
func (g *Group) Close() {
	g.mu.Lock()
	if g.refuses == nil {
		g.refuses = ErrClosed
	}
	g.mu.Unlock()
	g.calls.Wait()
}
