package store

import (
	stdcmp "cmp"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A model is the store as one would explain it: maps, and no more.
type model struct {
	records map[string]Record
	marks   map[string]Mark
	reports map[string]Report
	seen    map[string]bool
	cursor  Cursor
	gen     uint64 // of the last mark
	seq     uint64 // of the last report
}

func (m *model) mark(n Mark) {
	if old, ok := m.marks[n.ID]; ok {
		n = old.merge(n)
	}
	m.gen++
	n.Gen = m.gen
	m.marks[n.ID] = n
}

// due is the marks in the order of work.
func (m *model) due(now Instant) (ids []string) {
	due := slices.DeleteFunc(slices.Collect(maps.Values(m.marks)), func(n Mark) bool { return n.At > now })
	slices.SortFunc(due, func(a, b Mark) int {
		return stdcmp.Or(stdcmp.Compare(a.Class, b.Class), stdcmp.Compare(a.At, b.At), stdcmp.Compare(a.ID, b.ID))
	})
	for _, n := range due {
		ids = append(ids, n.ID)
	}
	return ids
}

// put is what a settlement leaves.
func (m *model) put(w Settlement) {
	id := w.Record.ID
	if w.Forget {
		delete(m.records, id)
		delete(m.reports, id)
		return
	}
	m.records[id] = w.Record
	if w.Next != nil {
		next := *w.Next
		next.ID = id
		m.mark(next)
	}
	switch {
	case w.Cancel:
		delete(m.reports, id)
	case w.Report != nil:
		m.seq++
		m.reports[id] = Report{ID: id, Status: w.Report.Status, Seq: m.seq}
	}
}

// A machine drives a store and a model through the same steps.
type machine struct {
	model
	store   *Store
	claimed map[string]Mark   // work under way: the marks as they were then
	flying  map[string]Report // reports under way
	stamp   int               // tells one record from the next
}

func check(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

var (
	drawID     = rapid.SampledFrom([]string{"a", "b", "c", "c\x00", "\xff", "d/e"})
	drawState  = rapid.SampledFrom([]string{"pending", "live", "held"})
	drawValue  = rapid.SampledFrom([]string{"", "p", "p\x00a", "q"})
	drawStatus = rapid.SampledFrom([]string{"success", "failed"})
	drawAt     = rapid.Custom(func(t *rapid.T) Instant {
		return after(time.Duration(rapid.IntRange(-5, 5).Draw(t, "minutes")) * time.Minute)
	})
	drawMark = rapid.Custom(func(t *rapid.T) Mark {
		n := Mark{
			Class: Class(rapid.IntRange(0, Classes-1).Draw(t, "class")), At: drawAt.Draw(t, "at"), Cause: Cause(rapid.IntRange(0, 127).Draw(t, "cause")),
		}
		if n.Seen = drawValue.Draw(t, "seen"); n.Seen != "" {
			n.SeenAt = drawAt.Draw(t, "when")
		}
		return n
	})
)

// settlement is some end of some work on a publication.
func (m *machine) settlement(t *rapid.T, id string) Settlement {
	m.stamp++
	w := Settlement{Record: Record{
		ID: id, State: drawState.Draw(t, "state"), Product: drawValue.Draw(t, "product"), Listing: drawValue.Draw(t, "listing"), HashRule: m.stamp,
	}}
	if rapid.Bool().Draw(t, "again") {
		next := drawMark.Draw(t, "next")
		w.Next = &next
	}
	switch rapid.IntRange(0, 4).Draw(t, "outcome") {
	case 0, 1:
		w.Report = &Report{Status: drawStatus.Draw(t, "status")}
	case 2:
		w.Cancel = true
	case 3:
		w.Forget = true
	}
	return w
}

// Mark makes one or two publications due.
func (m *machine) Mark(t *rapid.T) {
	var marks []Mark
	for range rapid.IntRange(1, 2).Draw(t, "marks") {
		n := drawMark.Draw(t, "mark")
		n.ID = drawID.Draw(t, "id")
		marks = append(marks, n)
	}
	check(t, m.store.Mark(marks...))
	for _, n := range marks {
		m.mark(n)
	}
}

// Accept takes a mark in through the journal.
func (m *machine) Accept(t *rapid.T) {
	n := drawMark.Draw(t, "mark")
	n.ID = drawID.Draw(t, "id")
	check(t, m.store.Accept(n))
	_, err := m.store.intake.takeOver()
	check(t, err)
	m.mark(n)
}

// Claim begins the most urgent work that is not under way.
func (m *machine) Claim(t *rapid.T) {
	now := drawAt.Draw(t, "now")
	taken := func(id string) bool { _, ok := m.claimed[id]; return ok }
	got, ok, err := m.store.Due(now.Time(), every, taken)
	check(t, err)
	want := slices.DeleteFunc(m.due(now), taken)
	if ok != (len(want) > 0) || ok && got != m.marks[want[0]] {
		t.Fatalf("due is %+v, %t, of %q", got, ok, want)
	}
	if ok {
		m.claimed[got.ID] = got
	}
}

// Settle ends work that was claimed, perhaps long ago.
func (m *machine) Settle(t *rapid.T) {
	if len(m.claimed) == 0 {
		t.Skip("nothing is claimed")
	}
	id := rapid.SampledFrom(slices.Sorted(maps.Keys(m.claimed))).Draw(t, "id")
	w := m.settlement(t, id)
	w.Gen = m.claimed[id].Gen
	delete(m.claimed, id)
	_, err := m.store.Settle(w)
	check(t, err)
	if m.marks[id].Gen == w.Gen {
		delete(m.marks, id)
	}
	m.put(w)
}

// Defer puts off work that was claimed.
func (m *machine) Defer(t *rapid.T) {
	if len(m.claimed) == 0 {
		t.Skip("nothing is claimed")
	}
	id := rapid.SampledFrom(slices.Sorted(maps.Keys(m.claimed))).Draw(t, "id")
	gen, at := m.claimed[id].Gen, drawAt.Draw(t, "at")
	delete(m.claimed, id)
	check(t, m.store.Defer(id, gen, at.Time()))
	if n, ok := m.marks[id]; ok && n.Gen == gen {
		n.At = at
		m.marks[id] = n
	}
}

// Wake makes due what waits, but for refreshes and one class.
func (m *machine) Wake(t *rapid.T) {
	now, but := drawAt.Draw(t, "now"), Class(rapid.IntRange(0, Classes).Draw(t, "but"))
	n, err := m.store.Wake(now.Time(), func(n Mark) bool { return n.Class != but })
	check(t, err)
	woken := 0
	for id, w := range m.marks {
		if w.At > now && w.Class != ClassRefresh && w.Class != but {
			w.At = now
			m.marks[id] = w
			woken++
		}
	}
	if n != woken {
		t.Fatalf("%d woken, want %d", n, woken)
	}
}

// Advance brings refreshes forward.
func (m *machine) Advance(t *rapid.T) {
	latest := drawAt.Draw(t, "latest")
	n, err := m.store.Advance(latest.Time())
	check(t, err)
	advanced := 0
	for id, w := range m.marks {
		if w.At > latest && w.Class == ClassRefresh {
			w.At = latest
			m.marks[id] = w
			advanced++
		}
	}
	if n != advanced {
		t.Fatalf("%d advanced, want %d", n, advanced)
	}
}

// Report takes a report off.
func (m *machine) Report(t *rapid.T) {
	got, err := m.store.Outbox(1, func(id string) bool { _, ok := m.flying[id]; return ok })
	check(t, err)
	for _, r := range got {
		m.flying[r.ID] = r
	}
}

// Acknowledge lands one, which may have been replaced meanwhile.
func (m *machine) Acknowledge(t *rapid.T) {
	if len(m.flying) == 0 {
		t.Skip("nothing is under way")
	}
	id := rapid.SampledFrom(slices.Sorted(maps.Keys(m.flying))).Draw(t, "id")
	sent, w := m.flying[id], m.settlement(t, id)
	delete(m.flying, id)
	if m.reports[id].Seq == sent.Seq {
		delete(m.reports, id)
	}
	_, known := m.records[id]
	want, owed := m.reports[id]
	asked := false
	check(t, m.store.Acknowledge(Ack{Report: sent, Apply: func(r *Report, s *Settlement) bool {
		asked = true
		if owed != (r != nil) || owed && *r != want || !cmp.Equal(s.Record, m.records[id]) {
			t.Errorf("acknowledged with %+v owed and %+v, want %+v and %+v", r, s.Record, want, m.records[id])
		}
		*s = w
		return true
	}}))
	if asked != known {
		t.Fatalf("asked %t about a publication that is known %t", asked, known)
	}
	if known {
		m.put(w)
	}
}

// Page takes in a page of a listing.
func (m *machine) Page(t *rapid.T) {
	p := Page{Name: "full", Cursor: Cursor{Value: drawValue.Draw(t, "cursor"), At: drawAt.Draw(t, "at")}, Seen: rapid.Bool().Draw(t, "enumeration")}
	p.IDs = rapid.SliceOfNDistinct(drawID, 0, 3, rapid.ID[string]).Draw(t, "ids")
	var ends []Settlement
	var write []bool
	for _, id := range p.IDs {
		ends = append(ends, m.settlement(t, id))
		write = append(write, rapid.Bool().Draw(t, "write"))
	}
	p.Judge = func(i int, known bool, owed *Report, s *Settlement) bool {
		_, want := m.records[p.IDs[i]]
		r, owes := m.reports[p.IDs[i]]
		if known != want || owes != (owed != nil) || owes && *owed != r || s.Record.ID != p.IDs[i] {
			t.Errorf("judged %q, known %t, with %+v owed", s.Record.ID, known, owed)
		}
		*s = ends[i]
		return write[i]
	}
	check(t, m.store.PutPage(p))
	m.cursor = p.Cursor
	for i, id := range p.IDs {
		if p.Seen {
			m.seen[id] = true
		}
		if write[i] {
			m.put(ends[i])
		}
	}
}

// Complete ends the enumeration.
func (m *machine) Complete(t *rapid.T) {
	check(t, m.store.EndEnumeration("full", start))
	m.cursor, m.seen = Cursor{}, map[string]bool{}
}

// Reopen is a restart: what was under way is under way no more.
func (m *machine) Reopen(t *rapid.T) {
	check(t, m.store.Close())
	s, err := Open(m.store.path)
	check(t, err)
	m.store, m.claimed, m.flying = s, map[string]Mark{}, map[string]Report{}
}

// Check compares all that can be read.
func (m *machine) Check(t *rapid.T) {
	records, counts, unseen := map[string]Record{}, map[string]int{}, []string(nil)
	for r, err := range m.store.Records("") {
		check(t, err)
		records[r.ID] = r
		counts[r.State]++
		if !m.seen[r.ID] {
			unseen = append(unseen, r.ID)
		}
	}
	same(t, "records", m.records, records)
	same(t, "counts", counts, m.store.Counts())
	ids, err := m.store.Unseen(func(Record) bool { return true })
	check(t, err)
	same(t, "unseen", unseen, ids)

	reports, err := m.store.Outbox(100, never)
	check(t, err)
	for _, r := range reports {
		same(t, "report", m.reports[r.ID], r)
	}
	same(t, "reports owed", len(m.reports), len(reports))
	for id, n := range m.marks {
		got, _, err := m.store.MarkOf(id)
		check(t, err)
		same(t, "mark", n, got)
	}
	for _, now := range []time.Duration{-10 * time.Minute, 0, 10 * time.Minute} {
		want := m.due(after(now))
		due, err := m.store.dueIDs(start.Add(now))
		check(t, err)
		same(t, "due", want, due)
		n, err := m.store.Backlog(start.Add(now))
		check(t, err)
		same(t, "backlog", len(want), n)
	}
	for _, value := range []string{"p", "p\x00a", "q"} {
		want := map[string]bool{}
		for _, r := range m.records {
			if r.Product == value || r.Listing == value {
				want[r.ID] = true
			}
		}
		got, err := m.store.Resolve(nil, []string{value}, []string{value})
		check(t, err)
		same(t, "resolved", slices.Sorted(maps.Keys(want)), got)
	}
	cursor, _, err := m.store.CursorOf("full")
	check(t, err)
	same(t, "cursor", m.cursor, cursor)
}

func same(t *rapid.T, what string, want, got any) {
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s: %s", what, diff)
	}
}

// Whatever is done to a store, in whatever order, it holds what the model holds.
func TestStoreIsItsModel(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		s, err := Open(filepath.Join(dir, time.Duration(n).String()))
		check(t, err)
		m := &machine{
			model:   model{records: map[string]Record{}, marks: map[string]Mark{}, reports: map[string]Report{}, seen: map[string]bool{}},
			store:   s,
			claimed: map[string]Mark{}, flying: map[string]Report{},
		}
		m.store.db.NoSync = true // nothing here pulls the plug
		defer func() { check(t, m.store.Close()) }()
		actions := rapid.StateMachineActions(m)
		t.Repeat(actions)
	})
}
