package store_test

import (
	"fmt"
	"testing"

	"github.com/pubsync/pubsync/store"
)

// Every record is changed, more than fit into one transaction, with its mark and what is owed.
func TestChangeAll(t *testing.T) {
	s := store.InMemory()
	const records = 600
	var ids []string
	for i := range records {
		ids = append(ids, fmt.Sprintf("p%03d", i))
	}
	if n, err := s.Change(t.Context(), ids, func(e *store.Entry) bool {
		if e.Record.State = store.StateLive; e.Record.ID == "p300" {
			e.Owed = &store.Report{Status: store.StatusSuccess}
		}
		return true
	}); n != records || err != nil {
		t.Fatalf("got %d changed, %v, want %d", n, err, records)
	}
	for range 2 { // again, after a crash on the way
		n, err := store.ChangeAll(t.Context(), s, store.Query{}, func(e *store.Entry) bool {
			e.Record.ReadAt, e.Owed = 7, nil
			e.Note(store.Mark{Class: store.ClassFull, At: 7})
			return true
		})
		if n != records || err != nil {
			t.Fatalf("got %d changed, %v, want %d", n, err, records)
		}
	}
	changed := 0
	for r, err := range store.Records(t.Context(), s, store.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.ReadAt == 7 {
			changed++
		}
	}
	if changed != records {
		t.Errorf("got %d records changed, want %d", changed, records)
	}
	if got, err := s.Counts(t.Context()); got[store.StateLive] != records || err != nil {
		t.Errorf("got %v, %v, want %d live", got, err, records)
	}
	e, err := s.Get(t.Context(), "p300")
	if e.Owed != nil || err != nil || e.Mark == nil || e.Mark.At > 7 || e.Mark.Class != store.ClassFull {
		t.Errorf("what owed a report: %+v, %v", e, err)
	}
}
