package store

import (
	"context"
	"sync"
	"time"
)

// Leases is a database that keeps the stores of several accounts, for several processes. An account
// is worked on by the process that has its lease, which expires by the database's clock unless it
// is renewed.
type Leases interface {
	// AddAccounts makes accounts known. Those that are known already stay as they are.
	AddAccounts(ctx context.Context, names ...string) error
	// Claim takes the leases of at most so many of the accounts that no process has. owner is a
	// note of who has them.
	Claim(ctx context.Context, owner string, most int, accounts ...string) ([]*Lease, error)
	// Renew prolongs leases. Those that another process has taken are ended.
	Renew(ctx context.Context, leases ...*Lease) error
	// Release gives leases up, so that others can take them at once.
	Release(ctx context.Context, leases ...*Lease) error
	// Join tells for the time of a lease that a process is there which works on accounts, and
	// returns how many leases each such process has. owner is as of Claim.
	Join(ctx context.Context, owner string) (leases map[string]int, err error)
	// Leave takes back what Join told.
	Leave(ctx context.Context, owner string) error
	// StoreOf is the store of an account whose lease is held. Its writes fail with ErrFenced once
	// that is lost. Accept alone needs no lease.
	StoreOf(l *Lease) Store
	// Accept makes publications of any account due, as Mark does, whoever has its lease.
	Accept(ctx context.Context, account string, marks ...Mark) error
	// Hint asks whoever has the lease of an account to read its list soon. It is not durable: what
	// a list has is found by the next sweep too.
	Hint(ctx context.Context, account string) error
	// Accepted has f called with the names of accounts for which marks were accepted lately, or
	// with hinted those for which Hint was called, until ctx ends. f is a hint: a name may be
	// missing, and comes when nothing was accepted. An empty list stands for every account.
	Accepted(ctx context.Context, f func(accounts []string, hinted bool))
}

// A Lease is the right to work on an account, and to write what its store holds. The fencing number
// grows whenever the lease is taken, and comes with every write.
type Lease struct {
	Account string
	Number  int32 // of the account, in the database
	Fence   int64

	mu    sync.Mutex
	until time.Time // by this process's monotonic clock
	timer *time.Timer
	lost  chan struct{}
	ended bool
}

// NewLease is a lease that was taken by a request begun at a moment, and is trusted for a time from
// then on.
func NewLease(account string, number int32, fence int64, begun time.Time, trusted time.Duration) *Lease {
	l := &Lease{Account: account, Number: number, Fence: fence, lost: make(chan struct{})}
	l.mu.Lock() // End may be called before the timer is kept
	defer l.mu.Unlock()
	l.until = begun.Add(trusted)
	l.timer = time.AfterFunc(time.Until(l.until), l.End)
	return l
}

// Renewed trusts the lease for a time from the moment at which its renewal was begun.
func (l *Lease) Renewed(begun time.Time, trusted time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.until = begun.Add(trusted)
		l.timer.Reset(time.Until(l.until))
	}
}

// Held reports whether no other process can have the account, by this process's own clock.
func (l *Lease) Held() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.ended && time.Now().Before(l.until)
}

// Lost is closed when the lease has ended, or was not renewed in time.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// End ends the lease in this process.
func (l *Lease) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.ended = true
		l.timer.Stop()
		close(l.lost)
	}
}
