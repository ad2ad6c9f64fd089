package store_test

import (
	"fmt"
	"testing"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
)

func TestAdopt(t *testing.T) {
	s := keyed.InMemory()
	fill := func(r *store.Record, known bool) bool {
		r.State, r.ShopID, r.ID = "pending", r.ShopID+"17", "b"
		return !known
	}
	for i, want := range []bool{true, false} {
		taken, err := store.Adopt(t.Context(), s, "a", fill)
		if taken != want || err != nil || record(t, s).ShopID != "17" {
			t.Errorf("time %d: %t, %v, %+v", i, taken, err, record(t, s))
		}
	}
	taken, err := store.Adopt(t.Context(), s, "a", func(r *store.Record, known bool) bool {
		r.State, r.ShopID = "live", "18"
		return known
	})
	if !taken || err != nil || record(t, s).ShopID != "18" {
		t.Errorf("known and taken: %t, %v, %+v", taken, err, record(t, s))
	}
	if got, err := s.Counts(t.Context()); got["pending"] != 0 || got["live"] != 1 || err != nil {
		t.Errorf("counts %v, %v", got, err)
	}
}

// Of what a copy holds every record is changed, more than fit into one transaction, and no report
// is owed that the copy owed.
func TestRecheck(t *testing.T) {
	s := keyed.InMemory()
	const records = 600
	for i := range records {
		w := store.Settlement{Record: store.Record{ID: fmt.Sprintf("p%03d", i), State: "live"}}
		if i == 300 {
			w.Report = &store.Report{Status: "success"}
		}
		if _, err := s.Settle(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // again, after a crash on the way
		if err := store.Recheck(t.Context(), s, 7, func(r *store.Record) { r.Open = true }); err != nil {
			t.Fatal(err)
		}
	}
	rechecked := 0
	for r, err := range store.Records(t.Context(), s, store.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Open {
			rechecked++
		}
	}
	if rechecked != records {
		t.Errorf("got %d records changed, want %d", rechecked, records)
	}
	if got, err := s.Counts(t.Context()); got["live"] != records || err != nil {
		t.Errorf("got %v, %v, want %d live", got, err, records)
	}
	e, err := s.Get(t.Context(), "p300")
	if e.Owed != nil || err != nil || e.Mark == nil || e.Mark.At > 7 || e.Mark.Cause != store.CauseRead {
		t.Errorf("what owed a report: %+v, %v", e, err)
	}
}
