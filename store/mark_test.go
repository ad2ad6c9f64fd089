package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"
)

func TestMarksMerge(t *testing.T) {
	const early, late = Instant(1000), Instant(2000)
	for _, tt := range []struct {
		name      string
		old, next Mark
		want      Mark
	}{
		{
			"the same twice",
			Mark{Class: ClassSweep, At: early, Cause: CauseRead},
			Mark{Class: ClassSweep, At: early, Cause: CauseRead},
			Mark{Class: ClassSweep, At: early, Cause: CauseRead},
		},
		{
			"the more urgent class, the earlier time, every cause",
			Mark{Class: ClassHook, At: late, Cause: CauseSigned},
			Mark{Class: ClassSweep, At: early, Cause: CauseRetry},
			Mark{Class: ClassHook, At: early, Cause: CauseSigned | CauseRetry},
		},
		{
			"whichever comes first",
			Mark{Class: ClassSweep, At: early, Cause: CauseRetry},
			Mark{Class: ClassHook, At: late, Cause: CauseSigned},
			Mark{Class: ClassHook, At: early, Cause: CauseSigned | CauseRetry},
		},
		{
			"what a later sweep saw",
			Mark{Class: ClassSweep, Cause: CauseSeen, Seen: "u1", SeenAt: early},
			Mark{Class: ClassSweep, Cause: CauseSeen, Seen: "u2", SeenAt: late},
			Mark{Class: ClassSweep, Cause: CauseSeen, Seen: "u2", SeenAt: late},
		},
		{
			"what a sweep saw outlives a mark that saw nothing",
			Mark{Class: ClassSweep, Cause: CauseSeen, Seen: "u1", SeenAt: early},
			Mark{Class: ClassHook, Cause: CauseAsked},
			Mark{Class: ClassHook, Cause: CauseSeen | CauseAsked, Seen: "u1", SeenAt: early},
		},
		{
			"a refresh gives way",
			Mark{Class: ClassRefresh, At: early, Cause: CauseRefresh},
			Mark{Class: ClassSweep, At: late, Cause: CauseRetry},
			Mark{Class: ClassSweep, At: late, Cause: CauseRetry},
		},
		{
			"a refresh does not move what is due",
			Mark{Class: ClassSweep, At: late, Cause: CauseRetry},
			Mark{Class: ClassRefresh, At: early, Cause: CauseRefresh},
			Mark{Class: ClassSweep, At: late, Cause: CauseRetry},
		},
		{
			"two refreshes",
			Mark{Class: ClassRefresh, At: late, Cause: CauseRefresh},
			Mark{Class: ClassRefresh, At: early, Cause: CauseRefresh},
			Mark{Class: ClassRefresh, At: early, Cause: CauseRefresh},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.old.ID, tt.next.ID, tt.want.ID = "a", "a", "a"
			s := newStore(t)
			must(t, s.Mark(tt.old, tt.next))
			got, ok, err := s.MarkOf("a")
			if !ok || err != nil {
				t.Fatal(ok, err)
			}
			tt.want.Gen = 2
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if ids, err := s.dueIDs(late.Time()); err != nil || len(ids) != 1 {
				t.Errorf("due %v, %v: marking twice is marking once", ids, err)
			}
		})
	}
}

// dueIDs reads the due set itself, in its order.
func (s *Store) dueIDs(now time.Time) (ids []string, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		return bucket(tx, bucketDue).ForEach(func(key, _ []byte) error {
			if _, at, id, valid := parseDueKey(key); valid && at <= At(now) {
				ids = append(ids, id)
			}
			return nil
		})
	})
	return ids, err
}

// order works the due set off and returns the ids in that order.
func order(t *testing.T, s *Store, now time.Time, allowed func(Class) bool) (ids []string) {
	t.Helper()
	for range 100 {
		m, ok, err := s.Due(now, allowed, func(id string) bool { return slices.Contains(ids, id) })
		must(t, err)
		if !ok {
			return ids
		}
		ids = append(ids, m.ID)
	}
	t.Fatal("no end")
	return nil
}

