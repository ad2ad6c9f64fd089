package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A machine drives a store and a model through the same steps.
type machine struct {
	model
	store store.Store
	bench *bench
	stamp store.Instant        // tells one change from the next
	below store.KV             // of a plan
	left  map[store.Key]string // what it held when the plan began
}

// An edit is a change of an entry.
type edit func(*store.Entry) bool

var (
	drawID     = rapid.SampledFrom([]string{"a", "b", "c", "c\x00", "\xff", "d/e"})
	drawState  = rapid.SampledFrom([]store.State{"", store.StatePending, store.StateLive, store.StateHeld})
	drawValue  = rapid.SampledFrom([]string{"", "p", "p\x00a", "q"})
	drawSKU    = rapid.SampledFrom([]string{"", "x", "X", "y", "z"})
	drawStatus = rapid.SampledFrom([]store.Status{store.StatusSuccess, store.StatusFailed})
	drawAt     = rapid.Custom(func(t *rapid.T) store.Instant {
		return at(time.Duration(rapid.IntRange(-5, 5).Draw(t, "minutes")) * time.Minute)
	})
	drawMark = rapid.Custom(func(t *rapid.T) store.Mark {
		return store.Mark{
			Class: store.Class(rapid.IntRange(0, int(store.Classes)-1).Draw(t, "class")), At: drawAt.Draw(t, "at"),
			Seen: drawValue.Draw(t, "seen"), Tries: rapid.IntRange(0, 2).Draw(t, "tries"),
		}
	})
)

// record is some record.
func (m *machine) record(t *rapid.T) store.Record {
	m.stamp++
	r := store.Record{
		State: drawState.Draw(t, "state"), Product: drawValue.Draw(t, "product"), Listing: drawValue.Draw(t, "listing"),
		WrittenAt: m.stamp, ListedAt: drawAt.Draw(t, "listed"), ShopID: drawValue.Draw(t, "in the shop"),
		Sale: store.Sale(rapid.IntRange(0, 3).Draw(t, "sale")), Hashes: map[shopadapter.Fields]uint64{1: 2, 2: 3, 4: 5},
		Variants: []store.Variant{{ID: "v", SKU: drawSKU.Draw(t, "SKU")}},
	}
	if rapid.Bool().Draw(t, "leaving") {
		r.Removal = store.Removal{Reason: store.RemovalAbsent, At: drawAt.Draw(t, "found")}
	}
	if rapid.Bool().Draw(t, "held") {
		verdict := rapid.SampledFrom([]store.Verdict{"", store.Declined}).Draw(t, "verdict")
		r.Holds = []store.Hold{
			{Kind: store.HoldPrice, Since: drawAt.Draw(t, "since"), Verdict: verdict}, {Kind: store.HoldPrice},
		}
	}
	if rapid.Bool().Draw(t, "wide") {
		r.Problem = store.Problem{Kind: store.ProblemBlocked, Wide: true, Since: drawAt.Draw(t, "begun")}
	}
	if rapid.Bool().Draw(t, "reported") {
		r.ReportedAt = drawAt.Draw(t, "at")
	}
	return r
}

// remark is a change of a mark, or of a hint.
func remark(t *rapid.T, hint bool) func(**store.Mark) {
	n := drawMark.Draw(t, "mark")
	if n.Class == store.ClassHint || hint {
		n.Class = store.ClassSweep
	}
	if hint {
		n.Class = store.ClassHint
	}
	how := rapid.IntRange(0, 4).Draw(t, "how")
	return func(of **store.Mark) {
		switch {
		case how == 0:
			*of = nil
		case how == 1:
			c := n
			*of = &c
		case how == 2 && *of != nil: // put off
			(*of).At = n.At
		case how == 3 && *of != nil:
			**of = (*of).Merge(n)
		}
	}
}

