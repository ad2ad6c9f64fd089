package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSettleIsOneWrite(t *testing.T) {
	s := newStore(t)
	must(t, s.Mark(Mark{ID: "a", Class: ClassNew}))
	m, _, err := s.MarkOf("a")
	must(t, err)
	r := settle(t, s, Settlement{
		Record: Record{ID: "a", State: "live", Product: "p"}, Gen: m.Gen, Next: &Mark{ID: "ignored", Class: ClassRefresh, At: after(time.Hour)},
		Report: &Report{Status: "success", URL: "https://shop.example.com/a", UpdatedAt: "u", Since: after(0)},
	})
	if r.State != "live" {
		t.Errorf("returned %+v", r)
	}
	owed, err := s.Owed("a")
	must(t, err)
	want := &Report{ID: "a", Seq: 1, Status: "success", URL: "https://shop.example.com/a", UpdatedAt: "u", Since: after(0)}
	if diff := cmp.Diff(want, owed); diff != "" {
		t.Error(diff)
	}
	if m, ok, err := s.MarkOf("a"); !ok || err != nil || m.At != after(time.Hour) {
		t.Errorf("next %+v, %t, %v", m, ok, err)
	}

	// One part that cannot be written, and nothing is.
	must(t, s.Mark(Mark{ID: "a", Class: ClassHook}))
	m, _, err = s.MarkOf("a")
	must(t, err)
	if _, err := s.Settle(Settlement{
		Record: Record{ID: "a", State: "withdrawn", Product: "q"}, Gen: m.Gen, Cancel: true, Removed: true, Next: &Mark{Class: classes},
	}); err == nil {
		t.Fatal("an unknown class was taken")
	}
	now, _, err := s.MarkOf("a")
	must(t, err)
	owed, err = s.Owed("a")
	must(t, err)
	removed, err := s.RemovedSince(time.Time{})
	must(t, err)
	ids, err := s.Resolve(nil, []string{"p"}, nil)
	must(t, err)
	if now != m || get(t, s, "a").State != "live" || owed == nil || removed != 0 || len(ids) != 1 || s.Counts()["live"] != 1 {
		t.Errorf("a half: %+v, %+v, %+v, %d removed, %v, %v", now, get(t, s, "a"), owed, removed, ids, s.Counts())
	}
}

func TestSettleMerges(t *testing.T) {
	s := newStore(t)
	settle(t, s, Settlement{Record: Record{ID: "a", State: "pending", Reported: ""}, Report: &Report{Status: "failed"}})
	start := get(t, s, "a")
	// While the work is under way the report is acknowledged and another takes its place.
	settle(t, s, Settlement{Record: Record{ID: "a", State: "pending", Reported: "failed"}, Report: &Report{Status: "success"}})

	start.State, start.Title = "live", "Planter"
	out := settle(t, s, Settlement{Record: start, Merge: func(now Record, owed *Report, w *Settlement) {
		if now.Reported != "failed" || owed == nil || owed.Status != "success" || w.Record.Title != "Planter" {
			t.Errorf("merged with %+v, %+v, %+v", now, owed, w.Record)
		}
		w.Record.Reported, w.Cancel, w.Next = now.Reported, true, &Mark{Class: ClassRefresh}
	}})
	if out.Reported != "failed" || out.State != "live" {
		t.Errorf("returned %+v", out)
	}
	if diff := cmp.Diff(out, get(t, s, "a")); diff != "" {
		t.Error(diff)
	}
	owed, err := s.Owed("a")
	_, marked, merr := s.MarkOf("a")
	if owed != nil || err != nil || !marked || merr != nil {
		t.Errorf("owed %+v, %v, marked %t, %v", owed, err, marked, merr)
	}
	if _, err := s.Settle(Settlement{Record: start, Merge: func(_ Record, _ *Report, w *Settlement) { w.Record.ID = "b" }}); err == nil {
		t.Error("a record was settled under the id of another")
	}
}

func TestForget(t *testing.T) {
	s := newStore(t)
	skus := map[string]string{"v": "X", "w": "Y"}
	_, err := s.Begin(Attempt{ID: "a", Fields: 1, Order: []string{"v", "w"}, SKUs: skus})
	must(t, err)
	settle(t, s, Settlement{
		Record: Record{ID: "a", State: "live", Product: "p", Listing: "l", Attempted: 1, Variants: []Variant{{ID: "v", SKU: "X"}}},
		Report: &Report{Status: "success"},
	})
	must(t, s.Mark(Mark{ID: "a"}))
	settle(t, s, Settlement{Record: Record{ID: "a"}, Forget: true, Report: &Report{Status: "failed"}, Next: &Mark{Class: ClassSweep}})

	_, known, err := s.Get("a")
	must(t, err)
	owed, err := s.Owed("a")
	must(t, err)
	ids, err := s.Resolve([]string{"a"}, []string{"p"}, []string{"l"})
	must(t, err)
	free, err := s.PreviewSKUs("b", []string{"v", "w"}, skus)
	must(t, err)
	m, marked, err := s.MarkOf("a")
	must(t, err)
	if known || owed != nil || len(ids) != 0 || free["v"] != "X" || free["w"] != "Y" || len(s.Counts()) != 0 {
		t.Errorf("left: %t, %+v, %v, %v, %v", known, owed, ids, free, s.Counts())
	}
	if !marked || m.Class != ClassHook {
		t.Errorf("the mark that arrived meanwhile: %+v, %t", m, marked)
	}
	settle(t, s, Settlement{Record: Record{ID: "never known"}, Forget: true})
}

