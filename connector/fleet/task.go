package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/store"
)

var (
	errUnmet   = errors.New("the database of the accounts does not answer")
	errEnded   = errors.New("the work on the account ended by itself")
	errChanged = errors.New("the account has changed")
)

// The states of an account in a process.
const (
	Working   = "working"
	Faulty    = "faulty"    // its work ended with an error, and is begun again later
	Stopping  = "stopping"  // its work is ending
	Elsewhere = "elsewhere" // another process has it, or none has it yet
)

type Standing struct {
	Name  string    `json:"name"`
	State string    `json:"state"`
	Since time.Time `json:"since,omitzero"`
	Error string    `json:"error,omitempty"`
}

type task struct {
	lease *store.Lease
	whole context.Context // until the account is no longer this process's
	end   context.CancelFunc

	mu      sync.Mutex
	account Account
	again   context.CancelCauseFunc // ends the work on this version
	state   string
	since   time.Time
	err     error
}

func newTask(ctx context.Context, a Account, l *store.Lease) *task {
	t := &task{lease: l, account: a, again: func(error) {}, state: Working, since: time.Now()}
	t.whole, t.end = context.WithCancel(ctx)
	return t
}

func (t *task) ending() bool { return t.whole.Err() != nil }

func (t *task) change(a Account) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.account = a
	t.again(errChanged)
}

func (t *task) standing() Standing {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := Standing{Name: t.account.Name, State: t.state, Since: t.since}
	if t.err != nil {
		s.Error = t.err.Error()
	}
	if t.ending() {
		s.State = Stopping
	}
	return s
}

func (t *task) set(state string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state != state {
		t.state, t.since = state, time.Now()
	}
	t.err = err
}

func (t *task) held() bool { return !t.ending() && (t.lease == nil || t.lease.Held()) }

func (t *task) version() (Account, context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ctx, again := context.WithCancelCause(t.whole)
	t.again = again
	return t.account, ctx
}

// run works on the account until it is no longer this process's. Work that fails is begun again with
// backoff.
func (t *task) run(work Work, log *slog.Logger) {
	for attempts := 0; t.held(); {
		a, ctx := t.version()
		t.set(Working, nil)
		begun := time.Now()
		err := guarded(ctx, work, a, t.lease)
		switch {
		case !t.held():
		case errors.Is(context.Cause(ctx), errChanged):
			attempts = 0
			log.Info("account has changed, beginning again")
		default:
			if err == nil {
				err = errEnded
			}
			if time.Since(begun) > breaker.MaxBackoff {
				attempts = 0
			}
			attempts++
			t.set(Faulty, err)
			log.Error("account stopped", "error", err)
			t.wait(ctx, breaker.Backoff(attempts, breaker.MaxBackoff))
		}
		t.again(nil)
	}
	t.end()
}

// wait waits for a time, until the account changes, or until it is no longer this process's.
func (t *task) wait(ctx context.Context, span time.Duration) {
	var lost <-chan struct{}
	if t.lease != nil {
		lost = t.lease.Lost()
	}
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-lost:
	}
}

// guarded works on an account. A panic is an error.
func guarded(ctx context.Context, work Work, a Account, l *store.Lease) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return work(ctx, a, l)
}
