package bolt

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

func TestMarksMerge(t *testing.T) {
	const early, late = store.Instant(1000), store.Instant(2000)
	for _, tt := range []struct {
		name      string
		old, next store.Mark
		want      store.Mark
	}{
		{
			"the same twice",
			store.Mark{Class: store.ClassSweep, At: early, Cause: store.CauseRead},
			store.Mark{Class: store.ClassSweep, At: early, Cause: store.CauseRead},
			store.Mark{Class: store.ClassSweep, At: early, Cause: store.CauseRead},
		},
		{
			"the more urgent class, the earlier time, every cause",
			store.Mark{Class: store.ClassHook, At: late, Cause: store.CauseSigned},
			store.Mark{Class: store.ClassSweep, At: early, Cause: store.CauseRetry},
			store.Mark{Class: store.ClassHook, At: early, Cause: store.CauseSigned | store.CauseRetry},
		},
		{
			"other rules beside a refresh, which gives way",
			store.Mark{Class: store.ClassRefresh, At: early, Cause: store.CauseRules | store.CauseSettings | store.CauseRead},
			store.Mark{Class: store.ClassSweep, At: late, Cause: store.CauseSeen, Seen: "u1"},
			store.Mark{
				Class: store.ClassSweep, At: late, Seen: "u1",
				Cause: store.CauseSeen | store.CauseRules | store.CauseSettings,
			},
		},
		{
			"whichever comes first",
			store.Mark{Class: store.ClassSweep, At: early, Cause: store.CauseRetry},
			store.Mark{Class: store.ClassHook, At: late, Cause: store.CauseSigned},
			store.Mark{Class: store.ClassHook, At: early, Cause: store.CauseSigned | store.CauseRetry},
		},
		{
			"what a later sweep saw",
			store.Mark{Class: store.ClassSweep, Cause: store.CauseSeen, Seen: "u1", SeenAt: early},
			store.Mark{Class: store.ClassSweep, Cause: store.CauseSeen, Seen: "u2", SeenAt: late},
			store.Mark{Class: store.ClassSweep, Cause: store.CauseSeen, Seen: "u2", SeenAt: late},
		},
		{
			"what a sweep saw outlives a mark that saw nothing",
			store.Mark{Class: store.ClassSweep, Cause: store.CauseSeen, Seen: "u1", SeenAt: early},
			store.Mark{Class: store.ClassHook, Cause: store.CauseAsked},
			store.Mark{Class: store.ClassHook, Cause: store.CauseSeen | store.CauseAsked, Seen: "u1", SeenAt: early},
		},
		{
			"a refresh gives way",
			store.Mark{Class: store.ClassRefresh, At: early, Cause: store.CauseRefresh},
			store.Mark{Class: store.ClassSweep, At: late, Cause: store.CauseRetry},
			store.Mark{Class: store.ClassSweep, At: late, Cause: store.CauseRetry},
		},
		{
			"a refresh does not move what is due",
			store.Mark{Class: store.ClassSweep, At: late, Cause: store.CauseRetry},
			store.Mark{Class: store.ClassRefresh, At: early, Cause: store.CauseRefresh},
			store.Mark{Class: store.ClassSweep, At: late, Cause: store.CauseRetry},
		},
		{
			"a rest leaves a change its time",
			store.Mark{Class: store.ClassFull, At: early, Cause: store.CauseRemainder},
			store.Mark{Class: store.ClassSweep, At: late, Cause: store.CauseSeen, Seen: "u", SeenAt: late},
			store.Mark{
				Class: store.ClassSweep, At: late, Cause: store.CauseSeen | store.CauseRemainder, Seen: "u", SeenAt: late,
			},
		},
		{
			"a change keeps its time beside a rest",
			store.Mark{Class: store.ClassSweep, At: late, Cause: store.CauseRetry},
			store.Mark{Class: store.ClassFull, At: early, Cause: store.CauseRemainder},
			store.Mark{Class: store.ClassSweep, At: late, Cause: store.CauseRetry | store.CauseRemainder},
		},
		{
			"a rest brings a reading of everything forward",
			store.Mark{Class: store.ClassFull, At: early, Cause: store.CauseRemainder},
			store.Mark{Class: store.ClassFull, At: late, Cause: store.CauseRead},
			store.Mark{Class: store.ClassFull, At: early, Cause: store.CauseRemainder | store.CauseRead},
		},
		{
			"an unsigned webhook has its wish beside what waits",
			store.Mark{Class: store.ClassSweep, At: late, Cause: store.CauseRetry},
			store.Mark{Class: store.ClassHint, At: early, Cause: store.CauseUnsigned},
			store.Mark{Class: store.ClassSweep, At: late, Cause: store.CauseRetry | store.CauseUnsigned, Hint: early},
		},
		{
			"whichever of the two comes first",
			store.Mark{Class: store.ClassHint, At: early, Cause: store.CauseUnsigned},
			store.Mark{Class: store.ClassSweep, At: late, Cause: store.CauseRetry},
			store.Mark{Class: store.ClassSweep, At: late, Cause: store.CauseRetry | store.CauseUnsigned, Hint: early},
		},
		{
			"a wish that comes no sooner is none",
			store.Mark{Class: store.ClassSweep, At: early, Cause: store.CauseRetry},
			store.Mark{Class: store.ClassHint, At: late, Cause: store.CauseUnsigned},
			store.Mark{Class: store.ClassSweep, At: early, Cause: store.CauseRetry | store.CauseUnsigned},
		},
		{
			"a refresh stays beside a wish",
			store.Mark{Class: store.ClassRefresh, At: late, Cause: store.CauseRefresh},
			store.Mark{Class: store.ClassHint, At: early, Cause: store.CauseUnsigned},
			store.Mark{Class: store.ClassRefresh, At: late, Cause: store.CauseRefresh | store.CauseUnsigned, Hint: early},
		},
		{
			"two wishes",
			store.Mark{Class: store.ClassHint, At: late, Cause: store.CauseUnsigned},
			store.Mark{Class: store.ClassHint, At: early, Cause: store.CauseUnsigned},
			store.Mark{Class: store.ClassHint, At: early, Cause: store.CauseUnsigned},
		},
		{
			"two refreshes",
			store.Mark{Class: store.ClassRefresh, At: late, Cause: store.CauseRefresh},
			store.Mark{Class: store.ClassRefresh, At: early, Cause: store.CauseRefresh},
			store.Mark{Class: store.ClassRefresh, At: early, Cause: store.CauseRefresh},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.old.ID, tt.next.ID, tt.want.ID = "a", "a", "a"
			s := newStore(t)
			must(t, s.Mark(t.Context(), tt.old, tt.next))
			got, ok, err := markOf(t.Context(), s, "a")
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

// dueIDs is the publications that are due, in their order.
func (s *Store) dueIDs(now time.Time) (ids []string, err error) {
	due, _, err := s.Due(context.Background(), store.DueQuery{Classes: store.AllClasses, To: store.At(now)})
	for _, m := range due {
		if !slices.Contains(ids, m.ID) { // it may be due for its own reason and for an unsigned webhook
			ids = append(ids, m.ID)
		}
	}
	return ids, err
}

// order works the due set off and returns the ids in that order.
func order(t *testing.T, s *Store, now time.Time, allowed store.ClassSet) (ids []string) {
	t.Helper()
	for range 100 {
		m, ok, err := firstDue(t.Context(), s, now, allowed, ids...)
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
	for class := range store.Classes {
		for i := range 3 {
			must(
				t,
				s.Mark(t.Context(),
					store.Mark{
						ID:    fmt.Sprintf("%d-%d", class, i),
						Class: class,
						At:    after(time.Duration(3-i) * time.Minute),
					},
				),
			)
		}
	}
	must(t, s.Mark(t.Context(), store.Mark{ID: "0-1b", Class: store.ClassAsked, At: after(2 * time.Minute)}))
	must(
		t,
		s.Mark(t.Context(),
			store.Mark{ID: "old", Class: store.ClassSweep},
			store.Mark{ID: "older", Class: store.ClassSweep, At: -5},
		),
	)

	if got := order(t, s, start, every); !slices.Equal(got, []string{"old", "older"}) {
		t.Errorf("at the start %v", got)
	}
	want := []string{
		"0-2", "0-1", "0-1b", "1-2", "1-1", "2-2", "2-1", "old", "older",
		"3-2", "3-1", "4-2", "4-1", "5-2", "5-1", "6-2", "6-1", "7-2", "7-1",
	}
	if got := order(t, s, start.Add(2*time.Minute), every); !slices.Equal(got, want) {
		t.Errorf("after two minutes\n%v, want\n%v", got, want)
	}
	if got := order(t, s, start.Add(time.Hour), store.ClassesOf(store.ClassNew)); !slices.Equal(
		got,
		[]string{"2-2", "2-1", "2-0"},
	) {
		t.Errorf("new ones alone %v", got)
	}
	if ids, err := s.dueIDs(start.Add(2 * time.Minute)); err != nil || !slices.Equal(ids, want) {
		t.Errorf("due ids %v, %v", ids, err)
	}
	for _, tt := range []struct {
		at   time.Duration
		want int
	}{{0, 2}, {time.Minute, 10}, {2 * time.Minute, 19}, {time.Hour, 27}} {
		if n, err := dueLen(t.Context(), s, start.Add(tt.at)); n != tt.want || err != nil {
			t.Errorf("backlog after %s: %d, %v, want %d", tt.at, n, err, tt.want)
		}
	}
}

// A class's number on disk never changes: a store of an earlier version opens, and says what it
// said.
func TestClassNumbers(t *testing.T) {
	for number, class := range []store.Class{
		store.ClassAsked, store.ClassHook, store.ClassNew, store.ClassSweep, store.ClassHint, store.ClassFull,
		store.ClassRefresh, store.ClassRules,
	} {
		if int(class) != number {
			t.Errorf("class %d, want %d", class, number)
		}
		m := store.Mark{ID: "a", Class: class, At: 1}
		data, err := value.Encode("a", m)
		must(t, err)
		got := store.Mark{ID: "a"}
		if err := value.Decode("mark", "a", data, &got); err != nil || got != m {
			t.Errorf("%+v reads back as %+v, %v", m, got, err)
		}
	}
}

func TestNextDue(t *testing.T) {
	s := newStore(t)
	if at, ok, err := nextDue(t.Context(), s, every); ok || err != nil || !at.IsZero() {
		t.Errorf("empty: %v, %t, %v", at, ok, err)
	}
	must(t, s.Mark(t.Context(),
		store.Mark{ID: "a", Class: store.ClassHook, At: after(3 * time.Minute)},
		store.Mark{
			ID:    "b",
			Class: store.ClassSweep,
			At:    after(time.Minute),
		},
		store.Mark{ID: "c", Class: store.ClassSweep, At: after(2 * time.Minute)},
	))
	for _, tt := range []struct {
		name    string
		allowed store.ClassSet
		skip    []string
		want    time.Duration
		ok      bool
	}{
		{"the earliest of all classes", every, nil, time.Minute, true},
		{"one that is worked on", every, []string{"b"}, 2 * time.Minute, true},
		{"two that are", every, []string{"b", "c"}, 3 * time.Minute, true},
		{"all that are", every, []string{"a", "b", "c"}, 0, false},
		{"a class alone", store.ClassesOf(store.ClassHook), nil, 3 * time.Minute, true},
		{"no class", 0, nil, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at, ok, err := nextDue(t.Context(), s, tt.allowed, tt.skip...)
			if err != nil || ok != tt.ok || ok && !at.Equal(start.Add(tt.want)) {
				t.Errorf("%v, %t, %v", at, ok, err)
			}
		})
	}
}

func TestGenerationKeepsWhatArrives(t *testing.T) {
	s := newStore(t)
	must(t, s.Mark(t.Context(), store.Mark{ID: "a", Class: store.ClassSweep, Cause: store.CauseSeen, At: after(0)}))
	work, _, err := markOf(t.Context(), s, "a")
	must(t, err)
	must(
		t,
		s.Mark(
			t.Context(),
			store.Mark{ID: "a", Class: store.ClassHook, Cause: store.CauseSigned, At: after(time.Second)},
		),
	)

	must(t, s.Reschedule(t.Context(), store.Rescheduling{ID: "a", Gen: work.Gen, At: store.At(start.Add(time.Hour))}))
	next := store.Mark{Class: store.ClassRefresh, Cause: store.CauseRefresh, At: after(24 * time.Hour)}
	settle(t, s, store.Settlement{Record: store.Record{ID: "a"}, Gen: work.Gen, Next: &next})
	m, ok, err := markOf(t.Context(), s, "a")
	if !ok || err != nil || m.Class != store.ClassHook || m.Cause != store.CauseSeen|store.CauseSigned ||
		m.At != after(0) ||
		m.Gen <= work.Gen {
		t.Fatalf("what arrived during the work became %+v, %t, %v", m, ok, err)
	}

	settle(t, s, store.Settlement{Record: store.Record{ID: "a"}, Gen: m.Gen, Next: &next})
	m, ok, err = markOf(t.Context(), s, "a")
	if !ok || err != nil || m.Class != store.ClassRefresh || m.At != next.At || m.Cause != store.CauseRefresh {
		t.Errorf("settled with its own generation: %+v, %t, %v", m, ok, err)
	}
	settle(t, s, store.Settlement{Record: store.Record{ID: "a"}, Gen: m.Gen})
	if m, ok, err := markOf(t.Context(), s, "a"); ok || err != nil {
		t.Errorf("settled for good: %+v, %v", m, err)
	}
	if n, err := dueLen(t.Context(), s, start.Add(1000*time.Hour)); n != 0 || err != nil {
		t.Errorf("%d due, %v", n, err)
	}
	must(t, s.Mark(t.Context(), store.Mark{ID: "a"}))
	if again, _, err := markOf(t.Context(), s, "a"); err != nil || again.Gen <= m.Gen {
		t.Errorf("a generation came back: %d after %d, %v", again.Gen, m.Gen, err)
	}
}

func TestDefer(t *testing.T) {
	s := newStore(t)
	must(t, s.Reschedule(t.Context(), store.Rescheduling{ID: "unknown", Gen: 1, At: store.At(start)}))
	must(
		t,
		s.Mark(t.Context(),
			store.Mark{ID: "a", Class: store.ClassHook, Cause: store.CauseSigned, At: after(0), Seen: "u", SeenAt: 1},
		),
	)
	before, _, err := markOf(t.Context(), s, "a")
	must(t, err)
	// another's
	must(
		t,
		s.Reschedule(t.Context(),
			store.Rescheduling{
				ID:    "a",
				Gen:   before.Gen + 1,
				At:    store.At(start.Add(2 * time.Hour)),
				Cause: store.CauseAsked,
			},
		),
	)
	must(t, s.Reschedule(t.Context(), store.Rescheduling{ID: "a", Gen: before.Gen, At: store.At(start.Add(time.Hour))}))
	must(
		t,
		s.Reschedule(t.Context(),
			store.Rescheduling{
				ID:    "a",
				Gen:   before.Gen,
				At:    store.At(start.Add(time.Hour)),
				Cause: store.CauseRetry | store.CauseRead,
			},
		),
	)
	now, _, err := markOf(t.Context(), s, "a")
	must(t, err)
	before.At, before.Cause = after(time.Hour), store.CauseSigned|store.CauseRetry|store.CauseRead
	if diff := cmp.Diff(before, now); diff != "" {
		t.Error(diff)
	}
	if ids, err := s.dueIDs(start.Add(time.Minute)); err != nil || len(ids) != 0 {
		t.Errorf("still due: %v, %v", ids, err)
	}
	if _, ok, err := recordOf(t.Context(), s, "a"); ok || err != nil {
		t.Errorf("a record came of it: %t, %v", ok, err)
	}
}

func TestWake(t *testing.T) {
	s := newStore(t)
	hour := after(time.Hour)
	must(t, s.Mark(t.Context(),
		store.Mark{
			ID:    "due",
			Class: store.ClassSweep,
			Cause: store.CauseRetry,
			At:    after(-time.Hour),
		},
		store.Mark{ID: "retry", Class: store.ClassNew, Cause: store.CauseRetry, At: hour},
		store.Mark{
			ID:    "hint",
			Class: store.ClassHint,
			Cause: store.CauseUnsigned,
			At:    hour,
		},
		store.Mark{ID: "refresh", Class: store.ClassRefresh, Cause: store.CauseRefresh, At: hour},
		store.Mark{ID: "failed", Class: store.ClassRefresh, Cause: store.CauseRefresh | store.CauseRetry, At: hour},
		store.Mark{ID: "later", Class: store.ClassRefresh, Cause: store.CauseRefresh | store.CauseRetry, At: hour + 1},
		store.Mark{ID: "full", Class: store.ClassFull, Cause: store.CauseRead, At: hour},
	))
	n, err := store.Wake(
		t.Context(),
		s,
		store.At(start),
		hour,
		func(m store.Mark) bool { return m.Cause != store.CauseUnsigned },
	)
	if n != 3 || err != nil {
		t.Errorf("got %d woken and error %v, want 3 and none", n, err)
	}
	want := map[string]store.Instant{
		"due":     after(-time.Hour),
		"retry":   after(0),
		"hint":    hour,
		"refresh": hour,
		"failed":  after(0),
		"later":   hour + 1,
		"full":    after(0),
	}
	for id, at := range want {
		if m, _, err := markOf(t.Context(), s, id); err != nil || m.At != at {
			t.Errorf("%s is due at %v with error %v, want %v", id, m.At.Time(), err, at.Time())
		}
	}
	due := []string{"retry", "due", "full", "failed"}
	if ids, err := s.dueIDs(start); err != nil || !slices.Equal(ids, due) {
		t.Errorf("got %v due and error %v, want %v", ids, err, due)
	}
}

func TestMarkNothing(t *testing.T) {
	s := newStore(t)
	must(t, s.Mark(t.Context()))
	if err := s.Mark(t.Context(), store.Mark{ID: "a"}, store.Mark{ID: "b", Class: store.Classes}); err == nil {
		t.Error("an unknown class was taken")
	}
	if _, ok, err := markOf(t.Context(), s, "a"); ok || err != nil {
		t.Errorf("half of a call was written: %t, %v", ok, err)
	}
	if _, ok, err := firstDue(t.Context(), s, start, every); ok || err != nil {
		t.Errorf("due: %t, %v", ok, err)
	}
}

func TestInstant(t *testing.T) {
	if store.At(time.Time{}) != 0 || !store.Instant(0).Time().IsZero() {
		t.Error("never is not zero")
	}
	if got := store.At(start.In(time.FixedZone("", 3600))).Time(); !got.Equal(start) || got.Location() != time.UTC {
		t.Errorf("%v", got)
	}
}

// A hint's look is due in its own class. Where that look is put off, the publication's other mark
// is as it was.
func TestWishBesideWhatWaits(t *testing.T) {
	s := newStore(t)
	hour := after(time.Hour)
	must(
		t,
		s.Mark(t.Context(),
			store.Mark{ID: "a", Class: store.ClassSweep, At: hour, Cause: store.CauseRetry},
			store.Mark{ID: "a", Class: store.ClassHint, At: store.At(start), Cause: store.CauseUnsigned},
		),
	)
	m, ok, err := firstDue(t.Context(), s, start, every)
	if !ok || err != nil || m.Class != store.ClassHint || m.At != store.At(start) {
		t.Fatalf("due is %+v, %t, %v", m, ok, err)
	}
	if m, ok, err := firstDue(t.Context(), s, start, every&^store.ClassesOf(store.ClassHint)); ok || err != nil {
		t.Errorf("due at the expense of others is %+v, %v", m, err)
	}
	if n, err := dueLen(t.Context(), s, hour.Time()); n != 1 || err != nil {
		t.Errorf("%d are due in an hour, %v", n, err)
	}
	minute := start.Add(time.Minute)
	must(t, s.Reschedule(t.Context(), store.Rescheduling{ID: "a", Gen: m.Gen, At: store.At(minute), Hint: true}))
	if at, ok, err := nextDue(t.Context(), s, every); !ok || err != nil || !at.Equal(minute) {
		t.Errorf("next at %s, %t, %v", at, ok, err)
	}
	if at, ok, err := nextDue(t.Context(), s, every&^store.ClassesOf(store.ClassHint)); !ok || err != nil ||
		!at.Equal(hour.Time()) {
		t.Errorf("what it waits for is due at %s, %t, %v", at, ok, err)
	}
	must(
		t,
		s.Reschedule(t.Context(), store.Rescheduling{ID: "a", Gen: m.Gen, At: store.At(start.Add(30 * time.Minute))}),
	)
	if at, _, err := nextDue(t.Context(), s, every); err != nil || !at.Equal(start.Add(30*time.Minute)) {
		t.Errorf("put off as a whole, next at %s, %v", at, err)
	}
	s = reopenClosed(t, s)
	if m, ok, err := markOf(t.Context(), s, "a"); !ok || err != nil || m.Hint != after(30*time.Minute) ||
		m.At != hour ||
		m.Soonest() != m.Hint {
		t.Errorf("reopened: %+v, %v", m, err)
	}
	settle(t, s, store.Settlement{Record: store.Record{ID: "a", State: "live"}, Gen: m.Gen})
	if ids, err := s.dueIDs(start.Add(1000 * time.Hour)); err != nil || len(ids) != 0 {
		t.Errorf("once it is settled %q are due, %v", ids, err)
	}
}

// reopenClosed closes a store and opens it again, which checks that marks and due set agree.
func reopenClosed(t *testing.T, s *Store) *Store {
	t.Helper()
	must(t, s.Close())
	return reopen(t, s.path)
}
