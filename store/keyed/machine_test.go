package keyed_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
	"pgregory.net/rapid"
)

// A machine drives a store and a model through the same steps.
type machine struct {
	model
	store   store.Store
	bench   *bench
	claimed map[string]store.Mark   // work under way: the marks as they were then
	flying  map[string]store.Report // reports under way
	stamp   int                     // tells one record from the next
	below   keyed.KV                // of a plan
	left    map[keyed.Key]string    // what it held when the plan began
}

func check(t rapid.TB, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

var (
	drawID     = rapid.SampledFrom([]string{"a", "b", "c", "c\x00", "\xff", "d/e"})
	drawState  = rapid.SampledFrom([]store.State{store.StatePending, store.StateLive, store.StateHeld})
	drawValue  = rapid.SampledFrom([]string{"", "p", "p\x00a", "q"})
	drawStatus = rapid.SampledFrom([]store.Status{store.StatusSuccess, store.StatusFailed})
	drawAt     = rapid.Custom(func(t *rapid.T) store.Instant {
		return at(time.Duration(rapid.IntRange(-5, 5).Draw(t, "minutes")) * time.Minute)
	})
	drawMark = rapid.Custom(func(t *rapid.T) store.Mark {
		n := store.Mark{
			Class: store.Class(
				rapid.IntRange(0, int(store.Classes)-1).Draw(t, "class"),
			), At: drawAt.Draw(t, "at"), Cause: store.Cause(rapid.IntRange(0, 511).Draw(t, "cause")),
		}
		if n.Seen = drawValue.Draw(t, "seen"); n.Seen != "" {
			n.SeenAt = drawAt.Draw(t, "when")
			n.VariantAt = drawAt.Draw(t, "when of a variant")
		}
		return n
	})
)

// settlement is some end of some work on a publication.
func (m *machine) settlement(t *rapid.T, id string) store.Settlement {
	m.stamp++
	w := store.Settlement{Record: store.Record{
		ID: id, State: drawState.Draw(t, "state"), Product: drawValue.Draw(t, "product"),
		Listing: drawValue.Draw(t, "listing"), HashRule: m.stamp,
	}}
	w.Record.ListedAt = drawAt.Draw(t, "listed")
	w.Record.ShopID, w.Record.OnSale = drawValue.Draw(t, "in the shop"), rapid.Bool().Draw(t, "on sale")
	if rapid.Bool().Draw(t, "leaving") {
		w.Record.Removal = store.Removal{Reason: store.RemovalAbsent, At: drawAt.Draw(t, "found")}
	}
	if rapid.Bool().Draw(t, "held") {
		w.Record.Holds = []store.Hold{{Kind: store.HoldPrice, Since: drawAt.Draw(t, "since")}, {Kind: store.HoldPrice}}
	}
	if rapid.Bool().Draw(t, "wide") {
		w.Record.Problem = store.Problem{Kind: store.ProblemBlocked, Wide: true, Since: drawAt.Draw(t, "begun")}
	}
	if rapid.Bool().Draw(t, "again") {
		next := drawMark.Draw(t, "next")
		w.Next = &next
	}
	switch rapid.IntRange(0, 4).Draw(t, "outcome") {
	case 0, 1:
		w.Report = &store.Report{
			Status:   drawStatus.Draw(t, "status"),
			Refusals: rapid.IntRange(0, 1).Draw(t, "refusals"),
		}
	case 2:
		w.Cancel = true
	case 3:
		w.Forget = true
	}
	return w
}

// Mark makes one or two publications due.
func (m *machine) Mark(t *rapid.T) {
	var marks []store.Mark
	for range rapid.IntRange(1, 2).Draw(t, "marks") {
		n := drawMark.Draw(t, "mark")
		n.ID = drawID.Draw(t, "id")
		marks = append(marks, n)
	}
	check(t, m.store.Mark(t.Context(), marks...))
	for _, n := range marks {
		m.mark(n)
	}
}

// Claim begins the most urgent work that is not under way.
func (m *machine) Claim(t *rapid.T) {
	now := drawAt.Draw(t, "now")
	taken := func(id string) bool { _, ok := m.claimed[id]; return ok }
	first, _, err := m.store.Due(t.Context(),
		store.DueQuery{Classes: store.AllClasses, To: now, Skip: slices.Collect(maps.Keys(m.claimed)), Limit: 1},
	)
	check(t, err)
	var got store.Mark
	ok := len(first) > 0
	if ok {
		got = first[0]
	}
	want := slices.DeleteFunc(m.due(now), taken)
	if ok != (len(want) > 0) || ok && (got != m.marks[want[0]].As(got.Class) || got.At > now) {
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
	_, err := m.store.Settle(t.Context(), w)
	check(t, err)
	if m.marks[id].Gen == w.Gen {
		delete(m.marks, id)
	}
	m.put(w)
}

// Reschedule puts off work that was claimed.
func (m *machine) Reschedule(t *rapid.T) {
	if len(m.claimed) == 0 {
		t.Skip("nothing is claimed")
	}
	id := rapid.SampledFrom(slices.Sorted(maps.Keys(m.claimed))).Draw(t, "id")
	gen, at := m.claimed[id].Gen, drawAt.Draw(t, "at")
	delete(m.claimed, id)
	check(t, m.store.Reschedule(t.Context(), store.Rescheduling{ID: id, Gen: gen, At: at}))
	if n, ok := m.marks[id]; ok && n.Gen == gen {
		m.marks[id] = n.Rescheduled(store.Rescheduling{At: at})
	}
}

// Wake makes due what waits, but for one class. Of the refreshes it makes those due that have
// failed and are due soon.
func (m *machine) Wake(t *rapid.T) {
	now, but := drawAt.Draw(t, "now"), store.Class(rapid.IntRange(0, int(store.Classes)).Draw(t, "but"))
	soon := drawAt.Draw(t, "soon")
	n, err := store.Wake(t.Context(), m.store, now, soon, func(n store.Mark) bool { return n.Class != but })
	check(t, err)
	woken := 0
	for id, w := range m.marks {
		failed := w.Cause&store.CauseRetry != 0 && w.At <= soon
		if w.At > now && (w.Class != store.ClassRefresh || failed) && w.Class != but {
			w = w.Moved(w.Class, now)
			woken++
		}
		if w.Hint > now && but != store.ClassHint {
			w = w.Moved(store.ClassHint, now)
			woken++
		}
		m.marks[id] = w
	}
	if n != woken {
		t.Fatalf("%d woken, want %d", n, woken)
	}
}

// Advance brings refreshes forward.
func (m *machine) Advance(t *rapid.T) {
	latest := drawAt.Draw(t, "latest")
	n, err := store.Advance(t.Context(), m.store, latest)
	check(t, err)
	advanced := 0
	for id, w := range m.marks {
		if w.At > latest && w.Class == store.ClassRefresh {
			w.At = latest
			m.marks[id] = w
			advanced++
		}
	}
	if n != advanced {
		t.Fatalf("%d advanced, want %d", n, advanced)
	}
}

// Report begins to send a report.
func (m *machine) Report(t *rapid.T) {
	for r, err := range store.Reports(t.Context(), m.store, store.AllOwed) {
		check(t, err)
		if _, ok := m.flying[r.ID]; !ok {
			m.flying[r.ID] = r
			return
		}
	}
}

// Acknowledge ends the sending of one, which may have been replaced meanwhile.
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
	check(
		t,
		store.Acknowledge(
			t.Context(),
			m.store,
			store.Ack{Report: sent, Apply: func(r *store.Report, s *store.Settlement) bool {
				asked = true
				if owed != (r != nil) || owed && *r != want || !cmp.Equal(s.Record, m.records[id]) {
					t.Errorf("acknowledged with %+v owed and %+v, want %+v and %+v", r, s.Record, want, m.records[id])
				}
				*s = w
				return true
			}},
		),
	)
	if asked != known {
		t.Fatalf("asked %t about a publication that is known %t", asked, known)
	}
	if known {
		m.put(w)
	}
}

// Page stores a page of a listing.
func (m *machine) Page(t *rapid.T) {
	p := store.Page{
		Name:   "full",
		Cursor: store.Cursor{Value: drawValue.Draw(t, "cursor"), At: drawAt.Draw(t, "at")},
		Seen:   rapid.Bool().Draw(t, "enumeration"),
	}
	ids := rapid.SliceOfNDistinct(drawID, 0, 3, rapid.ID[string]).Draw(t, "ids")
	var ends []store.Settlement
	var write []bool
	for _, id := range ids {
		ends = append(ends, m.settlement(t, id))
		write = append(write, rapid.Bool().Draw(t, "write"))
	}
	p.Changes = store.Each(ids, func(i int, known bool, owed *store.Report, s *store.Settlement) bool {
		_, want := m.records[ids[i]]
		r, owes := m.reports[ids[i]]
		if known != want || owes != (owed != nil) || owes && *owed != r || s.Record.ID != ids[i] {
			t.Errorf("judged %q, known %t, with %+v owed", s.Record.ID, known, owed)
		}
		*s = ends[i]
		return write[i]
	})
	check(t, m.store.PutPage(t.Context(), p))
	m.cursor = p.Cursor
	for i, id := range ids {
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
	check(t, m.store.EndListing(t.Context(), store.End{Name: "full", Seen: true, Done: at(0)}))
	m.cursor, m.seen = store.Cursor{}, map[string]bool{}
}

// Reopen is a restart: what was under way is under way no more.
func (m *machine) Reopen(t *rapid.T) {
	m.store, m.claimed, m.flying = m.bench.reopen(t), map[string]store.Mark{}, map[string]store.Report{}
}

// Plan goes on in a store over the one that there is, which stays as it is.
func (m *machine) Plan(t *rapid.T) {
	if m.below != nil {
		t.Skip("there is one already")
	}
	m.below, m.left = m.bench.kv, dump(t, m.bench.kv)
	m.bench.plan(t)
	m.store = m.bench.reopen(t)
}

// dump is all that a KV holds.
func dump(t rapid.TB, kv keyed.KV) map[keyed.Key]string {
	all := map[keyed.Key]string{}
	check(t, kv.View(context.Background(), func(tx *keyed.Tx) error {
		for _, b := range keyed.Buckets {
			for p, err := range tx.Scan(b, "", "") {
				check(t, err)
				all[keyed.Key{Bucket: b, Key: p.Key}] = string(p.Value)
			}
		}
		return nil
	}))
	return all
}

// Check compares all that can be read.
func (m *machine) Check(t *rapid.T) {
	if m.below != nil {
		same(t, "the store below", m.left, dump(t, m.below))
	}
	records, counts, notMet := map[string]store.Record{}, map[store.State]int{}, []string(nil)
	for r, err := range store.Records(t.Context(), m.store, store.Query{}) {
		check(t, err)
		records[r.ID] = r
		counts[r.State]++
		if !m.seen[r.ID] {
			notMet = append(notMet, r.ID)
		}
	}
	same(t, "records", m.records, records)
	have, err := m.store.Counts(t.Context())
	check(t, err)
	same(t, "counts", counts, have)
	var met []string
	for r, err := range store.Records(t.Context(), m.store, store.Query{Unseen: true}) {
		check(t, err)
		met = append(met, r.ID)
	}
	same(t, "unseen", notMet, met)

	m.checkKeys(t)

	reports, _, err := m.store.Outbox(t.Context(), store.ReportQuery{Limit: 100})
	check(t, err)
	for _, r := range reports {
		want := m.reports[r.ID]
		if want.Seq == 0 {
			want.Seq = r.Seq
			m.reports[r.ID] = want
		}
		same(t, "report", want, r)
	}
	same(t, "reports owed", len(m.reports), len(reports))
	m.checkReports(t)
	highest := m.gen
	for id, n := range m.marks {
		got := get(t.Context(), t, m.store, id).Mark
		if got == nil {
			t.Fatalf("the mark of %q is gone", id)
		}
		if n.Gen == 0 {
			if got.Gen <= m.gen {
				t.Fatalf("the mark of %q has the generation %d, after %d", id, got.Gen, m.gen)
			}
			n.Gen, highest = got.Gen, max(highest, got.Gen)
			m.marks[id] = n
		}
		same(t, "mark", n, *got)
	}
	m.gen = highest
	for _, now := range []time.Duration{-10 * time.Minute, 0, 10 * time.Minute} {
		want := m.due(at(now))
		marks, _, err := m.store.Due(t.Context(), store.DueQuery{Classes: store.AllClasses, To: at(now)})
		check(t, err)
		var due []string
		for _, n := range marks {
			if !slices.Contains(due, n.ID) { // it may be due for its own reason and for an unsigned webhook
				due = append(due, n.ID)
			}
		}
		same(t, "due", want, due)
		m.checkCauses(t, at(now))
		f, err := m.store.Backlog(t.Context(), at(now))
		check(t, err)
		same(t, "backlog", len(want), f.Due)
	}
	for _, value := range []string{"p", "p\x00a", "q"} {
		want := map[string]bool{}
		for _, r := range m.records {
			if r.Product == value || r.Listing == value {
				want[r.ID] = true
			}
		}
		got, err := m.store.Resolve(t.Context(), nil, []string{value}, []string{value})
		check(t, err)
		same(t, "resolved", slices.Sorted(maps.Keys(want)), got)
	}
	cursor, _, err := m.store.CursorOf(t.Context(), "full")
	check(t, err)
	same(t, "cursor", m.cursor, cursor)
}

// checkKeys compares what the queries by key find with the keys of the records.
func (m *machine) checkKeys(t *rapid.T) {
	keys := []store.Key{
		store.KeyLeaving(), store.KeyUnread(), store.KeyShopWide(), store.KeyHold(store.HoldPrice),
		store.KeyHold(store.HoldRemoval),
	}
	for _, state := range store.States() {
		keys = append(keys, store.KeyState(state))
	}
	from, to := drawAt.Draw(t, "from"), drawAt.Draw(t, "to")
	for _, key := range keys {
		for _, q := range []store.Query{{Key: key}, {Key: key, From: from, To: to}, {Key: key, Limit: 1}} {
			places := map[string]string{}
			for id, r := range m.records {
				if place, ok := q.Place(r); ok {
					places[place] = id
				}
			}
			var want, got []string
			for _, place := range slices.Sorted(maps.Keys(places)) {
				want = append(want, places[place])
			}
			for r, err := range store.Records(t.Context(), m.store, q) {
				check(t, err)
				same(t, "record found by "+key.String(), m.records[r.ID], r)
				got = append(got, r.ID)
			}
			same(t, "found by "+key.String(), want, got)
		}
	}
	onSale := 0
	for _, r := range m.records {
		if r.OnSale {
			onSale++
		}
	}
	f, err := m.store.Backlog(t.Context(), 0)
	check(t, err)
	same(t, "on sale", onSale, f.OnSale)
}

// checkReports compares the reports that were refused before with the others.
func (m *machine) checkReports(t *rapid.T) {
	for _, only := range []store.Owed{store.AllOwed, store.OwedFresh, store.OwedRefused} {
		var want, got []string
		for _, id := range slices.Sorted(maps.Keys(m.reports)) {
			if only.Has(m.reports[id]) {
				want = append(want, id)
			}
		}
		for q := (store.ReportQuery{Only: only, Limit: 1}); ; {
			reports, after, err := m.store.Outbox(t.Context(), q)
			check(t, err)
			for _, r := range reports {
				got = append(got, r.ID)
			}
			if q.After = after; after == "" {
				break
			}
		}
		same(t, fmt.Sprint("reports of ", only), want, got)
	}
}

// checkCauses compares the marks that are due for some reasons, out of all or of the first few.
func (m *machine) checkCauses(t *rapid.T, now store.Instant) {
	all, _, err := m.store.Due(t.Context(), store.DueQuery{Classes: store.AllClasses, To: now})
	check(t, err)
	causes := store.CauseSeen | store.CauseRead
	for _, among := range []int{0, 1, 3} {
		got, _, err := m.store.Due(t.Context(), store.DueQuery{
			Classes: store.AllClasses, Causes: causes, Among: among, To: now,
		})
		check(t, err)
		read := all
		if among > 0 {
			read = all[:min(among, len(all))]
		}
		var want []store.Mark
		for _, n := range read {
			if n.Cause&causes != 0 {
				want = append(want, n)
			}
		}
		same(t, fmt.Sprint("due for a reason, among ", among), want, got)
	}
}

func same(t rapid.TB, what string, want, got any) {
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s: %s", what, diff)
	}
}

// Whatever is done to a store, in whatever order, and to one that lies over it, it holds what a few maps would hold.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := &bench{}
		m := &machine{
			model: model{
				records: map[string]store.Record{},
				marks:   map[string]store.Mark{},
				reports: map[string]store.Report{},
				seen:    map[string]bool{},
			},
			bench: b, store: b.store(t), claimed: map[string]store.Mark{}, flying: map[string]store.Report{},
		}
		t.Repeat(rapid.StateMachineActions(m))
	})
}
