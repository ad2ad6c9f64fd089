package store

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// mostCalls bounds how many writers share a commit, so that the first of a burst is not kept
// waiting by the last.
const mostCalls = 512

// A Group gathers what waits to be written into shared transactions, one at a time.
type Group[T any] struct {
	commit  func([]*Call[T]) error
	observe atomic.Pointer[func(writers int, took time.Duration)] // nil: nobody is told

	mu      sync.Mutex
	waiting []*Call[T]
	running bool
	closed  bool
	ended   chan struct{} // closed once it is closed and nothing is under way
}

// A Call is one writer's, who waits for its commit.
type Call[T any] struct {
	Of   T
	err  error
	done chan error
}

// Fail is the error that the caller gets, nil for none, once the others are committed.
func (c *Call[T]) Fail(err error) { c.err = err }

// A Write is a call of [KV.Update].
type Write struct {
	Declared []Key
	Fn       func(*Tx) error
}

// NewGroup makes a group whose transactions are made by commit: it tells the errors of single
// calls, and returns the one that all of them have.
func NewGroup[T any](commit func([]*Call[T]) error) *Group[T] {
	return &Group[T]{commit: commit, ended: make(chan struct{})}
}

// Observe calls f after each commit, with the number of writers that shared it and how long it
// took.
func (g *Group[T]) Observe(f func(writers int, took time.Duration)) {
	if g != nil {
		g.observe.Store(&f)
	}
}

// Enter hands over what is to be written, and returns where the outcome of its commit comes.
func (g *Group[T]) Enter(of T) (<-chan error, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, ErrClosed
	}
	c := &Call[T]{Of: of, done: make(chan error, 1)}
	g.waiting = append(g.waiting, c)
	if !g.running {
		g.running = true
		go g.run()
	}
	return c.done, nil
}

// run commits until nothing waits any more. Before each commit it yields until nobody else comes,
// so that a lone writer waits for no timer.
func (g *Group[T]) run() {
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

func (g *Group[T]) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}

func (g *Group[T]) take() []*Call[T] {
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
func (g *Group[T]) Close() <-chan struct{} {
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
