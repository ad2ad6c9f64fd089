package store

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// mostCalls bounds how many writers share a commit, so that the first of a burst is not kept
// waiting by the last.
const mostCalls = 512

// A Group gathers the calls of [KV.Update] into shared transactions, one at a time.
type Group struct {
	commit  func([]*Write) error
	observe atomic.Pointer[func(writers int, took time.Duration)] // nil: nobody is told

	mu      sync.Mutex
	waiting []*Write
	running bool
	closed  bool
	ended   chan struct{} // closed once it is closed and nothing is under way
}

// A Write is a call of [KV.Update], which waits for its commit.
type Write struct {
	Declared []Key
	fn       func(*Tx) error
	err      error
	done     chan error
}

// Run runs the function of the call. Where it fails or panics nothing of it is written, and its caller
// gets the error once the others are committed.
func (w *Write) Run(tx *Tx) error {
	w.err = Guarded(func() error { return tx.Try(w.fn) })
	return w.err
}

// NewGroup makes a group whose transactions are made by commit, which runs the calls, and returns the
// error that all of them have.
func NewGroup(commit func([]*Write) error) *Group {
	return &Group{commit: commit, ended: make(chan struct{})}
}

// Observe calls f after each commit, with the number of writers that shared it and how long it
// took.
func (g *Group) Observe(f func(writers int, took time.Duration)) {
	if g != nil {
		g.observe.Store(&f)
	}
}

// Update implements [KV]; without a group nothing can be written. The end of ctx changes nothing once
// fn is queued.
func (g *Group) Update(ctx context.Context, declared []Key, fn func(*Tx) error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case g == nil:
		return ErrReadOnly
	}
	done, err := g.enter(declared, fn)
	if err != nil {
		return err
	}
	return PassOn(<-done)
}

// enter hands over what is to be written, and returns where the outcome of its commit comes.
func (g *Group) enter(declared []Key, fn func(*Tx) error) (<-chan error, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, ErrClosed
	}
	w := &Write{Declared: declared, fn: fn, done: make(chan error, 1)}
	g.waiting = append(g.waiting, w)
	if !g.running {
		g.running = true
		go g.run()
	}
	return w.done, nil
}

// run commits until nothing waits any more. Before each commit it yields until nobody else comes,
// so that a lone writer waits for no timer.
func (g *Group) run() {
	for {
		for n := -1; g.count() > n && n < mostCalls; runtime.Gosched() {
			n = g.count()
		}
		calls := g.take()
		if len(calls) == 0 {
			return
		}
		begun := time.Now()
		err := g.commit(calls)
		if told := g.observe.Load(); err == nil && told != nil {
			(*told)(len(calls), time.Since(begun))
		}
		for _, c := range calls {
			if err != nil {
				c.err = err
			}
			c.done <- c.err
		}
	}
}

func (g *Group) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}

func (g *Group) take() []*Write {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := min(len(g.waiting), mostCalls)
	calls := g.waiting[:n:n]
	if g.waiting = g.waiting[n:]; n == 0 {
		g.waiting, g.running = nil, false
		if g.closed {
			close(g.ended)
		}
	}
	return calls
}

// Close takes no more calls. The channel is closed once those that were taken are answered.
func (g *Group) Close() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		if g.closed = true; !g.running {
			close(g.ended)
		}
	}
	return g.ended
}

// A Panic is a panic in a caller's own function. It travels as an error to its caller, and goes on
// there.
type Panic struct{ Value any }

func (p *Panic) Error() string { return "panic in a function of a transaction" }

// Guarded runs fn, and turns a panic within it into a *Panic.
func Guarded(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Panic{Value: p}
		}
	}()
	return fn()
}

// PassOn repeats a panic of the caller's own function in the caller's goroutine.
func PassOn(err error) error {
	if p, ok := err.(*Panic); ok { //nolint:errorlint // never wrapped
		panic(p.Value)
	}
	return err
}
