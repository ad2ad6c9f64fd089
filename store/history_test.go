package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
)

// The history of a publication has its last 50 events, and one of each month before. It is
// bounded in bytes whatever the events say.
func TestHistoryIsBounded(t *testing.T) {
	start := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name        string
		event       func(i int) store.Event
		every       time.Duration
		events      int
		least, most int
	}{
		{
			"few", func(int) store.Event { return store.Event{Kind: store.EventPrice} }, time.Hour, 9, 9, 9,
		},
		{
			"many in a month", func(int) store.Event { return store.Event{Kind: store.EventPrice} }, time.Minute, 200,
			store.EventsKept, store.EventsKept + 12 + 1,
		},
		{
			"for two years", func(int) store.Event { return store.Event{Kind: store.EventStock} }, 24 * time.Hour, 730,
			store.EventsKept + 20, store.EventsKept + 12 + 24,
		},
		{
			"for twenty years", func(int) store.Event { return store.Event{Kind: store.EventStock} }, 10 * 24 * time.Hour, 730,
			store.EventsKept + 60, store.EventsKept + 12 + 60,
		},
		{
			"long ones", func(i int) store.Event {
				return store.Event{Kind: store.EventPrice, Moved: strings.Repeat(fmt.Sprint(i%10), 4000)}
			}, time.Hour, 100, 12, 12 + 12,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := keyed.InMemory()
			last := store.Event{}
			for i := range tt.events {
				last = tt.event(i)
				last.At = store.At(start.Add(time.Duration(i) * tt.every))
				r := record(t, s)
				r.History = append(r.History, last)
				after, err := s.Settle(t.Context(), store.Settlement{Record: r})
				if err != nil {
					t.Fatal(err)
				}
				if err := store.PutAway(t.Context(), s, after); err != nil {
					t.Fatal(err)
				}
				if n := len(record(t, s).History); n > 12 {
					t.Fatalf("the record has %d events, want at most 12", n)
				}
			}
			history, err := store.HistoryOf(t.Context(), s, record(t, s))
			if err != nil {
				t.Fatal(err)
			}
			if n := len(history); n < tt.least || n > tt.most {
				t.Errorf("%d events, want %d to %d", n, tt.least, tt.most)
			}
			if !slices.IsSortedFunc(history, func(a, b store.Event) int { return int(a.At - b.At) }) {
				t.Error("the events are not in their order")
			}
			if got := history[len(history)-1]; got != last {
				t.Errorf("the last event is %+v, want %+v", got, last)
			}
			fact, err := s.Meta(t.Context(), "history/a")
			if err != nil || len(fact) > 48<<10 {
				t.Errorf("the older events have %d bytes, %v, want at most 48 KiB", len(fact), err)
			}
		})
	}
}

func record(t *testing.T, s store.Reader) store.Record {
	t.Helper()
	e, err := s.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	return e.Record
}

// A process that ends between the two writes loses no event and shows none twice.
func TestHistoryAfterACrash(t *testing.T) {
	s := keyed.InMemory()
	r := store.Record{ID: "a"}
	for i := range 13 {
		r.History = append(r.History, store.Event{At: store.Instant(i + 1), Kind: store.EventPrice})
	}
	if _, err := s.Settle(t.Context(), store.Settlement{Record: r}); err != nil {
		t.Fatal(err)
	}
	if err := store.PutAway(t.Context(), s, r); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Settle(t.Context(), store.Settlement{Record: r}); err != nil { // as if the second had not been
		t.Fatal(err)
	}
	for range 2 {
		history, err := store.HistoryOf(t.Context(), s, record(t, s))
		if err != nil || !slices.Equal(history, r.History) {
			t.Errorf("got %d events, %v, want the %d once", len(history), err, len(r.History))
		}
		if err := store.PutAway(t.Context(), s, record(t, s)); err != nil {
			t.Fatal(err)
		}
	}
}
