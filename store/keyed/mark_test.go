package keyed_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
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
			s := keyed.InMemory()
			must(t, s.Mark(t.Context(), tt.old, tt.next))
			got, ok, err := markOf(t.Context(), s, "a")
			if !ok || err != nil {
				t.Fatal(ok, err)
			}
			tt.want.Gen = 2
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if ids, err := dueIDs(s, late.Time()); err != nil || len(ids) != 1 {
				t.Errorf("due %v, %v: marking twice is marking once", ids, err)
			}
		})
	}
}

// dueIDs is the publications that are due, in their order.
func dueIDs(s store.Reader, now time.Time) (ids []string, err error) {
	due, _, err := s.Due(context.Background(), store.DueQuery{Classes: store.AllClasses, To: store.At(now)})
	for _, m := range due {
		if !slices.Contains(ids, m.ID) { // it may be due for its own reason and for an unsigned webhook
			ids = append(ids, m.ID)
		}
	}
	return ids, err
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

func TestInstant(t *testing.T) {
	if store.At(time.Time{}) != 0 || !store.Instant(0).Time().IsZero() {
		t.Error("never is not zero")
	}
	if got := store.At(begun.In(time.FixedZone("", 3600))).Time(); !got.Equal(begun) || got.Location() != time.UTC {
		t.Errorf("%v", got)
	}
}

// A hint's look is due in its own class. Where that look is put off, the publication's other mark
// is as it was.
func TestWishBesideWhatWaits(t *testing.T) {
	s := keyed.InMemory()
	hour := at(time.Hour)
	must(
		t,
		s.Mark(t.Context(),
			store.Mark{ID: "a", Class: store.ClassSweep, At: hour, Cause: store.CauseRetry},
			store.Mark{ID: "a", Class: store.ClassHint, At: store.At(begun), Cause: store.CauseUnsigned},
		),
	)
	m, ok, err := firstDue(t.Context(), s, begun, every)
	if !ok || err != nil || m.Class != store.ClassHint || m.At != store.At(begun) {
		t.Fatalf("due is %+v, %t, %v", m, ok, err)
	}
	if m, ok, err := firstDue(t.Context(), s, begun, every&^store.ClassesOf(store.ClassHint)); ok || err != nil {
		t.Errorf("due at the expense of others is %+v, %v", m, err)
	}
	if f, err := s.Backlog(t.Context(), hour); f.Due != 1 || err != nil {
		t.Errorf("%d are due in an hour, %v", f.Due, err)
	}
	minute := begun.Add(time.Minute)
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
		s.Reschedule(t.Context(), store.Rescheduling{ID: "a", Gen: m.Gen, At: store.At(begun.Add(30 * time.Minute))}),
	)
	if at, _, err := nextDue(t.Context(), s, every); err != nil || !at.Equal(begun.Add(30*time.Minute)) {
		t.Errorf("put off as a whole, next at %s, %v", at, err)
	}
	if m, ok, err := markOf(t.Context(), s, "a"); !ok || err != nil || m.Hint != at(30*time.Minute) ||
		m.At != hour ||
		m.Soonest() != m.Hint {
		t.Errorf("put off: %+v, %v", m, err)
	}
	settle(t.Context(), t, s, store.Settlement{Record: store.Record{ID: "a", State: "live"}, Gen: m.Gen})
	if ids, err := dueIDs(s, begun.Add(1000*time.Hour)); err != nil || len(ids) != 0 {
		t.Errorf("once it is settled %q are due, %v", ids, err)
	}
}

func markOf(ctx context.Context, s store.Reader, id string) (m store.Mark, ok bool, err error) {
	e, err := s.Get(ctx, id)
	if e.Mark == nil {
		return m, false, err
	}
	return *e.Mark, true, err
}

const every = store.AllClasses

// firstDue is the most urgent mark that is due.
func firstDue(ctx context.Context, s store.Reader, now time.Time, classes store.ClassSet) (store.Mark, bool, error) {
	due, _, err := s.Due(ctx, store.DueQuery{Classes: classes, To: store.At(now), Limit: 1})
	if len(due) == 0 {
		return store.Mark{}, false, err
	}
	return due[0], true, err
}

// nextDue is when the first mark is due, be it long ago.
func nextDue(ctx context.Context, s store.Reader, classes store.ClassSet) (at time.Time, ok bool, err error) {
	_, next, err := s.Due(ctx, store.DueQuery{Classes: classes, To: -1, Limit: 1})
	return next.Time(), next != 0, err
}
