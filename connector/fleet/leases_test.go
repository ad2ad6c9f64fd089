package fleet

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/pubsync/pubsync/store"
)

// leaseTime and trusted are as an engine has them.
const (
	leaseTime = 10 * time.Second
	trusted   = 7 * time.Second
)

// memoryLeases is leases in memory, for fleets of one process.
type memoryLeases struct {
	Leases

	mu       sync.Mutex
	away     bool // no request is answered
	rows     map[string]*row
	replicas map[string]time.Time
	fence    int64
}

type row struct {
	owner   string
	fence   int64
	expires time.Time
}

var errAway = errors.New("the database is away")

func newLeases() *memoryLeases {
	return &memoryLeases{rows: map[string]*row{}, replicas: map[string]time.Time{}}
}

func (m *memoryLeases) lock() (unlock func(), err error) {
	m.mu.Lock()
	if m.away {
		m.mu.Unlock()
		return nil, errAway
	}
	return m.mu.Unlock, nil
}

func (m *memoryLeases) AddAccounts(_ context.Context, names ...string) error {
	unlock, err := m.lock()
	if err != nil {
		return err
	}
	defer unlock()
	for _, name := range names {
		m.rows[name] = cmp.Or(m.rows[name], &row{})
	}
	return nil
}

func (m *memoryLeases) Claim(
	_ context.Context, owner string, most int, names ...string,
) (all []*store.Lease, err error) {
	unlock, err := m.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	for _, name := range slices.Sorted(slices.Values(names)) {
		if r := m.rows[name]; len(all) < most && r != nil && !time.Now().Before(r.expires) {
			m.fence++
			r.owner, r.fence, r.expires = owner, m.fence, time.Now().Add(leaseTime)
			all = append(all, store.NewLease(name, 1, r.fence, time.Now(), trusted))
		}
	}
	return all, nil
}

func (m *memoryLeases) Renew(_ context.Context, leases ...*store.Lease) error {
	unlock, err := m.lock()
	if err != nil {
		return err
	}
	defer unlock()
	for _, l := range leases {
		if r := m.rows[l.Account]; r.fence != l.Fence || r.expires.IsZero() { // what was given up is not taken again
			l.End()
		} else {
			r.expires = time.Now().Add(leaseTime)
			l.Renewed(time.Now(), trusted)
		}
	}
	return nil
}

func (m *memoryLeases) Release(_ context.Context, leases ...*store.Lease) error {
	for _, l := range leases {
		l.End()
	}
	unlock, err := m.lock()
	if err != nil {
		return err
	}
	defer unlock()
	for _, l := range leases {
		if r := m.rows[l.Account]; r.fence == l.Fence {
			r.expires = time.Time{}
		}
	}
	return nil
}

func (m *memoryLeases) Join(_ context.Context, owner string) (map[string]int, error) {
	unlock, err := m.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	m.replicas[owner] = time.Now().Add(leaseTime)
	held := map[string]int{}
	for name, until := range m.replicas {
		if time.Now().Before(until) {
			held[name] = 0
		}
	}
	for _, r := range m.rows {
		if _, live := held[r.owner]; live && time.Now().Before(r.expires) {
			held[r.owner]++
		}
	}
	return held, nil
}

func (m *memoryLeases) Leave(_ context.Context, owner string) error {
	unlock, err := m.lock()
	if err != nil {
		return err
	}
	defer unlock()
	delete(m.replicas, owner)
	return nil
}