// edit is some change of some publication.
func (m *machine) edit(t *rapid.T) edit {
	r, write := m.record(t), rapid.IntRange(0, 3).Draw(t, "write") > 0
	only := rapid.Bool().Draw(t, "a part of the record") // else another record
	claim := drawSKU.Draw(t, "claim")
	mark, hint := remark(t, false), remark(t, true)
	owed, refusals := rapid.IntRange(0, 4).Draw(t, "owed"), rapid.IntRange(0, 1).Draw(t, "refusals")
	report := store.Report{Status: drawStatus.Draw(t, "status"), Refusals: refusals}
	forget, leave := rapid.IntRange(0, 4).Draw(t, "forget") == 0, rapid.Bool().Draw(t, "leave")
	news := store.Event{At: m.stamp, What: fmt.Sprint("event ", m.stamp)}
	return func(e *store.Entry) bool {
		switch {
		case !only:
			e.Record = r // of no id: the entry's stays
		case len(e.Record.Claims) > 0: // where it lies
			e.Record.Claims[0] = claim
		case claim != "":
			e.Record.Claims = []string{claim}
		}
		mark(&e.Mark)
		hint(&e.Hint)
		switch {
		case owed == 1:
			e.Owed = nil
		case owed == 2:
			c := report
			e.Owed = &c
		case owed == 3 && e.Owed != nil:
			e.Owed.Refusals++
		}
		e.Tell(news)
		e.Forget, e.Leave = forget, leave
		return write
	}
}

// asks is an edit that compares what it is given with what the model holds.
func (m *machine) asks(t *rapid.T, id string, by edit) edit {
	want := m.entry(id)
	return func(e *store.Entry) bool {
		same(t, "asked about", want, *e)
		return by(e)
	}
}

// Mark makes one or two publications due.
func (m *machine) Mark(t *rapid.T) {
	var marks []store.Mark
	for range rapid.IntRange(1, 2).Draw(t, "marks") {
		n := drawMark.Draw(t, "mark")
		n.ID = drawID.Draw(t, "id")
		marks = append(marks, n)
	}
	must(t, m.store.Mark(t.Context(), marks...))
	for _, n := range marks {
		m.mark(n)
	}
}

// several is some publications, and a change of each.
func (m *machine) several(t *rapid.T) (ids []string, edits []edit) {
	ids = rapid.SliceOfNDistinct(drawID, 0, 3, rapid.ID[string]).Draw(t, "ids")
	for _, id := range ids {
		edits = append(edits, m.asks(t, id, m.edit(t)))
	}
	return ids, edits
}

// Change changes some publications.
func (m *machine) Change(t *rapid.T) {
	ids, edits := m.several(t)
	got, err := m.store.Change(t.Context(), ids, func(e *store.Entry) bool {
		return edits[slices.Index(ids, e.Record.ID)](e)
	})
	must(t, err)
	want := 0
	for i, id := range ids {
		if m.change(id, nil, edits[i]) {
			want++
		}
	}
	same(t, "changed", want, got)
}

// Begin changes one by who holds SKUs, or fails.
func (m *machine) Begin(t *rapid.T) {
	id, skus := drawID.Draw(t, "id"), []string{"x", "y"}
	by, refused := m.asks(t, id, m.edit(t)), errors.New("refused")
	err := m.store.Begin(t.Context(), id, skus, func(e *store.Entry, owners map[string]string) error {
		same(t, "owners", m.ownersOf(skus), owners)
		if !by(e) {
			return refused
		}
		return nil
	})
	if changed := m.change(id, skus, by); changed != (err == nil) || !changed && !errors.Is(err, refused) {
		t.Fatalf("begun %t: got %v", changed, err)
	}
}

func (m *machine) ownersOf(skus []string) map[string]string {
	owners := maps.Clone(m.owners)
	maps.DeleteFunc(owners, func(key, _ string) bool { return !slices.Contains(skus, key) })
	return owners
}

// Page stores a page of a listing.
func (m *machine) Page(t *rapid.T) {
	ids, edits := m.several(t)
	p := store.Page{
		Name:   "full",
		Cursor: store.Cursor{Value: drawValue.Draw(t, "cursor"), At: drawAt.Draw(t, "at")},
		Seen:   rapid.Bool().Draw(t, "enumeration"),
		IDs:    ids, Change: func(i int, e *store.Entry) bool { return edits[i](e) },
	}
	must(t, m.store.PutPage(t.Context(), p))
	m.cursor = p.Cursor
	for i, id := range ids {
		if p.Seen {
			m.seen[id] = true
		}
		m.change(id, nil, edits[i])
	}
}

