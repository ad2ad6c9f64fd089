package store_test

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

// Marking twice is marking once, by [store.Mark.Merge]. What an unsigned webhook asks for is a mark
// of its own.
func TestMarksMerge(t *testing.T) {
	const early, late, newer = store.Instant(1000), store.Instant(2000), "2026-11-02T08:00:01.5Z"
	waits := store.Mark{Class: store.ClassSweep, At: late, Tries: 1}
	wish, sweep := store.Mark{Class: store.ClassHint, At: early}, store.Mark{Class: store.ClassSweep, At: early}
	hook := func(at store.Instant) store.Mark { return store.Mark{Class: store.ClassHook, At: at} }
	refresh := func(at store.Instant) store.Mark { return store.Mark{Class: store.ClassRefresh, At: at} }
	hookSaw := store.Mark{Class: store.ClassHook, Seen: "u1"}
	saw := func(at string) store.Mark { return store.Mark{Class: store.ClassSweep, Seen: at} }
	since := func(m store.Mark, at store.Instant) store.Mark { m.Since = at; return m }
	for _, tt := range []struct {
		name            string
		old, next, want store.Mark
		hint            int64 // when the wish beside it is due, 0: there is none
	}{
		{"the same twice", sweep, sweep, since(sweep, early), 0},
		{"the more urgent class, the earlier time", hook(late), sweep, since(hook(early), early), 0},
		{"what a later sweep saw", saw("u1"), saw("u2"), saw("u2"), 0},
		{"what an older page saw", saw(newer), saw("2026-11-02T08:00:01Z"), saw(newer), 0},
		{"what a sweep saw, and a webhook of its product", saw("u1"), sweep, since(saw("u1"), early), 0},
		{"what a sweep saw outlives a mark that saw nothing", saw("u1"), hook(0), hookSaw, 0},
		{"a refresh does not move what waits", waits, refresh(early), since(waits, late), 0},
		{"two refreshes", refresh(late), refresh(early), refresh(early), 0},
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
			e := get(t, s, "a")
			if e.Mark != nil {
				got, gens = *e.Mark, e.Mark.Gen
			}
			if e.Hint != nil {
				hint, gens = e.Hint.At, max(gens, e.Hint.Gen)
			}
			if got.Gen = 0; got != tt.want || hint != store.Instant(tt.hint) || gens != 2 {
				t.Errorf("got %+v, a wish for %d, %d numbers given; want %+v, %d, 2", got, hint, gens, tt.want, tt.hint)
			}
		})
	}
}

// A hint's look is due in its own class. Where that look is put off, the publication's other mark is as
// it was.
func TestWishBesideWhatWaits(t *testing.T) {
	s := store.InMemory()
	hour, every := at(time.Hour), store.AllClasses
	waits := store.Mark{ID: "a", Class: store.ClassSweep, At: hour, Tries: 1}
	must(t, s.Mark(t.Context(), waits, store.Mark{ID: "a", Class: store.ClassHint, At: at(0)}))
	for _, later := range []store.Instant{at(0), at(time.Minute), at(30 * time.Minute)} {
		change(t, s, "a", func(e *store.Entry) { e.Hint.At = later })
		for classes, want := range map[store.ClassSet]store.Instant{
			every: later, every &^ store.ClassesOf(store.ClassHint): hour,
		} {
			due, next, err := s.Due(t.Context(), store.DueQuery{Classes: classes, To: -1})
			if len(due) > 0 || next != want || err != nil {
				t.Errorf("the classes %b: got %v, the next at %d, %v, want %d", classes, due, next, err, want)
			}
		}
	}
	if f, err := s.Backlog(t.Context(), store.Latest); f.Due != 1 || err != nil {
		t.Errorf("%d publications are due, %v, want 1", f.Due, err)
	}
	waits.Gen = 1
	if e := get(t, s, "a"); *e.Mark != waits || e.Known {
		t.Errorf("put off: %+v", e)
	}
	change(t, s, "a", func(e *store.Entry) { e.Mark, e.Hint = nil, nil })
	if due, next, err := s.Due(t.Context(), store.DueQuery{Classes: every, To: store.Latest}); len(due) > 0 || next != 0 {
		t.Errorf("once it is settled: %v, the next at %d, %v", due, next, err)
	}
}
