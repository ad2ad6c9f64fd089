package postgres

import (
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A Store is what a database holds of one account. See store.Store for its methods.
type Store struct {
	db      *Database
	name    string
	path    string
	account int32
	absent  bool         // there is no such account, or no table
	lease   *store.Lease // nil: it is only read
	closed  atomic.Bool
	close   func() error // nil: the database is the caller's
	answers answers

	observe atomic.Pointer[func(writers int, took time.Duration)] // nil: nobody is told
}

// Path is the store's address without any secret.
func (s *Store) Path() string { return s.path }

// Observe calls f after each commit, with the number of writers that shared it and how long it
// took.
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

// writable fails where a write has no chance.
func (s *Store) writable() error {
	switch {
	case s.closed.Load():
		return store.ErrClosed
	case s.lease == nil:
		return store.ErrReadOnly
	default:
		return nil
	}
}

// Close gives up the lease where the store took it. A second call does nothing.
func (s *Store) Close() error {
	if !s.closed.CompareAndSwap(false, true) {
		return nil
	}
	s.db.leave(s)
	if s.close != nil {
		return s.close()
	}
	return nil
}

var (
	_ store.Observed = (*Store)(nil)
	_ store.Placed   = (*Store)(nil)
	_ store.Leased   = (*Store)(nil)
)
