package postgres

import (
	"context"
	"sync"
	"testing"
	"time"
)

// SetLeaseTime has the leases of a database last for another time.
func (d *Database) SetLeaseTime(t time.Duration) { d.leaseTime = t }

// Listen has a store be told of what others accept, until the function that it returns is called. f
// is called as by Accepted.
func (s *Store) Listen(t testing.TB, f func(accounts []string, hinted bool)) (stop func()) {
	t.Helper()
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
func (s *Store) Asked() int64 { return s.db.pool.Stat().AcquireCount() }

// SetClock has a database believe that its server's clock is so far ahead, until it is read again.
func (d *Database) SetClock(ahead time.Duration) {
	d.clock.saw(time.Now(), time.Now().Add(ahead).UnixMilli())
}

// TakeTurns has the methods of all stores of a database wait until the function that it returns is
// called.
func (d *Database) TakeTurns(t testing.TB) (give func()) {
	t.Helper()
	var ends []func()
	for range mostConnections - spare {
		end, err := d.turn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, end)
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}
