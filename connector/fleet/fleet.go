package fleet

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/store"
)

const (
	placeEvery = time.Second     // between two looks at which accounts are ours
	renewEvery = 2 * time.Second // between two renewals of all leases
	askTimeout = 4 * time.Second // bounds one request to the database
	orphanWait = 8 * time.Second // an account that has been free for so long is claimed beyond the share
	orphanKeep = time.Minute     // nothing is handed over for so long after that: there was nobody to take it
)

// An Account is one that the fleet works on. Its work is begun again when the version changes.
type Account struct{ Name, Version string }

// Work works on an account until ctx ends. The lease is nil where the fleet has no leases. Whoever
// works on an account stops by itself when its lease is lost.
type Work func(ctx context.Context, a Account, l *store.Lease) error

type Options struct {
	Leases store.Leases // nil: every account is this process's own
	Owner  string       // tells this process from others, with Leases
	Work   Work
	Log    *slog.Logger
}

type Fleet struct {
	o       Options
	changed *breaker.Signal

	mu      sync.Mutex
	wanted  map[string]Account
	known   bool             // the database knows the wanted accounts
	tasks   map[string]*task // of the accounts that are worked on, until their work has ended
	share   int              // how many accounts this process should work on
	needy   bool             // another process has fewer than its share
	orphans time.Time        // since when some account has been no process's; zero: none is
	keep    time.Time        // until then nothing is handed over
	met     time.Time        // when the database last answered
	others  []string         // the owners that are not this process, when it last answered
	running sync.WaitGroup
}

func New(o Options) *Fleet {
	return &Fleet{o: o, changed: breaker.NewSignal(), wanted: map[string]Account{}, tasks: map[string]*task{}}
}

// Set says which accounts there are. It may be called at any time, and waits for nothing.
func (f *Fleet) Set(accounts []Account) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := f.wanted
	f.wanted = make(map[string]Account, len(accounts))
	for _, a := range accounts {
		f.wanted[a.Name] = a
		if _, was := before[a.Name]; !was {
			f.known = false
		}
	}
	for name, t := range f.tasks {
		if a, there := f.wanted[name]; !there {
			t.end()
		} else if t.account != a {
			t.change(a)
		}
	}
	f.changed.Raise()
}

// Run works on the accounts until ctx ends, and returns when all work has ended.
func (f *Fleet) Run(ctx context.Context) {
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	if f.o.Leases != nil {
		var background sync.WaitGroup
		background.Go(func() { f.renew(renewing) })
		defer background.Wait()
		defer stop()
	}
	for ctx.Err() == nil {
		changed := f.changed.Raised()
		f.place(ctx)
		breaker.Sleep(ctx, placeEvery, changed)
	}
	f.mu.Lock()
	for _, t := range f.tasks {
		t.end()
	}
	f.mu.Unlock()
	f.running.Wait()
	if f.o.Leases != nil {
		leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
		defer cancel()
		_ = f.o.Leases.Leave(leaving, f.o.Owner) //nolint:errcheck // it is forgotten with the next lease time
	}
}

// place begins the work on accounts that are ours, and hands over those beyond our share.
func (f *Fleet) place(ctx context.Context) {
	if f.o.Leases == nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, name := range f.free() {
			f.begin(ctx, f.wanted[name], nil)
		}
		return
	}
	if !f.introduce(ctx) {
		return
	}
	f.handOver()
	f.mu.Lock()
	names, most := f.free(), f.room()
	f.mu.Unlock()
	if len(names) == 0 || most <= 0 {
		return
	}
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	leases, err := f.o.Leases.Claim(asking, f.o.Owner, most, names...)
	cancel()
	if err != nil {
		return // renew tells of it
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(leases) > 0 && len(f.tasks)+len(leases) > f.share {
		f.keep = time.Now().Add(orphanKeep)
	}
	for _, l := range leases {
		a, there := f.wanted[l.Account]
		if !there { // it went meanwhile
			f.running.Go(func() { f.release(l) })
			continue
		}
		f.begin(ctx, a, l)
	}
}

// introduce makes the accounts known to the database, and reports whether they are.
func (f *Fleet) introduce(ctx context.Context) bool {
	f.mu.Lock()
	names, known := slices.Sorted(maps.Keys(f.wanted)), f.known
	f.mu.Unlock()
	if known || len(names) == 0 {
		return known
	}
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	if err := f.o.Leases.AddAccounts(asking, names...); err != nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known = slices.Equal(names, slices.Sorted(maps.Keys(f.wanted)))
	return f.known
}

