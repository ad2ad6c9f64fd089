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
	observe atomic.Pointer[func(writers int, took time.Duration)] // nil: nobody is told
	turn    chan struct{}                                         // full while a commit is under way

	mu      sync.Mutex
	waiting []*Write
	closed  bool
	calls   sync.WaitGroup
}

// A Write is a call of [KV.Update], which waits for its commit.
type Write struct {
	Declared []Key
	fn       func(*Tx) error
	err      error
	done     chan error
}

// Run runs the function of the call. Where it fails or panics nothing of it is written, and its
// caller gets the error once the others are committed.
func (w *Write) Run(tx *Tx) {
	w.err = Guarded(func() error { return tx.Try(w.fn) })
}

// NewGroup makes a group whose transactions are made by commit, which runs the calls, and returns
// the error that all of them have.
func NewGroup(commit func([]*Write) error) *Group {
	return &Group{commit: commit, turn: make(chan struct{}, 1)}
}

// Observe calls f after each commit, with the number of writers that shared it and how long it
// took.
func (g *Group) Observe(f func(writers int, took time.Duration)) {
	if g != nil {
		g.observe.Store(&f)
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
	w := &Write{Declared: declared, fn: fn, done: make(chan error, 1)}
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
		case err := <-w.done:
			return PassOn(err)
		case g.turn <- struct{}{}:
			func() {
				defer func() { <-g.turn }()
				g.lead()
			}()
		}
	}
}

// errUnended is the error of those whose commit panicked.
var errUnended = errors.New("the commit did not come to an end")

// lead commits what waits. Before that it yields until nobody else comes, so that a lone writer
// waits for no timer.
func (g *Group) lead() {
	for n := -1; g.count() > n && n < mostCalls; runtime.Gosched() {
		n = g.count()
	}
	g.mu.Lock()
	n := min(len(g.waiting), mostCalls)
	calls := g.waiting[:n:n]
	g.waiting = g.waiting[n:]
	g.mu.Unlock()
	if n == 0 {
		return
	}
	begun, err := time.Now(), errUnended
	defer func() {
		for _, c := range calls {
			if err != nil {
				c.err = err
			}
			c.done <- c.err
		}
	}()
	err = g.commit(calls)
	if told := g.observe.Load(); err == nil && told != nil {
		(*told)(n, time.Since(begun))
	}
}

func (g *Group) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}

// Close takes no more calls, and waits until those that were taken are answered.
func (g *Group) Close() {
	if g == nil {
		return
	}
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.calls.Wait()
}

// A panicked is a panic in a caller's own function. It travels as an error to its caller, and goes
// on there.
type panicked struct{ value any }

func (p *panicked) Error() string { return "panic in a function of a transaction" }

// Guarded runs fn, and returns a panic within it as an error for [PassOn].
func Guarded(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicked{p}
		}
	}()
	return fn()
}

// PassOn repeats a panic of the caller's own function in the caller's goroutine.
func PassOn(err error) error {
	if p, ok := err.(*panicked); ok { //nolint:errorlint // never wrapped
		panic(p.value)
	}
	return err
}
