package bolt

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/storetest"
)

func TestSettleIsOneWrite(t *testing.T) {
	s := newStore(t)
	must(t, s.Mark(t.Context(), store.Mark{ID: "a", Class: store.ClassNew}))
	m, _, err := markOf(t.Context(), s, "a")
	must(t, err)
	r := settle(t, s, store.Settlement{
		Record: store.Record{
			ID:      "a",
			State:   "live",
			Product: "p",
		}, Gen: m.Gen, Next: &store.Mark{ID: "ignored", Class: store.ClassRefresh, At: after(time.Hour)},
		Report: &store.Report{Status: "success", URL: "https://shop.example.com/a", UpdatedAt: "u", Since: after(0)},
	})
	if r.State != "live" {
		t.Errorf("returned %+v", r)
	}
	owed, err := owedOf(t.Context(), s, "a")
	must(t, err)
	want := &store.Report{
		ID:        "a",
		Seq:       1,
		Status:    "success",
		URL:       "https://shop.example.com/a",
		UpdatedAt: "u",
		Since:     after(0),
	}
	if diff := cmp.Diff(want, owed); diff != "" {
		t.Error(diff)
	}
	if m, ok, err := markOf(t.Context(), s, "a"); !ok || err != nil || m.At != after(time.Hour) {
		t.Errorf("next %+v, %t, %v", m, ok, err)
	}

	// One part that cannot be written, and nothing is.
	must(t, s.Mark(t.Context(), store.Mark{ID: "a", Class: store.ClassHook}))
	m, _, err = markOf(t.Context(), s, "a")
	must(t, err)
	if _, err := s.Settle(t.Context(), store.Settlement{
		Record: store.Record{ID: "a", State: "withdrawn", Product: "q"}, Gen: m.Gen, Cancel: true, Removed: true,
		Next: &store.Mark{Class: store.Classes},
	}); err == nil {
		t.Fatal("an unknown class was taken")
	}
	now, _, err := markOf(t.Context(), s, "a")
	must(t, err)
	owed, err = owedOf(t.Context(), s, "a")
	must(t, err)
	removed, err := removedLen(t.Context(), s, time.Time{})
	must(t, err)
	ids, err := s.Resolve(t.Context(), nil, []string{"p"}, nil)
	must(t, err)
	if now != m || get(t, s, "a").State != "live" || owed == nil || removed != 0 || len(ids) != 1 ||
		countsOf(t.Context(), s)["live"] != 1 {
		t.Errorf(
			"a half: %+v, %+v, %+v, %d removed, %v, %v",
			now,
			get(t, s, "a"),
			owed,
			removed,
			ids,
			countsOf(t.Context(), s),
		)
	}
}

func TestSettleMerges(t *testing.T) {
	s := newStore(t)
	settle(
		t,
		s,
		store.Settlement{
			Record: store.Record{ID: "a", State: "pending", Reported: ""},
			Report: &store.Report{Status: "failed"},
		},
	)
	start := get(t, s, "a")
	// While the work is under way the report is acknowledged and another takes its place.
	settle(
		t,
		s,
		store.Settlement{
			Record: store.Record{ID: "a", State: "pending", Reported: "failed"},
			Report: &store.Report{Status: "success"},
		},
	)

	start.State, start.Title = "live", "Planter"
	out := settle(
		t,
		s,
		store.Settlement{Record: start, Merge: func(now store.Record, owed *store.Report, w *store.Settlement) {
			if now.Reported != "failed" || owed == nil || owed.Status != "success" || w.Record.Title != "Planter" {
				t.Errorf("merged with %+v, %+v, %+v", now, owed, w.Record)
			}
			w.Record.Reported, w.Cancel, w.Next = now.Reported, true, &store.Mark{Class: store.ClassRefresh}
		}},
	)
	if out.Reported != "failed" || out.State != "live" {
		t.Errorf("returned %+v", out)
	}
	if diff := cmp.Diff(out, get(t, s, "a")); diff != "" {
		t.Error(diff)
	}
	owed, err := owedOf(t.Context(), s, "a")
	_, marked, merr := markOf(t.Context(), s, "a")
	if owed != nil || err != nil || !marked || merr != nil {
		t.Errorf("owed %+v, %v, marked %t, %v", owed, err, marked, merr)
	}
	rename := func(_ store.Record, _ *store.Report, w *store.Settlement) { w.Record.ID = "b" }
	if _, err := s.Settle(t.Context(), store.Settlement{Record: start, Merge: rename}); err == nil {
		t.Error("a record was settled under the id of another")
	}
}

