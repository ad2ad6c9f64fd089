// Package fleet works on the accounts of one database in several processes: one worker for each
// account whose lease a process holds.
//
// A process claims what is free: half of it at its start, so that processes which start together
// share the accounts, and all of it from then on. A lease is given up when the work on its account has
// ended. The leases of a process that died or lost the database expire. A process keeps its accounts for as
// long as it runs.
package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/store"
)

const (
	every      = 2 * time.Second // between two renewals of all leases, and two looks at which accounts are ours
	askTimeout = 3 * time.Second // bounds what one of them asks of the database: a lease is trusted for 7 s
	// how many accounts begin at once: a thousand would leave the database no time to renew their leases
	mostClaimed = 128
)

// Work works on an account until ctx ends. It stops by itself when the lease is lost.
type Work func(ctx context.Context, account string, l *store.Lease) error

// Leases are the leases of the accounts of one database. One expires by the database's clock unless
// it is renewed. Its owner is a text that says which process has it.
type Leases interface {
	// Claim takes the leases of at most so many of the accounts that no process has.
	Claim(ctx context.Context, owner string, most int, accounts ...string) ([]*store.Lease, error)
	// Renew prolongs leases. Those that another process has taken are ended.
	Renew(ctx context.Context, leases ...*store.Lease) error
	// Release gives leases up, so that others can take them at once.
	Release(ctx context.Context, leases ...*store.Lease) error
}

// Options are what a Fleet is made of.
type Options struct {
	Accounts []string // by name
	Leases   Leases
	Owner    string // tells this process from others
	Work     Work
	Log      *slog.Logger
}

// A Fleet works on accounts, each of which one process at a time has.
type Fleet struct {
	o       Options
	running sync.WaitGroup
	failing bool // Run's: the database did not answer last

	mu    sync.Mutex
	tasks map[string]*task // of the accounts that are worked on, until their work has ended
	met   time.Time        // when the database last answered; zero: it has not yet
}

// A task is the work on one account.
type task struct {
	lease *store.Lease
	fault string // why the work ended, which is begun again later; "": it goes on. Under the fleet's mutex
}

// New makes a fleet. It starts nothing.
func New(o Options) *Fleet { return &Fleet{o: o, tasks: map[string]*task{}} }

// Run works on accounts until ctx ends, and returns when all work has ended.
func (f *Fleet) Run(ctx context.Context) {
	for ctx.Err() == nil {
		f.tend(ctx)
		engine.Sleep(ctx, every)
	}
	ended := make(chan struct{})
	go func() {
		f.running.Wait()
		close(ended)
	}()
	for { // the leases of what is ending are renewed until it has ended
		select {
		case <-ended:
			return
		case <-time.After(every):
			f.tend(ctx)
		}
	}
}

// tend renews the leases of all tasks, and begins the work on accounts that are free until ctx ends.
func (f *Fleet) tend(ctx context.Context) {
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
	defer cancel()
	var leases []*store.Lease
	var others []string
	f.mu.Lock()
	for _, t := range f.tasks {
		leases = append(leases, t.lease)
	}
	for _, name := range f.o.Accounts {
		if f.tasks[name] == nil {
			others = append(others, name)
		}
	}
	most := mostClaimed
	if f.met.IsZero() {
		most = min(most, (len(others)+1)/2)
	}
	f.mu.Unlock()
	err := f.o.Leases.Renew(asking, leases...)
	leases = nil
	if err == nil && len(others) > 0 && ctx.Err() == nil {
		leases, err = f.o.Leases.Claim(asking, f.o.Owner, most, others...)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range leases {
		f.begin(ctx, l)
	}
	if err == nil {
		f.met = time.Now()
	} else if !f.failing {
		f.o.Log.Error("leases cannot be renewed", "error", err)
	}
	f.failing = err != nil
}

// begin works on an account for as long as its lease is held, and begins again where the work ends by itself.
func (f *Fleet) begin(ctx context.Context, l *store.Lease) {
	t := &task{lease: l}
	f.tasks[l.Account] = t
	f.running.Go(func() {
		for attempts := 1; ctx.Err() == nil && l.Held(); attempts++ {
			f.set(t, "")
			begun := time.Now()
			err := f.work(ctx, l)
			if ctx.Err() != nil || !l.Held() {
				break
			}
			if time.Since(begun) > engine.MaxBackoff {
				attempts = 1
			}
			f.set(t, err.Error())
			f.o.Log.Error("account stopped", "account", l.Account, "error", err)
			engine.Sleep(ctx, engine.Backoff(attempts, engine.MaxBackoff), l.Lost())
		}
		if l.Held() { // else it expires, and a thousand that are given up would keep others from being renewed
			giving, cancel := context.WithTimeout(context.Background(), askTimeout)
			if err := f.o.Leases.Release(giving, l); err != nil {
				f.o.Log.Warn("a lease cannot be given up, it expires", "error", err)
			}
			cancel()
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.tasks, l.Account)
	})
}

func (f *Fleet) work(ctx context.Context, l *store.Lease) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return cmp.Or(f.o.Work(ctx, l.Account, l), errors.New("the work on the account ended by itself"))
}

func (f *Fleet) set(t *task, fault string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t.fault = fault
}

// Ready is why the accounts of this fleet cannot be stored to; nil: they can.
func (f *Fleet) Ready() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.met) > 2*every+askTimeout {
		return errors.New("the database of the accounts does not answer")
	}
	return nil
}

// Faults is why the work on an account does not go on here, "" where it does or another process has
// the account, of each that there is.
func (f *Fleet) Faults() map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := map[string]string{}
	for _, name := range f.o.Accounts {
		if all[name] = ""; f.tasks[name] != nil {
			all[name] = f.tasks[name].fault
		}
	}
	return all
}
