package postgres

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

// SetLeaseTime has the leases of a database last for another time.
func (d *Database) SetLeaseTime(t time.Duration) { d.leaseTime = t }

// Listen has a store be told of what others accept, until the function that it returns is called. f
// is called as by Accepted.
func Listen(t testing.TB, of store.Store, f func(account string, hinted bool)) (stop func()) {
	t.Helper()
	s := of.KV.(*kv)
	ctx, cancel := context.WithCancel(context.Background())
	var listening sync.WaitGroup
	listening.Go(func() { s.db.Accepted(ctx, f) })
	for end := time.Now().Add(time.Minute); s.db.listeners.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the store does not listen within a minute")
		}
	}
	return func() { cancel(); listening.Wait() }
}

// Asked is how often the database was asked.
func Asked(s store.Store) int64 { return s.KV.(*kv).db.pool.Stat().AcquireCount() }