func TestForget(t *testing.T) {
	s := newStore(t)
	skus := map[string]string{"v": "X", "w": "Y"}
	_, err := s.Begin(t.Context(), storetest.Attempt("a", []string{"v", "w"}, skus))
	must(t, err)
	settle(t, s, store.Settlement{
		Record: store.Record{
			ID:        "a",
			State:     "live",
			Product:   "p",
			Listing:   "l",
			Attempted: 1,
			Variants:  []store.Variant{{ID: "v", SKU: "X"}},
		},
		Report: &store.Report{Status: "success"},
	})
	must(t, s.Mark(t.Context(), store.Mark{ID: "a", Class: store.ClassHook}))
	settle(
		t,
		s,
		store.Settlement{
			Record: store.Record{ID: "a"},
			Forget: true,
			Report: &store.Report{Status: "failed"},
			Next:   &store.Mark{Class: store.ClassSweep},
		},
	)

	_, known, err := recordOf(t.Context(), s, "a")
	must(t, err)
	owed, err := owedOf(t.Context(), s, "a")
	must(t, err)
	ids, err := s.Resolve(t.Context(), []string{"a"}, []string{"p"}, []string{"l"})
	must(t, err)
	free, err := store.PreviewSKUs(t.Context(), s, storetest.Attempt("b", []string{"v", "w"}, skus))
	must(t, err)
	m, marked, err := markOf(t.Context(), s, "a")
	must(t, err)
	if known || owed != nil || len(ids) != 0 || free["v"] != "X" || free["w"] != "Y" ||
		len(countsOf(t.Context(), s)) != 0 {
		t.Errorf("left: %t, %+v, %v, %v, %v", known, owed, ids, free, countsOf(t.Context(), s))
	}
	if !marked || m.Class != store.ClassHook {
		t.Errorf("the mark that arrived meanwhile: %+v, %t", m, marked)
	}
	settle(t, s, store.Settlement{Record: store.Record{ID: "never known"}, Forget: true})
}

func TestUpdate(t *testing.T) {
	s := newStore(t)
	for _, id := range []string{"a", "b", "c"} {
		settle(
			t,
			s,
			store.Settlement{Record: store.Record{ID: id, State: "held"}, Report: &store.Report{Status: "success"}},
		)
	}
	n, err := store.Update(t.Context(), s, func(owed *store.Report, w *store.Settlement) bool {
		if owed == nil || owed.ID != w.Record.ID {
			t.Errorf("%s is owed %+v", w.Record.ID, owed)
		}
		switch w.Record.ID {
		case "a":
			w.Record.State, w.Next, w.Cancel = "live", &store.Mark{Class: store.ClassHook}, true
		case "b":
			w.Record.State = "changed and refused"
			return false
		case "c":
			w.Forget = true
		}
		return true
	}, "c", "unknown", "a", "b")
	if n != 2 || err != nil {
		t.Errorf("%d changed, %v", n, err)
	}
	if diff := cmp.Diff(map[store.State]int{"live": 1, "held": 1}, countsOf(t.Context(), s)); diff != "" {
		t.Error(diff)
	}
	if n, err := owedLen(t.Context(), s); n != 1 || err != nil {
		t.Errorf("%d owed, %v", n, err)
	}
	if ids, err := s.dueIDs(start); err != nil || !slices.Equal(ids, []string{"a"}) {
		t.Errorf("due %v, %v", ids, err)
	}
	if n, err := store.Update(t.Context(), s, func(*store.Report, *store.Settlement) bool { return true }); n != 0 ||
		err != nil {
		t.Errorf("nothing: %d, %v", n, err)
	}
}