// Complete ends the enumeration.
func (m *machine) Complete(t *rapid.T) {
	must(t, m.store.EndListing(t.Context(), store.End{Name: "full", Seen: true, Done: at(0)}))
	m.cursor, m.seen = store.Cursor{}, map[string]bool{}
}

// Reopen is a restart.
func (m *machine) Reopen(t *rapid.T) { m.store = m.bench.reopen(t) }

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
func dump(t rapid.TB, kv store.KV) map[store.Key]string {
	all := map[store.Key]string{}
	must(t, kv.View(context.Background(), func(tx *store.Tx) error {
		for _, b := range store.Buckets {
			for p, err := range tx.Scan(b, "", "") {
				must(t, err)
				all[store.Key{Bucket: b, Key: p.Key}] = string(p.Value)
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
	m.checkEntries(t)
	m.checkRecords(t)
	m.checkKeys(t)
	m.checkReports(t)
	m.checkDue(t)
	for _, value := range []string{"p", "p\x00a", "q"} {
		want := map[string]bool{}
		for id, r := range m.known() {
			if id == "a" || r.Product == value || r.Listing == value {
				want[id] = true
			}
		}
		got, err := m.store.Resolve(t.Context(), []string{"a"}, []string{value}, []string{value})
		must(t, err)
		same(t, "resolved", slices.Sorted(maps.Keys(want)), got)
	}
	owners, err := m.store.Owners(t.Context(), "x", "y", "z")
	must(t, err)
	same(t, "owners", m.owners, owners)
	cursor, _, err := m.store.CursorOf(t.Context(), "full")
	must(t, err)
	same(t, "cursor", m.cursor, cursor)
}

// checkEntries compares each entry and its history, and learns the numbers that the store gave
// since.
func (m *machine) checkEntries(t *rapid.T) {
	gen, seq := m.gen, m.seq
	learn := func(want *uint64, got, before uint64, highest *uint64) {
		if *want == 0 {
			if got <= before {
				t.Fatalf("a new number is %d, after %d", got, before)
			}
			*want, *highest = got, max(*highest, got)
		}
	}
	for id := range m.entries {
		want, got := m.entry(id), get(t.Context(), t, m.store, id)
		for _, n := range []struct{ want, got *store.Mark }{{want.Mark, got.Mark}, {want.Hint, got.Hint}} {
			if n.want != nil && n.got != nil {
				learn(&n.want.Gen, n.got.Gen, m.gen, &gen)
			}
		}
		if want.Owed != nil && got.Owed != nil {
			learn(&want.Owed.Seq, got.Owed.Seq, m.seq, &seq)
		}
		same(t, fmt.Sprintf("what is held of %q", id), want, got)
		m.entries[id] = want
		history, err := m.store.History(t.Context(), id)
		must(t, err)
		same(t, "history", m.histories[id], history)
	}
	m.gen, m.seq = gen, seq
}

// checkRecords compares all records, their counts, and those that the enumeration has not met.
func (m *machine) checkRecords(t *rapid.T) {
	known, counts, notMet, onSale := m.known(), map[store.State]int{}, []string(nil), 0
	for _, id := range slices.Sorted(maps.Keys(known)) {
		counts[known[id].State]++
		if !m.seen[id] {
			notMet = append(notMet, id)
		}
		if known[id].Sale == store.OnSale {
			onSale++
		}
	}
	records := map[string]store.Record{}
	for r, err := range store.Records(t.Context(), m.store, store.Query{}) {
		must(t, err)
		records[r.ID] = r
	}
	same(t, "records", known, records)
	have, err := m.store.Counts(t.Context())
	must(t, err)
	same(t, "counts", counts, have)
	var unseen []string
	for r, err := range store.Records(t.Context(), m.store, store.Query{Unseen: true}) {
		must(t, err)
		unseen = append(unseen, r.ID)
	}
	same(t, "unseen", notMet, unseen)
	f, err := m.store.Backlog(t.Context(), 0)
	must(t, err)
	same(t, "on sale", onSale, f.OnSale)
}

// checkKeys compares what the queries by key find with the keys of the records.
func (m *machine) checkKeys(t *rapid.T) {
	keys := []store.Property{
		store.KeyLeaving(), store.KeyUnread(), store.KeyHold(store.HoldPrice),
		store.KeyHold(store.HoldRemoval),
	}
	for _, state := range store.States() {
		keys = append(keys, store.KeyState(state))
	}
	known, from, to := m.known(), drawAt.Draw(t, "from"), drawAt.Draw(t, "to")
	for _, key := range keys {
		for _, q := range []store.Query{{Key: key}, {Key: key, From: from, To: to}, {Key: key, Limit: 1}} {
			places := map[string]store.Record{}
			for _, r := range known {
				if place, ok := q.Place(r); ok {
					places[place] = r
				}
			}
			var want, got []store.Record
			for _, place := range slices.Sorted(maps.Keys(places)) {
				want = append(want, places[place])
			}
			for r, err := range store.Records(t.Context(), m.store, q) {
				must(t, err)
				got = append(got, r)
			}
			same(t, "found by "+key.String(), want, got)
		}
	}
}

// checkReports compares the reports that were refused before, the others, and all.
func (m *machine) checkReports(t *rapid.T) {
	for _, only := range []store.Owed{store.AllOwed, store.OwedFresh, store.OwedRefused} {
		var got []store.Report
		for q := (store.ReportQuery{Only: only, Limit: 1}); ; {
			reports, after, err := m.store.Outbox(t.Context(), q)
			must(t, err)
			got = append(got, reports...)
			if q.After = after; after == "" {
				break
			}
		}
		same(t, fmt.Sprint("reports of ", only), m.reports(only), got)
	}
	f, err := m.store.Backlog(t.Context(), 0)
	must(t, err)
	same(t, "owed", len(m.reports(store.AllOwed)), f.Owed)
	same(t, "refused", len(m.reports(store.OwedRefused)), f.Refused)
}

// checkDue compares what is due, all at once and one by one.
func (m *machine) checkDue(t *rapid.T) {
	some := store.ClassSet(rapid.IntRange(0, int(store.AllClasses)).Draw(t, "classes"))
	from, but := drawAt.Draw(t, "from"), drawID.Draw(t, "but")
	for _, now := range []store.Instant{at(-10 * time.Minute), at(0), at(10 * time.Minute)} {
		want := m.due(store.AllClasses, 0, now, "")
		got, next, err := m.store.Due(t.Context(), store.DueQuery{Classes: store.AllClasses, To: now})
		must(t, err)
		same(t, "due", want, got)
		if later := m.due(store.AllClasses, now+1, store.Latest, ""); len(want) == 0 && len(later) > 0 {
			soonest := slices.MinFunc(later, func(a, b store.Mark) int { return int(a.At - b.At) })
			same(t, "the next", soonest.At, next)
		}
		ids := map[string]bool{}
		for _, n := range want {
			ids[n.ID] = true
		}
		f, err := m.store.Backlog(t.Context(), now)
		must(t, err)
		same(t, "backlog", len(ids), f.Due)

		want, got = m.due(some, from, now, but), nil
		q := store.DueQuery{Classes: some, From: from, To: now, Limit: 1, Skip: []string{but}}
		for {
			one, _, err := m.store.Due(t.Context(), q)
			must(t, err)
			if len(one) == 0 {
				break
			}
			got = append(got, one...)
			q.Behind = &one[0]
		}
		same(t, "due one by one", want, got)
	}
}

func same(t rapid.TB, what string, want, got any) {
	if !reflect.DeepEqual(want, got) { // which costs a tenth of what a diff does
		t.Fatalf("%s: %s", what, cmp.Diff(want, got))
	}
}

// Whatever is done to a store, in whatever order, and to one that lies over it, it holds what a few
// maps would hold.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := &bench{}
		m := &machine{
			model: model{
				entries: map[string]store.Entry{}, histories: map[string][]store.Event{},
				owners: map[string]string{}, seen: map[string]bool{},
			},
			bench: b, store: b.store(t),
		}
		t.Repeat(rapid.StateMachineActions(m))
	})
}
