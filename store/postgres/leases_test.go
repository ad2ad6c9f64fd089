//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/postgres"
)

// An openLeases opens a database whose leases last for a time, as another process would each time.
type openLeases func(t testing.TB, lease time.Duration) *postgres.Database

func TestLeaseLaws(t *testing.T) {
	t.Parallel()
	address := database(t)
	open := func(t testing.TB, lease time.Duration) *postgres.Database {
		t.Helper()
		d, err := postgres.Connect(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		d.SetLeaseTime(lease)
		t.Cleanup(d.Close)
		return d
	}
	for name, law := range map[string]func(context.Context, testing.TB, openLeases){
		"of those that claim an account at once one has it, and no other while that renews it":  leasesOnce,
		"the lease of a process that does not renew it can be taken after its time, not before": expires,
		"a lease that is given up can be taken at once":                                         releases,
		"once another has the lease of an account, no write of the former owner is made":        fences,
		"what is accepted without the lease is durable, due to its owner, and told":             accepts,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			law(t.Context(), t, open)
		})
	}
}

func at(d time.Duration) store.Instant {
	return store.At(time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC).Add(d))
}

// The leases of these laws: one that no test outlives, and one that ends soon.
const (
	long  = time.Minute
	short = 2 * time.Second
)

// claim is the lease of an account, nil where another has it.
func claim(ctx context.Context, t testing.TB, d *postgres.Database, account string) *store.Lease {
	t.Helper()
	leases, err := d.Claim(ctx, "a test", 1, account)
	if err != nil {
		t.Fatal(err)
	}
	if len(leases) == 0 {
		return nil
	}
	return leases[0]
}

func add(ctx context.Context, t testing.TB, d *postgres.Database, account string) {
	t.Helper()
	if err := d.AddAccounts(ctx, account, account); err != nil {
		t.Fatal(err)
	}
}

func leasesOnce(ctx context.Context, t testing.TB, open openLeases) {
	const account, replicas = "one", 4
	first := open(t, long)
	add(ctx, t, first, account)
	var won atomic.Int32
	var lease atomic.Pointer[store.Lease]
	var all sync.WaitGroup
	for range replicas {
		d := open(t, long)
		all.Go(func() {
			leases, err := d.Claim(ctx, "a test", 1, account)
			if err != nil {
				t.Errorf("claim: %v", err)
			}
			if len(leases) > 0 {
				won.Add(1)
				lease.Store(leases[0])
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Fatalf("%d of %d have the account", won.Load(), replicas)
	}
	if err := first.Renew(ctx, lease.Load()); err != nil || !lease.Load().Held() {
		t.Errorf("a lease that is renewed: held %t, %v", lease.Load().Held(), err)
	}
	if claim(ctx, t, first, account) != nil {
		t.Error("a second one has the account")
	}
}

func expires(ctx context.Context, t testing.TB, open openLeases) {
	const account = "expired"
	d := open(t, short)
	add(ctx, t, d, account)
	begun := time.Now()
	first := claim(ctx, t, d, account)
	time.Sleep(short / 2)
	if err := d.Renew(ctx, first); err != nil {
		t.Fatal(err)
	}
	for claim(ctx, t, d, account) == nil {
		if time.Since(begun) > 10*short {
			t.Fatal("an account whose owner is silent cannot be had")
		}
		time.Sleep(short / 20)
	}
	if waited := time.Since(begun); waited < short*3/2 {
		t.Errorf("a lease of %s that was renewed after half of it was taken after %s", short, waited)
	}
	if first.Held() {
		t.Error("two hold the account by their own clocks")
	}
	if err := d.Renew(ctx, first); err != nil || first.Held() {
		t.Errorf("a lease that another has taken is renewed, %v", err)
	}
}

func releases(ctx context.Context, t testing.TB, open openLeases) {
	const account = "released"
	d := open(t, long)
	add(ctx, t, d, account)
	first := claim(ctx, t, d, account)
	if err := d.Release(ctx, first); err != nil {
		t.Fatal(err)
	}
	if first.Held() {
		t.Error("a lease that was given up is held")
	}
	second := claim(ctx, t, d, account)
	if second == nil {
		t.Fatal("an account that was given up cannot be had")
	}
	if second.Fence <= first.Fence {
		t.Errorf("the fencing number went from %d to %d", first.Fence, second.Fence)
	}
}

func fences(ctx context.Context, t testing.TB, open openLeases) {
	const account = "fenced"
	d, other := open(t, long), open(t, long)
	add(ctx, t, d, account)
	first := claim(ctx, t, d, account)
	former := d.StoreOf(first)
	change := func(e *store.Entry) bool {
		e.Record.State = store.StateLive
		return true
	}
	if _, err := former.Change(ctx, []string{"a"}, change); err != nil {
		t.Fatal(err)
	}
	// The former owner does not know: its lease is taken behind its back.
	if err := other.Release(ctx, store.NewLease(account, first.Fence, time.Now(), 0)); err != nil {
		t.Fatal(err)
	}
	second := claim(ctx, t, other, account)
	if second == nil {
		t.Fatal("the account cannot be taken")
	}
	if err := former.SetMeta(ctx, "fact", "of the former owner"); !errors.Is(err, store.ErrFenced) {
		t.Errorf("a write without the lease: got %v, want ErrFenced", err)
	}
	if first.Held() {
		t.Error("the former owner holds the lease after a write that was fenced")
	}
	s := other.StoreOf(second)
	if fact, err := s.Meta(ctx, "fact"); err != nil || fact != "" {
		t.Errorf("the former owner wrote %q, %v", fact, err)
	}
	if _, err := s.Change(ctx, []string{"a"}, change); err != nil {
		t.Errorf("the owner cannot write: %v", err)
	}
}

func accepts(ctx context.Context, t testing.TB, open openLeases) {
	const account, hooks = "accepted", 50
	d, other := open(t, long), open(t, long)
	add(ctx, t, d, account)
	lease := claim(ctx, t, d, account)
	told, listening, asked := make(chan struct{}, 99), make(chan struct{}, 99), make(chan struct{}, 99)
	listen, stop := context.WithCancel(ctx)
	var ended sync.WaitGroup
	ended.Go(func() {
		d.Accepted(listen, func(name string, hinted bool) {
			which := told
			if hinted {
				which = asked
			}
			if name == "" {
				which = listening
			} else if name != account {
				t.Errorf("told of %q", name)
			}
			which <- struct{}{}
		})
	})
	defer ended.Wait()
	defer stop()
	<-listening
	door := other.Store(account)
	var all sync.WaitGroup
	for i := range hooks {
		all.Go(func() {
			m := store.Mark{ID: fmt.Sprint("p", i%(hooks/2)), Class: store.ClassHook, At: at(0)}
			if err := door.Mark(ctx, m); err != nil {
				t.Errorf("accept: %v", err)
			}
		})
	}
	all.Wait()
	due, _, err := d.StoreOf(lease).Due(ctx, store.DueQuery{Classes: store.AllClasses, To: at(0)})
	if err != nil || len(due) != hooks/2 {
		t.Errorf("%d are due to the owner, %v, want %d", len(due), err, hooks/2)
	}
	select {
	case <-told:
	case <-time.After(10 * time.Second):
		t.Error("the owner is not told")
	}
	if err := other.Hint(ctx, account); err != nil {
		t.Errorf("hint: %v", err)
	}
	select {
	case <-asked:
	case <-time.After(10 * time.Second):
		t.Error("the owner is not told of a hint")
	}
}
