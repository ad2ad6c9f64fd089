//go:build unix

package postgres_test

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/postgres"
)

// A mark is due at the same moment for each process, whatever its clock shows.
func TestMarksOfProcessesWhoseClocksDiffer(t *testing.T) {
	t.Parallel()
	ctx, address := t.Context(), database(t)
	open := func() *postgres.Database {
		t.Helper()
		d, err := postgres.Connect(ctx, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Close)
		return d
	}
	right, slow := open(), open() // the clock of slow is an hour behind
	if err := right.AddAccounts(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	leases, err := slow.Claim(ctx, "slow", 1, "a")
	if err != nil || len(leases) != 1 {
		t.Fatalf("got %d leases, %v, want one", len(leases), err)
	}
	now := time.Now()
	behind := now.Add(-time.Hour)
	slow.SetClock(time.Hour)
	s, of := slow.StoreOf(leases[0]), store.AllClasses
	due := func(s store.Store, at time.Time) (ids []string, marks []store.Mark, next store.Instant) {
		t.Helper()
		marks, next, err := s.Due(ctx, store.DueQuery{Classes: of, To: store.At(at)})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range marks {
			ids = append(ids, m.ID)
		}
		return ids, marks, next
	}
	// near reports whether two times are the same, but for how exactly a clock is known.
	near := func(got store.Instant, want time.Time) bool { return got.Time().Sub(want).Abs() < 10*time.Second }

	if err := right.Accept(ctx, "a", store.Mark{ID: "p", Class: store.ClassHook, At: store.At(now)}); err != nil {
		t.Fatal(err)
	}
	ids, marks, _ := due(s, behind.Add(20*time.Second))
	if len(ids) != 1 {
		t.Fatalf("a webhook that another process accepted: %v is due, want p", ids)
	}
	if !near(marks[0].At, behind) {
		t.Errorf("a mark of another process is of %s, want %s", marks[0].At.Time(), behind)
	}
	if f, err := s.Backlog(ctx, store.At(behind.Add(20*time.Second))); err != nil || f.Due != 1 {
		t.Errorf("got %d due, %v, want 1", f.Due, err)
	}

	retry := store.Mark{ID: "q", Class: store.ClassHook, At: store.At(behind.Add(10 * time.Minute))}
	if err := s.Mark(ctx, retry); err != nil {
		t.Fatal(err)
	}
	ids, _, next := due(s, behind.Add(20*time.Second))
	if len(ids) != 1 {
		t.Errorf("before a retry: %v is due, want p alone", ids)
	}
	if !near(next, behind.Add(10*time.Minute)) {
		t.Errorf("the next is due at %s, want %s", next.Time(), behind.Add(10*time.Minute))
	}
	other := right.StoreOf(leases[0])
	if ids, _, _ := due(other, now.Add(9*time.Minute)); len(ids) != 1 {
		t.Errorf("9m later, for another process: %v is due, want p alone", ids)
	}
	if ids, _, _ := due(other, now.Add(11*time.Minute)); len(ids) != 2 {
		t.Errorf("11m later, for another process: %v is due, want both", ids)
	}
	if err := s.Mark(ctx, store.Mark{ID: "q", Class: store.ClassHook, At: retry.At}); err != nil {
		t.Fatal(err)
	}
	if _, _, again := due(s, behind.Add(20*time.Second)); again != next {
		t.Errorf("after marking twice the next is due at %s, want %s", again.Time(), next.Time())
	}
}
