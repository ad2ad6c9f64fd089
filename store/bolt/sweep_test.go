package bolt

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
)

func TestPage(t *testing.T) {
	s := newStore(t)
	settle(
		t,
		s,
		store.Settlement{
			Record: store.Record{ID: "b", State: "live", UpdatedAt: "u1"},
			Report: &store.Report{Status: "success"},
		},
	)
	cursor := store.Cursor{Value: "after b", At: after(0), Started: after(-time.Minute), Listed: 3, Read: true}
	type asked struct {
		i     int
		id    string
		known bool
		owed  string
	}
	var got []asked
	page := store.Page{Name: "updated", Cursor: cursor}
	page.Changes = store.Each(
		[]string{"c", "b", "a"},
		func(i int, known bool, owed *store.Report, w *store.Settlement) bool {
			got = append(got, asked{i: i, id: w.Record.ID, known: known})
			switch w.Record.ID {
			case "a":
				w.Record.State, w.Next, w.Report = "pending", &store.Mark{
					Class: store.ClassNew,
					At:    after(0),
				}, &store.Report{
					Status: "failed",
				}
				return true
			case "b":
				got[len(got)-1].owed = string(owed.Status)
				w.Record.UpdatedAt, w.Cancel = "u2", true
				return true
			}
			w.Record.State = "not to be kept"
			return false
		},
	)
	must(t, s.PutPage(t.Context(), page))
	want := []asked{{0, "c", false, ""}, {1, "b", true, "success"}, {2, "a", false, ""}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(asked{})); diff != "" {
		t.Error(diff)
	}
	have, ok, err := s.CursorOf(t.Context(), "updated")
	if !ok || err != nil || have != cursor {
		t.Errorf("cursor %+v, %t, %v", have, ok, err)
	}
	if _, known, err := recordOf(t.Context(), s, "c"); known || err != nil {
		t.Errorf("one left alone was written: %v", err)
	}
	if get(t, s, "a").State != "pending" || get(t, s, "b").UpdatedAt != "u2" {
		t.Errorf("%+v, %+v", get(t, s, "a"), get(t, s, "b"))
	}
	reports, _, err := s.Outbox(t.Context(), store.ReportQuery{Limit: 10})
	must(t, err)
	ids, err := s.dueIDs(start)
	if err != nil || len(reports) != 1 || reports[0].ID != "a" || !slices.Equal(ids, []string{"a"}) {
		t.Errorf("owed %+v, due %v, %v", reports, ids, err)
	}

	// An entry that cannot be written leaves the cursor where it was.
	err = s.PutPage(t.Context(),
		store.Page{
			Name:   "updated",
			Cursor: store.Cursor{Value: "too far"},
			Changes: store.Each([]string{"c", "d"}, func(i int, _ bool, _ *store.Report, w *store.Settlement) bool {
				if i == 1 {
					w.Next = &store.Mark{Class: store.Classes}
				}
				return true
			}),
		},
	)
	have, _, cerr := s.CursorOf(t.Context(), "updated")
	_, known, gerr := recordOf(t.Context(), s, "c")
	if err == nil || cerr != nil || gerr != nil || known || have != cursor {
		t.Errorf("%v, cursor %+v, first entry known %t", err, have, known)
	}
}

