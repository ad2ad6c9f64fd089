package fleet

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/store"
)

// leaseTime and trusted are as an engine has them.
const (
	leaseTime = 10 * time.Second
	trusted   = 7 * time.Second
)

// A database has the leases of several processes, in memory.
type database struct {
	mu    sync.Mutex
	rows  map[string]*row
	fence int64
}

type row struct {
	owner   string
	fence   int64
	expires time.Time
}

// A link is the way of one process to the database.
type link struct {
	*database

	cut atomic.Bool
}

func newLeases() *link {
	return &link{database: &database{rows: map[string]*row{}}}
}

func (l *link) ask(do func(now time.Time)) error {
	if l.cut.Load() {
		return errors.New("the database is away")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	do(time.Now())
	return nil
}

func (l *link) Claim(_ context.Context, owner string, most int, names ...string) (all []*store.Lease, err error) {
	err = l.ask(func(now time.Time) {
		for _, name := range slices.Sorted(slices.Values(names)) {
			r := l.rows[name]
			if r == nil {
				r = &row{}
				l.rows[name] = r
			}
			if len(all) < most && !now.Before(r.expires) {
				l.fence++
				*r = row{owner, l.fence, now.Add(leaseTime)}
				all = append(all, store.NewLease(name, r.fence, now, trusted))
			}
		}
	})
	return all, err
}

func (l *link) Renew(_ context.Context, leases ...*store.Lease) error {
	return l.ask(func(now time.Time) {
		for _, lease := range leases {
			if r := l.rows[lease.Account]; r.fence != lease.Fence || r.expires.IsZero() { // given up
				lease.End()
			} else {
				r.expires = now.Add(leaseTime)
				lease.Renewed(now, trusted)
			}
		}
	})
}

func (l *link) Release(_ context.Context, leases ...*store.Lease) error {
	return l.ask(func(time.Time) {
		for _, lease := range leases {
			lease.End()
			if r := l.rows[lease.Account]; r.fence == lease.Fence {
				r.expires = time.Time{}
			}
		}
	})
}
