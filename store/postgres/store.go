package postgres

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
)

// A Store is what a database holds of one account: a KV, and the store above it. See store.Store for
// its methods.
type Store struct {
	*keyed.Store

	db      *Database
	name    string
	account int32
	absent  bool         // there is no such account, or no table
	lease   *store.Lease // nil: it is only read
	group   *keyed.Group[keyed.Write]
	answers answers
	closed  atomic.Bool
	close   func() error // nil: the database is the caller's

	observe atomic.Pointer[func(writers int, took time.Duration)] // nil: nobody is told
}

// StoreOf is the store of an account whose lease is held. Its writes fail once that is lost.
func (d *Database) StoreOf(l *store.Lease) store.Store { return d.storeOf(l) }

func (d *Database) storeOf(l *store.Lease) *Store {
	s := (&Store{db: d, name: l.Account, account: l.Number, lease: l}).above()
	s.group = keyed.NewGroup(s.commit)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[s.name] = append(d.open[s.name], s)
	return s
}

// above puts the store above the KV.
func (s *Store) above() *Store {
	s.Store = &keyed.Store{KV: s}
	return s
}

// changed has the stores of accounts read anew; without names all of them.
func (d *Database) changed(accounts ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(accounts) == 0 {
		accounts = slices.Collect(maps.Keys(d.open))
	}
	for _, name := range accounts {
		for _, s := range d.open[name] {
			s.answers.forget()
		}
	}
}

// numbers is the accounts whose stores are open.
func (d *Database) numbers() []int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	numbers := make([]int32, 0, len(d.open))
	for _, all := range d.open {
		numbers = append(numbers, all[0].account)
	}
	return numbers
}

// Due takes in what other processes accepted, where the lease is held, and then is the marks that a
// query asks for.
func (s *Store) Due(ctx context.Context, q store.DueQuery) (due []store.Mark, next store.Instant, err error) {
	if s.lease != nil {
		if err := s.TakeWishes(ctx); err != nil {
			return nil, 0, err
		}
	}
	return s.Store.Due(ctx, q)
}

// Path is the store's address without any secret.
func (s *Store) Path() string { return nameOf(s.db.config, s.name) }

// Observe calls f after each commit, with the number of writers that shared it and how long it took.
func (s *Store) Observe(f func(writers int, took time.Duration)) { s.observe.Store(&f) }

// Lost is closed when the account's lease is lost: nothing can be written any more. It is nil for a
// store that is only read.
func (s *Store) Lost() <-chan struct{} {
	if s.lease == nil {
		return nil
	}
	return s.lease.Lost()
}

// Held reports whether the account's lease is held at this moment.
func (s *Store) Held() bool { return s.lease != nil && s.lease.Held() }

// Close waits for the writes under way, and gives up the lease where the store took it. A second call
// does nothing.
func (s *Store) Close() error {
	if !s.closed.CompareAndSwap(false, true) {
		return nil
	}
	if s.group != nil {
		<-s.group.Close()
	}
	s.db.mu.Lock()
	s.db.open[s.name] = slices.DeleteFunc(s.db.open[s.name], func(other *Store) bool { return other == s })
	if len(s.db.open[s.name]) == 0 {
		delete(s.db.open, s.name)
	}
	s.db.mu.Unlock()
	if s.close != nil {
		return s.close()
	}
	return nil
}

var (
	_ keyed.KV       = (*Store)(nil)
	_ store.Store    = (*Store)(nil)
	_ store.Observed = (*Store)(nil)
	_ store.Placed   = (*Store)(nil)
	_ store.Leased   = (*Store)(nil)
)
