package store

import (
	"context"
	"sync"
	"time"
)

// A Lease is the right to work on an account, and to write its store. Fence grows whenever the lease is taken.
type Lease struct {
	Account string
	Fence   int64
	End     func() // ends the lease in this process

	lost  context.Context //nolint:containedctx // until the end
	timer *time.Timer
	mu    sync.Mutex
	until time.Time // by this process's monotonic clock
}

// NewLease makes a lease that is trusted for a time from begun, the moment of its request.
func NewLease(account string, fence int64, begun time.Time, trusted time.Duration) *Lease {
	l := &Lease{Account: account, Fence: fence, until: begun.Add(trusted)}
	l.lost, l.End = context.WithCancel(context.Background())
	l.timer = time.AfterFunc(time.Until(l.until), l.End)
	return l
}

// Renewed trusts the lease for a time from begun, unless it has ended.
func (l *Lease) Renewed(begun time.Time, trusted time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = begun.Add(trusted)
	l.timer.Reset(time.Until(l.until))
}

// Held implements [Leased], by this process's own clock.
func (l *Lease) Held() bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost.Err() == nil && time.Now().Before(l.until)
}

// Lost implements [Leased].
func (l *Lease) Lost() <-chan struct{} {
	if l == nil {
		return nil
	}
	return l.lost.Done()
}
