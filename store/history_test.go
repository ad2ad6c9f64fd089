package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/store"
)

// The history of a publication has its last 50 events, and one of each month before,
// and none once it is forgotten.
func TestHistoryIsBounded(t *testing.T) {
	start := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, field string // of each change
		every       time.Duration
		events      int
		least, most int
	}{
		{"few", "price", time.Hour, 9, 9, 9},
		{"many in a month", "price", time.Minute, 200, store.EventsKept, store.EventsKept + 12 + 1},
		{"for two years", "stock", 24 * time.Hour, 730, store.EventsKept + 20, store.EventsKept + 12 + 24},
		{"for twenty years", "stock", 10 * 24 * time.Hour, 730, store.EventsKept + 60, store.EventsKept + 12 + 60},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := store.InMemory()
			change := func(change func(*store.Entry)) {
				t.Helper()
				if _, err := s.Change(t.Context(), []string{"a"}, func(e *store.Entry) bool {
					change(e)
					return true
				}); err != nil {
					t.Fatal(err)
				}
			}
			last := store.Event{What: store.WhatUpdated, Changes: []store.Change{{Field: tt.field}}}
			for i := range tt.events {
				last.At = store.At(start.Add(time.Duration(i) * tt.every))
				change(func(e *store.Entry) {
					e.Record.State = store.StateLive
					e.Tell(last)
				})
				if n := recent(t, s); n > 12 {
					t.Fatalf("one value has %d events, want at most 12", n)
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
			change(func(e *store.Entry) { e.Forget = true })
			if forgotten, err := s.History(t.Context(), "a"); len(forgotten) > 0 || err != nil {
				t.Errorf("once it is forgotten: %d events, %v", len(forgotten), err)
			}
			if got := history[len(history)-1]; !cmp.Equal(got, last) {
				t.Errorf("the last event is %+v, want %+v", got, last)
			}
		})
	}
}

// recent is how many events the value has that each new one is added to.
func recent(t *testing.T, s store.Store) (n int) {
	t.Helper()
	key := store.Key{Bucket: "recent", Key: "a"}
	if err := s.View(t.Context(), func(tx *store.Tx) error {
		found, err := tx.Get(key)
		if err != nil {
			return err
		}
		events, err := decodeEvents("a", found[key])
		n = len(events)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}