func TestAcknowledge(t *testing.T) {
	s := newStore(t)
	put := func(status store.Status) store.Report {
		t.Helper()
		settle(
			t,
			s,
			store.Settlement{Record: store.Record{ID: "a", State: "live"}, Report: &store.Report{Status: status}},
		)
		r, err := owedOf(t.Context(), s, "a")
		must(t, err)
		return *r
	}
	var seen []*store.Report
	ack := func(r store.Report) {
		t.Helper()
		must(
			t,
			store.Acknowledge(
				t.Context(),
				s,
				store.Ack{Report: r, Apply: func(owed *store.Report, w *store.Settlement) bool {
					seen = append(seen, owed)
					w.Record.Reported = r.Status
					return true
				}},
			),
		)
	}
	first := put("failed")
	second := put("success")
	if second.Seq <= first.Seq {
		t.Errorf("sequence %d after %d", second.Seq, first.Seq)
	}
	ack(first)
	owed, err := owedOf(t.Context(), s, "a")
	if err != nil || owed == nil || *owed != second || seen[0] == nil || *seen[0] != second ||
		get(t, s, "a").Reported != "failed" {
		t.Fatalf("an old acknowledgement left %+v, %v, and saw %+v", owed, err, seen[0])
	}
	ack(second)
	owed, err = owedOf(t.Context(), s, "a")
	if err != nil || owed != nil || seen[1] != nil || get(t, s, "a").Reported != "success" {
		t.Errorf("the acknowledgement left %+v, %v, and saw %+v", owed, err, seen[1])
	}
	ack(second)
	third := put("success")
	ack(second)
	if owed, err := owedOf(t.Context(), s, "a"); err != nil || owed == nil || *owed != third {
		t.Errorf("an acknowledgement that came twice left %+v, %v", owed, err)
	}

	must(
		t,
		store.Acknowledge(
			t.Context(),
			s,
			store.Ack{Report: third, Apply: func(_ *store.Report, w *store.Settlement) bool {
				w.Record.Reported = "not to be kept"
				return false
			}},
		),
	)
	if owed, err := owedOf(t.Context(), s, "a"); err != nil || owed != nil || get(t, s, "a").Reported != "success" {
		t.Errorf("left alone: %+v, %v, %+v", owed, err, get(t, s, "a"))
	}
	must(
		t,
		store.Acknowledge(t.Context(),
			s,
			store.Ack{Report: store.Report{ID: "unknown"}, Apply: func(*store.Report, *store.Settlement) bool {
				t.Error("asked about a publication that is not known")
				return true
			}},
		),
	)
}

func TestOutbox(t *testing.T) {
	s := newStore(t)
	for _, id := range []string{"c", "a", "d", "b"} {
		settle(t, s, store.Settlement{Record: store.Record{ID: id}, Report: &store.Report{Status: "success"}})
	}
	for _, tt := range []struct {
		name  string
		limit int
		after string
		want  string
	}{
		{"all", 10, "", "a b c d"},
		{"some", 2, "", "a b"},
		{"behind one", 10, "b", "c d"},
		{"behind none", 1, "bb", "c"},
		{"without a limit", 0, "", "a b c d"},
		{"behind the last", 5, "d", ""},
	} {
		got, _, err := s.Outbox(t.Context(), store.ReportQuery{After: tt.after, Limit: tt.limit})
		must(t, err)
		var ids []string
		for _, r := range got {
			ids = append(ids, r.ID)
		}
		if strings.Join(ids, " ") != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, ids, tt.want)
		}
	}
	if n, err := owedLen(t.Context(), s); n != 4 || err != nil {
		t.Errorf("%d owed, %v", n, err)
	}
	settle(t, s, store.Settlement{Record: store.Record{ID: "a"}, Report: &store.Report{Status: "failed"}})
	settle(t, s, store.Settlement{Record: store.Record{ID: "b"}})
	if n, err := owedLen(t.Context(), s); n != 4 || err != nil {
		t.Errorf("%d owed after one was replaced and one left alone, %v", n, err)
	}
	cancel := func(_ *store.Report, w *store.Settlement) bool { w.Cancel = true; return true }
	if _, err := store.Update(t.Context(), s, cancel, "a", "c"); err != nil {
		t.Error(err)
	}
	if n, err := owedLen(t.Context(), s); n != 2 || err != nil {
		t.Errorf("%d owed after two were cancelled, %v", n, err)
	}
	if n, err := refusedLen(t.Context(), s); n != 0 || err != nil {
		t.Errorf("%d refused, %v", n, err)
	}
	refused := store.Report{ID: "d", Status: "success", URL: "u", Refusals: 3, RefusedAt: store.At(start)}
	settle(t, s, store.Settlement{Record: store.Record{ID: "d"}, Report: &refused})
	if n, err := refusedLen(t.Context(), s); n != 1 || err != nil {
		t.Errorf("%d refused, %v", n, err)
	}
	owed, err := owedOf(t.Context(), s, "d")
	must(t, err)
	if refused.Seq = owed.Seq; *owed != refused {
		t.Errorf("owed %+v, want %+v", *owed, refused)
	}
}
