package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/store"
)

var errEnded = errors.New("the work on the account ended by itself")

// The states of an account in a process.
const (
	Working   = "working"
	Faulty    = "faulty"    // its work ended with an error, and is begun again later
	Stopping  = "stopping"  // its work is ending
	Elsewhere = "elsewhere" // another process has it, or none has it yet
)

// A Standing is how an account stands in a process.
type Standing struct {
	Name  string    `json:"name"`
	State string    `json:"state"`
	Since time.Time `json:"since,omitzero"`
	Error string    `json:"error,omitempty"`
}

// A task is the work on an account. Where the account changes it ends, and another one begins.
type task struct {
	account Account
	lease   *store.Lease
	whole   context.Context // until the account is no longer this process's
	end     context.CancelFunc
	stands  Standing // under the fleet's mutex
}

func (t *task) held() bool { return t.whole.Err() == nil && t.lease.Held() }

// begin works on an account in the background. The caller holds the fleet's mutex.
func (f *Fleet) begin(l *store.Lease) {
	t := &task{lease: l, account: f.wanted[l.Account]}
	t.whole, t.end = context.WithCancel(context.Background())
	if t.account.Name == "" { // it went meanwhile
		t.end()
	}
	f.tasks[l.Account] = t
	f.running.Go(func() {
		f.work(t)
		t.end()
		if l.Held() { // else it expires, and a thousand that are given up would keep others from being renewed
			f.ask(func(ctx context.Context) error { return f.o.Leases.Release(ctx, l) })
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.tasks, l.Account)
		if now, there := f.wanted[l.Account]; there && now != t.account { // else it is handed over
			f.changed.Raise()
		}
	})
}

// work works on an account until it is no longer this process's. Work that fails is begun again with
// backoff.
func (f *Fleet) work(t *task) {
	for attempts := 0; t.held(); {
		f.set(t, Working, "")
		begun := time.Now()
		err := guarded(t.whole, f.o.Work, t.account, t.lease)
		if !t.held() {
			return
		}
		if time.Since(begun) > breaker.MaxBackoff {
			attempts = 0
		}
		attempts++
		err = cmp.Or(err, errEnded)
		f.set(t, Faulty, err.Error())
		f.o.Log.Error("account stopped", "account", t.account.Name, "error", err)
		breaker.Sleep(t.whole, breaker.Backoff(attempts, breaker.MaxBackoff), t.lease.Lost())
	}
}

func (f *Fleet) set(t *task, state, err string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t.stands.State != state {
		t.stands.State, t.stands.Since = state, time.Now()
	}
	t.stands.Error = err
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

// Standings is how each account stands here, in the order of the names.
func (f *Fleet) Standings() (all []Standing) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(f.wanted)) {
		all = append(all, f.standing(name))
	}
	return all
}

// Standing is how one account stands here; ok is false where there is none of that name.
func (f *Fleet) Standing(name string) (s Standing, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok = f.wanted[name]; ok {
		s = f.standing(name)
	}
	return s, ok
}

func (f *Fleet) standing(name string) Standing {
	t := f.tasks[name]
	if t == nil {
		return Standing{Name: name, State: Elsewhere}
	}
	s := t.stands
	if s.Name = name; t.whole.Err() != nil {
		s.State = Stopping
	}
	return s
}
