package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

// Marking twice is marking once, by [store.Mark.Merge]. What an unsigned webhook asks for is a mark
// of its own.
func TestMarksMerge(t *testing.T) {
	const early, late = store.Instant(1000), store.Instant(2000)
	waits := store.Mark{Class: store.ClassSweep, At: late, Tries: 1}
	wish := store.Mark{Class: store.ClassHint, At: early}
	for _, tt := range []struct {
		name            string
		old, next, want store.Mark
		hint            int64 // when the wish beside it is due, 0: there is none
	}{
		{
			"the same twice",
			store.Mark{Class: store.ClassSweep, At: early},
			store.Mark{Class: store.ClassSweep, At: early},
			store.Mark{Class: store.ClassSweep, At: early},
			0,
		},
		{
			"the more urgent class, the earlier time",
			store.Mark{Class: store.ClassHook, At: late},
			store.Mark{Class: store.ClassSweep, At: early},
			store.Mark{Class: store.ClassHook, At: early},
			0,
		},
		{
			"what a later sweep saw",
			store.Mark{Class: store.ClassSweep, Seen: "u1"},
			store.Mark{Class: store.ClassSweep, Seen: "u2"},
			store.Mark{Class: store.ClassSweep, Seen: "u2"},
			0,
		},
		{
			"what a sweep saw outlives a mark that saw nothing",
			store.Mark{Class: store.ClassSweep, Seen: "u1"},
			store.Mark{Class: store.ClassHook},
			store.Mark{Class: store.ClassHook, Seen: "u1"},
			0,
		},
		{
			"a refresh does not move what waits",
			waits,
			store.Mark{Class: store.ClassRefresh, At: early},
			waits, 0,
		},
		{
			"two refreshes",
			store.Mark{Class: store.ClassRefresh, At: late},
			store.Mark{Class: store.ClassRefresh, At: early},
			store.Mark{Class: store.ClassRefresh, At: early},
			0,
		},
		{"an unsigned webhook has its wish beside what waits", waits, wish, waits, 1000},
		{"whichever of the two comes first", wish, waits, waits, 1000},
		{"two wishes", store.Mark{Class: store.ClassHint, At: late}, wish, store.Mark{}, 1000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.old.ID, tt.next.ID, tt.want.ID = "a", "a", "a"
			s := store.InMemory()
			must(t, s.Mark(t.Context(), tt.old, tt.next))
			got, hint := store.Mark{ID: "a"}, store.Instant(0)
			gens := uint64(0)
			e := get(t.Context(), t, s, "a")
			if e.Mark != nil {
				got, gens = *e.Mark, e.Mark.Gen
			}
			if e.Hint != nil {
				hint, gens = e.Hint.At, max(gens, e.Hint.Gen)
			}
			if got.Gen = 0; got != tt.want || hint != store.Instant(tt.hint) || gens != 2 {
				t.Errorf("got %+v, a wish for %d, %d numbers given; want %+v, %d, 2", got, hint, gens, tt.want, tt.hint)
			}
			if f, err := s.Backlog(t.Context(), late); f.Due != 1 || err != nil {
				t.Errorf("due %d, %v: marking twice is marking once", f.Due, err)
			}
		})
	}
}

// A class's number is part of the schema: a store of an earlier version opens, and says what it
// said.
func TestClassNumbers(t *testing.T) {
	for number, class := range []store.Class{
		store.ClassAsked, store.ClassHook, store.ClassNew, store.ClassSweep, store.ClassHint, store.ClassFull,
		store.ClassRules, store.ClassRefresh,
	} {
		if int(class) != number {
			t.Errorf("class %d, want %d", class, number)
		}
		m := store.Mark{ID: "a", Class: class, At: 1}
		data, err := store.Encode("a", m)
		must(t, err)
		if got, err := decodeMark("a", data); err != nil || got != m {
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
	s := store.InMemory()
	hour := at(time.Hour)
	waits := store.Mark{ID: "a", Class: store.ClassSweep, At: hour, Tries: 1}
	must(t, s.Mark(t.Context(), waits))
	must(t, s.Mark(t.Context(), store.Mark{ID: "a", Class: store.ClassHint, At: store.At(begun)}))
	m, ok, err := firstDue(t.Context(), s, begun, every)
	if !ok || err != nil || m.Class != store.ClassHint || m.At != store.At(begun) {
		t.Fatalf("due is %+v, %t, %v", m, ok, err)
	}
	others := every &^ store.ClassesOf(store.ClassHint)
	if m, ok, err := firstDue(t.Context(), s, begun, others); ok || err != nil {
		t.Errorf("due at the expense of others is %+v, %v", m, err)
	}
	if f, err := s.Backlog(t.Context(), hour); f.Due != 1 || err != nil {
		t.Errorf("%d are due in an hour, %v", f.Due, err)
	}
	for _, wait := range []time.Duration{time.Minute, 30 * time.Minute} {
		later := begun.Add(wait)
		change(t, s, "a", func(e *store.Entry) { e.Hint.At = store.At(later) })
		if at, ok, err := nextDue(t.Context(), s, every); !ok || err != nil || !at.Equal(later) {
			t.Errorf("next at %s, %t, %v", at, ok, err)
		}
		if at, ok, err := nextDue(t.Context(), s, others); !ok || err != nil || !at.Equal(hour.Time()) {
			t.Errorf("what it waits for is due at %s, %t, %v", at, ok, err)
		}
	}
	waits.Gen = 1
	if e := get(t.Context(), t, s, "a"); *e.Mark != waits || e.Known {
		t.Errorf("put off: %+v", e)
	}
	change(t, s, "a", func(e *store.Entry) { e.Mark, e.Hint = nil, nil })
	if at, ok, err := nextDue(t.Context(), s, every); ok || err != nil {
		t.Errorf("once it is settled it is due at %s, %v", at, err)
	}
}

const every = store.AllClasses

// firstDue is the most urgent mark that is due.
func firstDue(ctx context.Context, s store.Store, now time.Time, classes store.ClassSet) (store.Mark, bool, error) {
	due, _, err := s.Due(ctx, store.DueQuery{Classes: classes, To: store.At(now), Limit: 1})
	if len(due) == 0 {
		return store.Mark{}, false, err
	}
	return due[0], true, err
}

// nextDue is when the first mark is due, be it long ago.
func nextDue(ctx context.Context, s store.Store, classes store.ClassSet) (at time.Time, ok bool, err error) {
	_, next, err := s.Due(ctx, store.DueQuery{Classes: classes, To: -1, Limit: 1})
	return next.Time(), next != 0, err
}