func TestUpdate(t *testing.T) {
	s := newStore(t)
	for _, id := range []string{"a", "b", "c"} {
		settle(t, s, Settlement{Record: Record{ID: id, State: "held"}, Report: &Report{Status: "success"}})
	}
	n, err := s.Update(func(owed *Report, w *Settlement) bool {
		if owed == nil || owed.ID != w.Record.ID {
			t.Errorf("%s is owed %+v", w.Record.ID, owed)
		}
		switch w.Record.ID {
		case "a":
			w.Record.State, w.Next, w.Cancel = "live", &Mark{Class: ClassHook}, true
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
	if diff := cmp.Diff(map[string]int{"live": 1, "held": 1}, s.Counts()); diff != "" {
		t.Error(diff)
	}
	if n, err := s.OutboxLen(); n != 1 || err != nil {
		t.Errorf("%d owed, %v", n, err)
	}
	if ids, err := s.dueIDs(start); err != nil || !slices.Equal(ids, []string{"a"}) {
		t.Errorf("due %v, %v", ids, err)
	}
	if n, err := s.Update(func(*Report, *Settlement) bool { return true }); n != 0 || err != nil {
		t.Errorf("nothing: %d, %v", n, err)
	}
}

func TestAcknowledge(t *testing.T) {
	s := newStore(t)
	put := func(status string) Report {
		t.Helper()
		settle(t, s, Settlement{Record: Record{ID: "a", State: "live"}, Report: &Report{Status: status}})
		r, err := s.Owed("a")
		must(t, err)
		return *r
	}
	var seen []*Report
	ack := func(r Report) {
		t.Helper()
		must(t, s.Acknowledge(Ack{Report: r, Apply: func(owed *Report, w *Settlement) bool {
			seen = append(seen, owed)
			w.Record.Reported = r.Status
			return true
		}}))
	}
	first := put("failed")
	second := put("success")
	if second.Seq <= first.Seq {
		t.Errorf("sequence %d after %d", second.Seq, first.Seq)
	}
	ack(first)
	owed, err := s.Owed("a")
	if err != nil || owed == nil || *owed != second || seen[0] == nil || *seen[0] != second || get(t, s, "a").Reported != "failed" {
		t.Fatalf("an old acknowledgement left %+v, %v, and saw %+v", owed, err, seen[0])
	}
	ack(second)
	owed, err = s.Owed("a")
	if err != nil || owed != nil || seen[1] != nil || get(t, s, "a").Reported != "success" {
		t.Errorf("the acknowledgement left %+v, %v, and saw %+v", owed, err, seen[1])
	}
	ack(second)
	third := put("success")
	ack(second)
	if owed, err := s.Owed("a"); err != nil || owed == nil || *owed != third {
		t.Errorf("an acknowledgement that came twice left %+v, %v", owed, err)
	}

	must(t, s.Acknowledge(Ack{Report: third, Apply: func(_ *Report, w *Settlement) bool {
		w.Record.Reported = "not to be kept"
		return false
	}}))
	if owed, err := s.Owed("a"); err != nil || owed != nil || get(t, s, "a").Reported != "success" {
		t.Errorf("left alone: %+v, %v, %+v", owed, err, get(t, s, "a"))
	}
	must(t, s.Acknowledge(Ack{Report: Report{ID: "unknown"}, Apply: func(*Report, *Settlement) bool {
		t.Error("asked about a publication that is not known")
		return true
	}}))
}

func TestOutbox(t *testing.T) {
	s := newStore(t)
	for _, id := range []string{"c", "a", "d", "b"} {
		settle(t, s, Settlement{Record: Record{ID: id}, Report: &Report{Status: "success"}})
	}
	for _, tt := range []struct {
		name  string
		limit int
		skip  string
		want  string
	}{{"all", 10, "", "a b c d"}, {"some", 2, "", "a b"}, {"but two", 10, "ac", "b d"}, {"some but two", 1, "ab", "c"}, {"none", 0, "", ""}} {
		got, err := s.Outbox(tt.limit, func(id string) bool { return strings.Contains(tt.skip, id) })
		must(t, err)
		var ids []string
		for _, r := range got {
			ids = append(ids, r.ID)
		}
		if strings.Join(ids, " ") != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, ids, tt.want)
		}
	}
	if n, err := s.OutboxLen(); n != 4 || err != nil {
		t.Errorf("%d owed, %v", n, err)
	}
	settle(t, s, Settlement{Record: Record{ID: "a"}, Report: &Report{Status: "failed"}})
	settle(t, s, Settlement{Record: Record{ID: "b"}})
	if n, err := s.OutboxLen(); n != 4 || err != nil {
		t.Errorf("%d owed after one was replaced and one left alone, %v", n, err)
	}
	if _, err := s.Update(func(owed *Report, w *Settlement) bool { w.Cancel = true; return true }, "a", "c"); err != nil {
		t.Error(err)
	}
	if n, err := s.OutboxLen(); n != 2 || err != nil {
		t.Errorf("%d owed after two were cancelled, %v", n, err)
	}
}