func TestDueOrder(t *testing.T) {
	s := newStore(t)
	for class := range classes {
		for i := range 3 {
			must(t, s.Mark(Mark{ID: fmt.Sprintf("%d-%d", class, i), Class: class, At: after(time.Duration(3-i) * time.Minute)}))
		}
	}
	must(t, s.Mark(Mark{ID: "0-1b", Class: ClassHook, At: after(2 * time.Minute)}))
	must(t, s.Mark(Mark{ID: "old", Class: ClassSweep}, Mark{ID: "older", Class: ClassSweep, At: -5}))

	if got := order(t, s, start, every); !slices.Equal(got, []string{"old", "older"}) {
		t.Errorf("at the start %v", got)
	}
	want := []string{"0-2", "0-1", "0-1b", "1-2", "1-1", "old", "older", "2-2", "2-1", "3-2", "3-1", "4-2", "4-1", "5-2", "5-1"}
	if got := order(t, s, start.Add(2*time.Minute), every); !slices.Equal(got, want) {
		t.Errorf("after two minutes\n%v, want\n%v", got, want)
	}
	if got := order(t, s, start.Add(time.Hour), func(c Class) bool { return c == ClassNew }); !slices.Equal(got, []string{"1-2", "1-1", "1-0"}) {
		t.Errorf("new ones alone %v", got)
	}
	if ids, err := s.dueIDs(start.Add(2 * time.Minute)); err != nil || !slices.Equal(ids, want) {
		t.Errorf("due ids %v, %v", ids, err)
	}
	for _, tt := range []struct {
		at   time.Duration
		want int
	}{{0, 2}, {time.Minute, 8}, {2 * time.Minute, 15}, {time.Hour, 21}} {
		if n, err := s.Backlog(start.Add(tt.at)); n != tt.want || err != nil {
			t.Errorf("backlog after %s: %d, %v, want %d", tt.at, n, err, tt.want)
		}
	}
}

func TestNextDue(t *testing.T) {
	s := newStore(t)
	if at, ok, err := s.NextDue(every, never); ok || err != nil || !at.IsZero() {
		t.Errorf("empty: %v, %t, %v", at, ok, err)
	}
	must(t, s.Mark(
		Mark{ID: "a", Class: ClassHook, At: after(3 * time.Minute)},
		Mark{ID: "b", Class: ClassSweep, At: after(time.Minute)}, Mark{ID: "c", Class: ClassSweep, At: after(2 * time.Minute)},
	))
	for _, tt := range []struct {
		name    string
		allowed func(Class) bool
		skip    []string
		want    time.Duration
		ok      bool
	}{
		{"the earliest of all classes", every, nil, time.Minute, true},
		{"one that is worked on", every, []string{"b"}, 2 * time.Minute, true},
		{"two that are", every, []string{"b", "c"}, 3 * time.Minute, true},
		{"all that are", every, []string{"a", "b", "c"}, 0, false},
		{"a class alone", func(c Class) bool { return c == ClassHook }, nil, 3 * time.Minute, true},
		{"no class", func(Class) bool { return false }, nil, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at, ok, err := s.NextDue(tt.allowed, func(id string) bool { return slices.Contains(tt.skip, id) })
			if err != nil || ok != tt.ok || ok && !at.Equal(start.Add(tt.want)) {
				t.Errorf("%v, %t, %v", at, ok, err)
			}
		})
	}
}

func TestGenerationKeepsWhatArrives(t *testing.T) {
	s := newStore(t)
	must(t, s.Mark(Mark{ID: "a", Class: ClassSweep, Cause: CauseSeen, At: after(0)}))
	work, _, err := s.MarkOf("a")
	must(t, err)
	must(t, s.Mark(Mark{ID: "a", Class: ClassHook, Cause: CauseSigned, At: after(time.Second)}))

	must(t, s.Defer("a", work.Gen, start.Add(time.Hour)))
	next := Mark{Class: ClassRefresh, Cause: CauseRefresh, At: after(24 * time.Hour)}
	settle(t, s, Settlement{Record: Record{ID: "a"}, Gen: work.Gen, Next: &next})
	m, ok, err := s.MarkOf("a")
	if !ok || err != nil || m.Class != ClassHook || m.Cause != CauseSeen|CauseSigned || m.At != after(0) || m.Gen <= work.Gen {
		t.Fatalf("what arrived during the work became %+v, %t, %v", m, ok, err)
	}

	settle(t, s, Settlement{Record: Record{ID: "a"}, Gen: m.Gen, Next: &next})
	m, ok, err = s.MarkOf("a")
	if !ok || err != nil || m.Class != ClassRefresh || m.At != next.At || m.Cause != CauseRefresh {
		t.Errorf("settled with its own generation: %+v, %t, %v", m, ok, err)
	}
	settle(t, s, Settlement{Record: Record{ID: "a"}, Gen: m.Gen})
	if m, ok, err := s.MarkOf("a"); ok || err != nil {
		t.Errorf("settled for good: %+v, %v", m, err)
	}
	if n, err := s.Backlog(start.Add(1000 * time.Hour)); n != 0 || err != nil {
		t.Errorf("%d due, %v", n, err)
	}
	must(t, s.Mark(Mark{ID: "a"}))
	if again, _, err := s.MarkOf("a"); err != nil || again.Gen <= m.Gen {
		t.Errorf("a generation came back: %d after %d, %v", again.Gen, m.Gen, err)
	}
}