// free is the accounts that this process does not work on. The caller holds mu.
func (f *Fleet) free() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(f.wanted)) {
		if f.tasks[name] == nil {
			names = append(names, name)
		}
	}
	return names
}

// room is how many more leases this process may claim. The caller holds mu.
func (f *Fleet) room() int {
	if !f.orphans.IsZero() && time.Since(f.orphans) > orphanWait {
		return max(f.share-len(f.tasks), 1)
	}
	return f.share - len(f.tasks)
}

// handOver ends the work on the accounts beyond our share, where another process has room.
func (f *Fleet) handOver() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.needy || time.Now().Before(f.keep) {
		return
	}
	var ours []string
	for _, name := range slices.Sorted(maps.Keys(f.tasks)) {
		if !f.tasks[name].ending() {
			ours = append(ours, name)
		}
	}
	for _, name := range ours[min(f.share, len(ours)):] {
		f.tasks[name].end()
	}
}

// begin works on an account. The caller holds mu.
func (f *Fleet) begin(ctx context.Context, a Account, l *store.Lease) {
	t := newTask(ctx, a, l)
	f.tasks[a.Name] = t
	f.running.Go(func() {
		t.run(f.o.Work, f.o.Log.With("account", a.Name))
		if l != nil {
			f.release(l)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.tasks, a.Name)
		f.changed.Raise()
	})
}

// release gives up a lease, unless another process has it already.
func (f *Fleet) release(l *store.Lease) {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	if err := f.o.Leases.Release(ctx, l); err != nil {
		f.o.Log.Warn("lease of an account cannot be given up, it expires", "account", l.Account, "error", err)
	}
}

// renew renews the leases of all tasks and counts the processes, until ctx ends.
func (f *Fleet) renew(ctx context.Context) {
	failing := ""
	for ctx.Err() == nil {
		err := f.renewAll(ctx)
		if text := errorText(err); text != failing && ctx.Err() == nil {
			if failing = text; text != "" {
				f.o.Log.Error("leases cannot be renewed", "error", err)
			} else {
				f.o.Log.Info("leases are renewed again")
			}
		}
		breaker.Sleep(ctx, renewEvery)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func (f *Fleet) renewAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	f.mu.Lock()
	var leases []*store.Lease
	for _, t := range f.tasks {
		leases = append(leases, t.lease)
	}
	f.mu.Unlock()
	if len(leases) > 0 {
		if err := f.o.Leases.Renew(ctx, leases...); err != nil {
			return err
		}
	}
	held, err := f.o.Leases.Join(ctx, f.o.Owner)
	if err != nil {
		return err
	}
	f.judge(held)
	return nil
}

// judge sets the share of this process. held is the number of leases of
// each process.
func (f *Fleet) judge(held map[string]int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.met = time.Now()
	held[f.o.Owner] = len(f.tasks)
	shares, all := sharesOf(held, len(f.wanted)), 0
	f.share, f.needy = shares[f.o.Owner], false
	f.others = nil
	for owner, n := range held {
		if owner != f.o.Owner {
			f.others = append(f.others, owner)
		}
		all += n
		f.needy = f.needy || owner != f.o.Owner && n < shares[owner]
	}
	switch {
	case all >= len(f.wanted):
		f.orphans = time.Time{}
	case f.orphans.IsZero():
		f.orphans = time.Now()
	}
	f.changed.Raise()
}

// sharesOf divides accounts evenly. The processes that come first in the order of their names have
// one more where it does not come out even.
func sharesOf(held map[string]int, accounts int) map[string]int {
	owners := slices.Sorted(maps.Keys(held))
	shares := make(map[string]int, len(owners))
	for i, owner := range owners {
		shares[owner] = accounts / len(owners)
		if i < accounts%len(owners) {
			shares[owner]++
		}
	}
	return shares
}

// Ready is why the accounts of this fleet cannot be stored to; nil: they can.
func (f *Fleet) Ready() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.o.Leases != nil && time.Since(f.met) > 2*renewEvery+askTimeout {
		return errUnmet
	}
	return nil
}

// Others is the owners of other processes that work on accounts, as of the last answer of the
// database.
func (f *Fleet) Others() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.others)
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

// standing is how an account of the fleet stands. f.mu is held.
func (f *Fleet) standing(name string) Standing {
	if t := f.tasks[name]; t != nil {
		return t.standing()
	}
	return Standing{Name: name, State: Elsewhere}
}
