// Package fleet works on the accounts of one database in several processes, each on those whose leases it holds.
//
// A process claims half of the free accounts at its start, so that processes which start together share them, and
// all from then on. It keeps them while it runs.
package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/store"
)

const (
	every       = 2 * time.Second // between two renewals of all leases
	askTimeout  = 3 * time.Second // of the database: a lease is trusted for 7 s
	mostClaimed = 128             // at once: a thousand would leave the database no time for renewals
)

type Work func(ctx context.Context, account string, l *store.Lease) error

// Leases are a database's leases of accounts. They expire by its clock unless renewed.
type Leases interface {
	// Claim takes the leases of at most so many free accounts.
	Claim(ctx context.Context, owner string, most int, accounts ...string) ([]*store.Lease, error)
	// Renew prolongs leases, and ends those that another process has taken.
	Renew(ctx context.Context, leases ...*store.Lease) error
	// Release lets others take the leases at once.
	Release(ctx context.Context, leases ...*store.Lease) error
}

type Options struct {
	Accounts []string
	Leases   Leases
	Owner    string // names this process
	Work     Work
	Log      *slog.Logger
}

type Fleet struct {
	o       Options
	running sync.WaitGroup
	failing bool // Run's: the database did not answer

	mu     sync.Mutex
	held   map[string]*store.Lease // until the work has ended
	faults map[string]string       // why the work waits to begin again
	met    time.Time               // last answer of the database
}

func New(o Options) *Fleet {
	return &Fleet{o: o, held: map[string]*store.Lease{}, faults: map[string]string{}}
}

// Run works on accounts until ctx and all work have ended.
func (f *Fleet) Run(ctx context.Context) {
	for ctx.Err() == nil {
		f.tend(ctx)
		engine.Sleep(ctx, every)
	}
	working, end := context.WithCancel(context.Background())
	go func() {
		f.running.Wait()
		end()
	}()
	for engine.Sleep(working, every); working.Err() == nil; engine.Sleep(working, every) {
		f.tend(ctx) // leases are renewed until the work has ended
	}
}

// tend renews leases and begins work on free accounts.
func (f *Fleet) tend(ctx context.Context) {
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
	defer cancel()
	f.mu.Lock()
	leases := slices.Collect(maps.Values(f.held))
	others := slices.DeleteFunc(slices.Clone(f.o.Accounts), func(name string) bool { return f.held[name] != nil })
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

// begin works on an account while its lease is held, and begins again if the work ends by itself.
func (f *Fleet) begin(ctx context.Context, l *store.Lease) {
	f.held[l.Account] = l
	f.running.Go(func() {
		for attempts := 1; ctx.Err() == nil && l.Held(); attempts++ {
			f.say(l, "")
			begun := time.Now()
			err := f.work(ctx, l)
			if ctx.Err() != nil || !l.Held() {
				break
			}
			if time.Since(begun) > engine.MaxBackoff {
				attempts = 1
			}
			f.say(l, err.Error())
			f.o.Log.Error("account stopped", "account", l.Account, "error", err)
			engine.Sleep(ctx, engine.Backoff(attempts, engine.MaxBackoff), l.Lost())
		}
		if l.Held() { // else it expires: a thousand releases would delay renewals
			giving, cancel := context.WithTimeout(context.Background(), askTimeout)
			if err := f.o.Leases.Release(giving, l); err != nil {
				f.o.Log.Warn("a lease cannot be given up, it expires", "error", err)
			}
			cancel()
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.held, l.Account)
		delete(f.faults, l.Account)
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

func (f *Fleet) say(l *store.Lease, fault string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults[l.Account] = fault
}

// Ready returns why accounts cannot be stored to, or nil.
func (f *Fleet) Ready(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.met) > 2*every+askTimeout {
		return errors.New("the database of the accounts does not answer")
	}
	return nil
}

// Faults returns by account why its work stands still here: "" if it does not, or another process works on it.
func (f *Fleet) Faults() map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := map[string]string{}
	for _, name := range f.o.Accounts {
		all[name] = f.faults[name]
	}
	return all
}