func TestEnumeration(t *testing.T) {
	s := newStore(t)
	put := func(name string, seen bool, ids ...string) {
		t.Helper()
		must(
			t,
			s.PutPage(t.Context(),
				store.Page{
					Name:   name,
					Cursor: store.Cursor{Value: name},
					Seen:   seen,
					Changes: store.Each(ids, func(_ int, known bool, _ *store.Report, w *store.Settlement) bool {
						w.Record.State = "live"
						return !known
					}),
				},
			),
		)
	}
	unmet := func() []string {
		t.Helper()
		ids, err := unseen(t.Context(), s)
		must(t, err)
		return ids
	}
	put("updated", false, "a", "b", "c", "d")
	put("full", true, "d", "b")
	if got := unmet(); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("unseen %v", got)
	}
	must(t, s.Close())
	s = reopen(t, s.path)
	put("full", true, "a")
	if got := unmet(); !slices.Equal(got, []string{"c"}) {
		t.Errorf("unseen over a restart %v", got)
	}

	must(t, s.EndListing(t.Context(), store.End{Name: "updated"}))
	_, kept, err := s.CursorOf(t.Context(), "full")
	must(t, err)
	if got := unmet(); !slices.Equal(got, []string{"c"}) || !kept {
		t.Errorf("unseen after another cursor went %v, %t", got, kept)
	}
	must(t, s.EndListing(t.Context(), store.End{Name: "full", Seen: true, Done: store.At(start)}))
	_, under, err := s.CursorOf(t.Context(), "full")
	must(t, err)
	done, ended, err := s.CursorOf(t.Context(), "full.done")
	if err != nil || under || !ended || done.At != after(0) || len(unmet()) != 4 {
		t.Errorf("ended: %+v, %t, %t, %v, unseen %v", done, ended, under, err, unmet())
	}

	put("full", true, "a")
	must(t, s.EndListing(t.Context(), store.End{Name: "full", Seen: true}))
	if _, under, err := s.CursorOf(t.Context(), "full"); under || err != nil || len(unmet()) != 4 {
		t.Errorf("dropped: %t, %v, unseen %v", under, err, unmet())
	}
	must(t, s.EndListing(t.Context(), store.End{Name: "none"}))
}

func TestRemovedSince(t *testing.T) {
	const removedKept = 72 * time.Hour
	s := newStore(t)
	remove := func(id string, at time.Duration) {
		t.Helper()
		settle(
			t,
			s,
			store.Settlement{
				Record:  store.Record{ID: id, Removal: store.Removal{At: after(at), Done: true}},
				Removed: true,
			},
		)
	}
	remove("a", 0)
	remove("b", time.Hour)
	remove("c", time.Hour)
	// it was not on sale
	settle(
		t,
		s,
		store.Settlement{Record: store.Record{ID: "d", Removal: store.Removal{At: after(time.Hour), Done: true}}},
	)
	for _, tt := range []struct {
		since time.Duration
		want  int
	}{{-time.Hour, 3}, {0, 3}, {time.Millisecond, 2}, {time.Hour, 2}, {time.Hour + time.Millisecond, 0}} {
		if n, err := removedLen(t.Context(), s, start.Add(tt.since)); n != tt.want || err != nil {
			t.Errorf("since %s: %d, %v, want %d", tt.since, n, err, tt.want)
		}
	}
	keys := func() (n int) {
		must(t, s.View(t.Context(), func(tx keyed.Tx) error {
			for range tx.Scan("removed", "") {
				n++
			}
			return nil
		}))
		return n
	}
	remove("e", removedKept)
	if n := keys(); n != 4 {
		t.Errorf("%d removals are kept", n)
	}
	remove("f", removedKept+time.Minute)
	if n := keys(); n != 4 {
		t.Errorf("%d removals are kept: the oldest is of no use any more", n)
	}
}

func TestCursorsAreApart(t *testing.T) {
	s := newStore(t)
	if _, ok, err := s.CursorOf(t.Context(), "x"); ok || err != nil {
		t.Errorf("never stored: %t, %v", ok, err)
	}
	for i := range 3 {
		must(
			t,
			s.PutPage(t.Context(), store.Page{Name: fmt.Sprint(i), Cursor: store.Cursor{Value: fmt.Sprintf("c%d", i)}}),
		)
	}
	for i := range 3 {
		if c, ok, err := s.CursorOf(t.Context(), fmt.Sprint(i)); !ok || err != nil || c.Value != fmt.Sprintf("c%d", i) {
			t.Errorf("cursor %d: %+v, %t, %v", i, c, ok, err)
		}
	}
	must(
		t,
		s.Update(t.Context(), func(tx keyed.Tx) error { return tx.Put("cursor", "x", []byte("damaged")) }),
	)
	if _, ok, err := s.CursorOf(t.Context(), "x"); ok || !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("damaged: %t, %v", ok, err)
	}
}