func TestDefer(t *testing.T) {
	s := newStore(t)
	must(t, s.Defer("unknown", 1, start))
	must(t, s.Mark(Mark{ID: "a", Class: ClassHook, Cause: CauseSigned, At: after(0), Seen: "u", SeenAt: 1}))
	before, _, err := s.MarkOf("a")
	must(t, err)
	must(t, s.Defer("a", before.Gen+1, start.Add(2*time.Hour), CauseAsked)) // another's
	must(t, s.Defer("a", before.Gen, start.Add(time.Hour)))
	must(t, s.Defer("a", before.Gen, start.Add(time.Hour), CauseRetry, CauseRead))
	now, _, err := s.MarkOf("a")
	must(t, err)
	before.At, before.Cause = after(time.Hour), CauseSigned|CauseRetry|CauseRead
	if diff := cmp.Diff(before, now); diff != "" {
		t.Error(diff)
	}
	if ids, err := s.dueIDs(start.Add(time.Minute)); err != nil || len(ids) != 0 {
		t.Errorf("still due: %v, %v", ids, err)
	}
	if _, ok, err := s.Get("a"); ok || err != nil {
		t.Errorf("a record came of it: %t, %v", ok, err)
	}
}

func TestWake(t *testing.T) {
	s := newStore(t)
	hour := after(time.Hour)
	must(t, s.Mark(
		Mark{ID: "due", Class: ClassSweep, Cause: CauseRetry, At: after(-time.Hour)}, Mark{ID: "retry", Class: ClassNew, Cause: CauseRetry, At: hour},
		Mark{ID: "hint", Class: ClassHint, Cause: CauseUnsigned, At: hour}, Mark{ID: "refresh", Class: ClassRefresh, Cause: CauseRefresh, At: hour},
		Mark{ID: "full", Class: ClassFull, Cause: CauseRead, At: hour},
	))
	n, err := s.Wake(start, func(m Mark) bool { return m.Cause != CauseUnsigned })
	if n != 2 || err != nil {
		t.Errorf("woke %d, %v", n, err)
	}
	want := map[string]Instant{"due": after(-time.Hour), "retry": after(0), "hint": hour, "refresh": hour, "full": after(0)}
	for id, at := range want {
		if m, _, err := s.MarkOf(id); err != nil || m.At != at {
			t.Errorf("%s is due at %v, %v", id, m.At.Time(), err)
		}
	}
	if ids, err := s.dueIDs(start); err != nil || !slices.Equal(ids, []string{"retry", "due", "full"}) {
		t.Errorf("due %v, %v", ids, err)
	}
}

func TestMarkNothing(t *testing.T) {
	s := newStore(t)
	must(t, s.Mark())
	if err := s.Mark(Mark{ID: "a"}, Mark{ID: "b", Class: classes}); err == nil {
		t.Error("an unknown class was taken")
	}
	if _, ok, err := s.MarkOf("a"); ok || err != nil {
		t.Errorf("half of a call was written: %t, %v", ok, err)
	}
	if _, ok, err := s.Due(start, every, never); ok || err != nil {
		t.Errorf("due: %t, %v", ok, err)
	}
}

func TestInstant(t *testing.T) {
	if At(time.Time{}) != 0 || !Instant(0).Time().IsZero() {
		t.Error("never is not zero")
	}
	if got := At(start.In(time.FixedZone("", 3600))).Time(); !got.Equal(start) || got.Location() != time.UTC {
		t.Errorf("%v", got)
	}
}
