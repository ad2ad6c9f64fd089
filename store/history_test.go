package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
)

// The history of a publication has its last 50 events, and one of each month before,
// and none once it is forgotten.
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
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := keyed.InMemory()
			last := store.Event{}
			for i := range tt.events {
				last = tt.event(i)
				last.At = store.At(start.Add(time.Duration(i) * tt.every))
				r := record(t, s)
				r.History = append(r.History, last)
				if _, err := s.Settle(t.Context(), store.Settlement{Record: r}); err != nil {
					t.Fatal(err)
				}
				if n := len(record(t, s).History); n > 12 {
					t.Fatalf("the record has %d events, want at most 12", n)
				}
			}
			history, err := s.History(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			if n := len(history); n < tt.least || n > tt.most {
				t.Errorf("%d events, want %d to %d", n, tt.least, tt.most)
			}
			if !slices.IsSortedFunc(history, func(a, b store.Event) int { return int(a.At - b.At) }) {
				t.Error("the events are not in their order")
			}
			if _, err := s.Settle(t.Context(), store.Settlement{Record: record(t, s), Forget: true}); err != nil {
				t.Fatal(err)
			}
			if forgotten, err := s.History(t.Context(), "a"); len(forgotten) > 0 || err != nil {
				t.Errorf("once it is forgotten: %d events, %v", len(forgotten), err)
			}
			if got := history[len(history)-1]; got != last {
				t.Errorf("the last event is %+v, want %+v", got, last)
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
