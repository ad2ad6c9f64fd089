package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/store"
	"pgregory.net/rapid"
)

var (
	sprint  = fmt.Sprint
	sprintf = fmt.Sprintf
)

// Laws is every law.
func Laws() []Law {
	return []Law{
		{
			"Model",
			"Whatever is done to a store, in whatever order, it holds what a few maps would hold.",
			holdsItsModel,
		},
		{"Kept", "What a method has written is there when the store is opened again.", keepsWhatIsWritten},
		{"Whole", "A settlement, a page or a set of changes is made as a whole or not at all.", writesWholly},
		{
			"Generation",
			"A mark that arrives during the work outlives its settlement and its rescheduling.",
			keepsWhatArrives,
		},
		{
			"Report",
			"An acknowledgement removes the report that was sent, and no other that took its place.",
			keepsANewerReport,
		},
		{"Together", "No change of a record is lost where many are made at once.", losesNoChange},
		{"SKU", "A SKU belongs to one variant until a settled write no longer has it.", keepsSKUsApart},
		{
			"Left",
			"What is left of a forgotten publication is its record until it is known again, and its SKUs stay " +
				"claimed until it is written.",
			keepsWhatIsLeft,
		},
		{"Account", "A store belongs to one account for good.", keepsItsAccount},
		{"Marked", "What was marked is due at once, and is due when the store is opened again.", keepsWhatIsMarked},
		{"Panic", "A panic in a rule leaves nothing behind, and goes on in its caller.", leavesNothingOfAPanic},
		{
			"Ended",
			"A method whose context has ended does nothing, and returns the context's error.",
			endsWithItsContext,
		},
		{
			"Found",
			"A query by a key finds each record that has it since a time within its bounds, in their order, and " +
				"no other.",
			findsByKey,
		},
		{"Unkept", "An entry of a page whose id cannot be kept keeps no other from being kept.", passesOverLongIDs},
	}
}

var begun = time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)

func at(d time.Duration) store.Instant { return store.At(begun.Add(d)) }

func get(ctx context.Context, t rapid.TB, s store.Reader, id string) store.Entry {
	t.Helper()
	e, err := s.Get(ctx, id)
	must(t, err)
	return e
}

func settle(ctx context.Context, t rapid.TB, s store.Store, w store.Settlement) {
	t.Helper()
	_, err := s.Settle(ctx, w)
	must(t, err)
}

func keepsWhatIsWritten(ctx context.Context, t rapid.TB, b *bench) {
	s := b.store(t)
	r := store.Record{
		ID: "a", State: store.StatePartial, Title: "Lamp", Product: "p", Listing: "l", ReadAt: at(0),
		ShopState: []byte{0, 0xff}, Attempted: 5, Language: "nl",
		Sent: []store.Sent{{Variant: "v", Price: "21.95", Cost: "9", MSRP: "21.95"}},
		Variants: []store.Variant{
			{
				ID:       "v",
				SKU:      "X",
				Price:    "19.95",
				Quantity: -3,
				Supplied: store.Supply{Known: true, Cost: "9", Quantity: 2, Backorders: true},
			},
		}, History: []store.Event{{At: at(1), What: "created"}},
		Holds: []store.Hold{
			{Kind: store.HoldPrice, Variant: "v", Old: "1.00", New: "9.00"},
		}, Problem: store.Problem{Kind: store.ProblemBlocked, Attempts: 3},
	}
	next := store.Mark{Class: store.ClassSweep, At: at(time.Hour), Cause: store.CauseRetry, Seen: "u", SeenAt: at(2)}
	settle(ctx,
		t,
		s,
		store.Settlement{
			Record: r,
			Next:   &next,
			Report: &store.Report{Status: store.StatusSuccess, URL: "https://shop.example/a", Since: at(3)},
		},
	)
	must(
		t,
		s.PutPage(ctx,
			store.Page{
				Name:    "full",
				Cursor:  store.Cursor{Value: "c", Listed: 7, Read: true, Started: at(4)},
				Seen:    true,
				Changes: store.Each([]string{"a"}, leave),
			},
		),
	)
	must(t, s.SetMeta(ctx, "fact", "said"))
	var events []store.Event
	for i := range 40 {
		e := store.Event{At: at(time.Duration(i) * time.Minute), Kind: store.EventPrice, By: "ä", Why: store.WhyCostRose}
		e.Moved, _ = store.PackMoves([]store.Move{{Variant: "v", Old: "1.00", New: sprint(i)}})
		e.What = "\xff\x00" // text from elsewhere
		events = append(events, e)
		_, err := store.Update(ctx, s, func(_ *store.Report, w *store.Settlement) bool {
			w.Record.History = append(slices.Clone(w.Record.History), e)
			return true
		}, "a")
		must(t, err)
		must(t, store.PutAway(ctx, s, get(ctx, t, s, "a").Record))
	}
	before := get(ctx, t, s, "a")
	if n := len(before.Record.History); n > 12 {
		t.Errorf("the record has %d events, want the others put away", n)
	}
	must(t, s.Close())
	s = b.reopen(t)
	same(t, "entry", before, get(ctx, t, s, "a"))
	if before.Record.Title != r.Title || before.Mark == nil || before.Mark.Seen != "u" || before.Owed == nil ||
		before.Owed.URL != "https://shop.example/a" {
		t.Errorf("%+v was settled, and this is held: %+v", r, before)
	}
	history, err := store.HistoryOf(ctx, s, before.Record)
	must(t, err)
	if want := append(r.History, events...); !slices.Equal(history, want) {
		t.Errorf("the history is %+v, want %+v", history, want)
	}
	must(t, store.ForgetHistory(ctx, s, "a"))
	if history, err = store.HistoryOf(ctx, s, store.Record{ID: "a"}); len(history) != 0 || err != nil {
		t.Errorf("the history that was forgotten is %+v, %v", history, err)
	}
	c, ok, err := s.CursorOf(ctx, "full")
	must(t, err)
	if !ok || c.Value != "c" || c.Listed != 7 || !c.Read {
		t.Errorf("the cursor is %+v, %t", c, ok)
	}
	if fact, err := s.Meta(ctx, "fact"); fact != "said" || err != nil {
		t.Errorf("the fact is %q, %v", fact, err)
	}
	if counts, err := s.Counts(ctx); err != nil || counts[store.StatePartial] != 1 {
		t.Errorf("counts are %v, %v", counts, err)
	}
	for _, err := range store.Records(ctx, s, store.Query{Unseen: true}) {
		must(t, err)
		t.Errorf("an entry that was met is unseen")
	}
}

func leave(int, bool, *store.Report, *store.Settlement) bool { return false }

func writesWholly(ctx context.Context, t rapid.TB, b *bench) {
	s := b.store(t)
	settle(ctx, t, s, store.Settlement{Record: store.Record{ID: "a", State: store.StateLive}})
	bad := &store.Mark{Class: store.Classes}
	half := store.Settlement{
		Record: store.Record{ID: "a", State: store.StateHeld}, Report: &store.Report{Status: store.StatusFailed}, Next: bad,
	}
	if _, err := s.Settle(ctx, half); err == nil {
		t.Errorf("a mark of no class is taken")
	}
	err := s.PutPage(ctx,
		store.Page{
			Name:   "list",
			Cursor: store.Cursor{Value: "c"},
			Changes: store.Each([]string{"b", "a"}, func(i int, _ bool, _ *store.Report, w *store.Settlement) bool {
				if w.Record.State = store.StateHeld; i == 1 {
					w.Next = bad
				}
				return true
			}),
		},
	)
	if err == nil {
		t.Errorf("a page with a mark of no class is taken")
	}
	if e := get(ctx, t, s, "a"); e.Record.State != store.StateLive || e.Owed != nil || e.Mark != nil {
		t.Errorf("a part of what failed was written: %+v", e)
	}
	if e := get(ctx, t, s, "b"); e.Known {
		t.Errorf("a part of a page that failed was written: %+v", e)
	}
	if _, ok, err := s.CursorOf(ctx, "list"); ok || err != nil {
		t.Errorf("the cursor of a page that failed was written, %v", err)
	}
	if counts, err := s.Counts(ctx); err != nil || counts[store.StateLive] != 1 || len(counts) != 1 {
		t.Errorf("counts are %v, %v", counts, err)
	}
}

func keepsWhatArrives(ctx context.Context, t rapid.TB, b *bench) {
	s := b.store(t)
	must(t, s.Mark(ctx, store.Mark{ID: "a", Class: store.ClassSweep, At: at(0), Cause: store.CauseSeen}))
	due, _, err := s.Due(ctx, store.DueQuery{Classes: store.AllClasses, To: at(0), Limit: 1})
	must(t, err)
	if len(due) != 1 {
		t.Fatalf("due is %v", due)
	}
	must(t, s.Mark(ctx, store.Mark{ID: "a", Class: store.ClassHook, At: at(0), Cause: store.CauseSigned}))
	must(t, s.Reschedule(ctx, store.Rescheduling{ID: "a", Gen: due[0].Gen, At: at(time.Hour)}))
	settle(ctx, t, s, store.Settlement{Record: store.Record{ID: "a"}, Gen: due[0].Gen})
	m := get(ctx, t, s, "a").Mark
	if m == nil || m.Class != store.ClassHook || m.At != at(0) || m.Cause != store.CauseSeen|store.CauseSigned {
		t.Fatalf("of what arrived there is %+v", m)
	}
	settle(ctx, t, s, store.Settlement{Record: store.Record{ID: "a"}, Gen: m.Gen})
	if m := get(ctx, t, s, "a").Mark; m != nil {
		t.Errorf("settled work is due still: %+v", m)
	}
}

func keepsANewerReport(ctx context.Context, t rapid.TB, b *bench) {
	s := b.store(t)
	settle(
		ctx,
		t,
		s,
		store.Settlement{Record: store.Record{ID: "a"}, Report: &store.Report{Status: store.StatusFailed}},
	)
	sent := *get(ctx, t, s, "a").Owed
	settle(
		ctx,
		t,
		s,
		store.Settlement{Record: store.Record{ID: "a"}, Report: &store.Report{Status: store.StatusSuccess}},
	)
	ack := func(r store.Report) {
		must(t, store.Acknowledge(ctx, s, store.Ack{Report: r, Apply: func(_ *store.Report, w *store.Settlement) bool {
			w.Record.Reported = r.Status
			return true
		}}))
	}
	ack(sent)
	e := get(ctx, t, s, "a")
	if e.Owed == nil || e.Owed.Status != store.StatusSuccess || e.Record.Reported != store.StatusFailed {
		t.Fatalf("after the answer to an earlier report: %+v", e)
	}
	ack(*e.Owed)
	if e := get(ctx, t, s, "a"); e.Owed != nil || e.Record.Reported != store.StatusSuccess {
		t.Errorf("after the answer to the last report: %+v", e)
	}
}

func losesNoChange(ctx context.Context, t rapid.TB, b *bench) {
	s := b.store(t)
	const writers, each = 8, 10
	settle(ctx, t, s, store.Settlement{Record: store.Record{ID: "a"}})
	var wg sync.WaitGroup
	errs := make([]error, writers)
	for i := range writers {
		wg.Go(func() {
			for range each {
				_, err := store.Update(ctx, s, func(_ *store.Report, w *store.Settlement) bool {
					w.Record.HashRule++
					return true
				}, "a")
				errs[i] = errors.Join(errs[i], err)
			}
		})
	}
	wg.Wait()
	must(t, errors.Join(errs...))
	if n := get(ctx, t, s, "a").Record.HashRule; n != writers*each {
		t.Errorf("of %d changes %d are there", writers*each, n)
	}
}

func keepsSKUsApart(ctx context.Context, t rapid.TB, b *bench) {
	s := b.store(t)
	want := map[string]string{"v": "Lamp"}
	first, err := s.Begin(ctx, Attempt("a", []string{"v"}, want))
	must(t, err)
	must(t, s.Close())
	s = b.reopen(t)
	other := map[string]string{"v": "LAMP"}
	preview, err := store.PreviewSKUs(ctx, s, Attempt("b", []string{"v"}, other))
	must(t, err)
	second, err := s.Begin(ctx, Attempt("b", []string{"v"}, other))
	must(t, err)
	if first["v"] != "Lamp" || second["v"] == "LAMP" || !strings.HasPrefix(second["v"], "LAMP-") ||
		preview["v"] != second["v"] {
		t.Errorf("two variants have %q and %q, announced as %q", first["v"], second["v"], preview["v"])
	}
	settle(ctx, t, s, store.Settlement{Record: store.Record{ID: "a"}}) // it sells the variant no more
	third, err := s.Begin(ctx, Attempt("c", []string{"v"}, want))
	must(t, err)
	again, err := s.Begin(ctx, Attempt("b", []string{"v"}, other))
	must(t, err)
	if third["v"] != "Lamp" || again["v"] != second["v"] {
		t.Errorf("a free SKU is given as %q, and a suffix changed from %q to %q", third["v"], second["v"], again["v"])
	}
}

func keepsWhatIsLeft(ctx context.Context, t rapid.TB, b *bench) {
	s := b.store(t)
	claim := func(id string) string {
		t.Helper()
		got, err := store.PreviewSKUs(
			ctx,
			s,
			Attempt(id, []string{"v"}, map[string]string{"v": "Lamp"}),
		)
		must(t, err)
		return got["v"]
	}
	_, err := s.Begin(
		ctx,
		Attempt("a", []string{"v"}, map[string]string{"v": "Lamp"}),
	)
	must(t, err)
	gone := store.Record{
		ID: "a", State: store.StateWithdrawn, Product: "p", ReportedAt: at(0), WrittenAt: at(0),
		Variants: []store.Variant{{ID: "v", SKU: "Lamp"}},
	}
	settle(ctx, t, s, store.Settlement{Record: gone, Report: &store.Report{Status: store.StatusFailed}})
	settle(ctx, t, s, store.Settlement{Record: gone, Forget: true, Leave: true})
	must(t, s.Close())
	s = b.reopen(t)
	left := store.Entry{
		Record: store.Record{ID: "a", ReportedAt: at(0), Claims: []store.Claim{{Variant: "v", SKU: "Lamp"}}},
	}
	same(t, "what is left", left, get(ctx, t, s, "a"))
	ids, err := s.Resolve(ctx, []string{"a"}, []string{"p"}, nil)
	must(t, err)
	counts, err := s.Counts(ctx)
	must(t, err)
	if len(ids) > 0 || counts[store.StateWithdrawn] != 0 {
		t.Errorf("a forgotten publication is resolved as %v, and counted in %v", ids, counts)
	}
	if sku := claim("b"); sku == "Lamp" {
		t.Error("its SKU is given to another")
	}

	must(
		t,
		s.PutPage(ctx,
			store.Page{
				Name: "list",
				Changes: store.Each([]string{"a"}, func(_ int, known bool, _ *store.Report, w *store.Settlement) bool {
					same(t, "what is left, in a page", left.Record, w.Record)
					w.Record.State = store.StatePending
					return !known
				}),
			},
		),
	)
	if e := get(ctx, t, s, "a"); !e.Known || claim("a") != "Lamp" || claim("b") == "Lamp" {
		t.Errorf("listed again: %+v, SKU %q, that of another %q", e, claim("a"), claim("b"))
	}
	// without the variant
	settle(ctx, t, s, store.Settlement{Record: store.Record{ID: "a", State: store.StateLive, WrittenAt: at(1)}})
	if sku := claim("b"); sku != "Lamp" {
		t.Errorf("the SKU that it has no more is given as %q", sku)
	}
	settle(ctx, t, s, store.Settlement{Record: store.Record{ID: "a"}, Forget: true})
	same(t, "without a trace", store.Entry{Record: store.Record{ID: "a"}}, get(ctx, t, s, "a"))
}

func keepsItsAccount(ctx context.Context, t rapid.TB, b *bench) {
	s := b.store(t)
	must(t, store.ClaimAccount(ctx, s, ""))
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() { errs[i] = store.ClaimAccount(ctx, s, sprint("account ", i)) })
	}
	wg.Wait()
	won := slices.DeleteFunc(slices.Clone(errs), func(err error) bool { return err != nil })
	if len(won) != 1 {
		t.Fatalf("%d accounts claimed one store", len(won))
	}
	must(t, s.Close())
	var another *store.AccountError
	if err := store.ClaimAccount(ctx, b.reopen(t), "another"); !errors.As(err, &another) {
		t.Errorf("another account: %v", err)
	}
}

func keepsWhatIsMarked(ctx context.Context, t rapid.TB, b *bench) {
	s := b.store(t)
	isDue := func() {
		t.Helper()
		due, _, err := s.Due(ctx, store.DueQuery{Classes: store.AllClasses, To: at(0)})
		if err != nil || len(due) != 1 || due[0].ID != "a" || due[0].Cause != store.CauseSigned {
			t.Errorf("got %+v due, %v, want a for its webhook", due, err)
		}
	}
	must(t, s.Mark(ctx, store.Mark{ID: "a", Class: store.ClassHook, At: at(0), Cause: store.CauseSigned}))
	isDue()
	if f, err := s.Backlog(ctx, at(0)); f.Due != 1 || err != nil {
		t.Errorf("got a backlog of %d, %v, want 1", f.Due, err)
	}
	must(t, s.Close())
	s = b.reopen(t)
	isDue()
}

func leavesNothingOfAPanic(ctx context.Context, t rapid.TB, b *bench) {
	s := b.store(t)
	settle(ctx, t, s, store.Settlement{Record: store.Record{ID: "a", State: store.StateLive}})
	func() {
		defer func() {
			if p := recover(); p != "a rule's own" {
				t.Errorf("the panic came back as %v", p)
			}
		}()
		_, _ = store.Update(ctx, s, func(_ *store.Report, w *store.Settlement) bool { //nolint:errcheck // it panics
			w.Record.State = store.StateHeld
			panic("a rule's own")
		}, "a")
	}()
	if e := get(ctx, t, s, "a"); e.Record.State != store.StateLive {
		t.Errorf("left behind: %+v", e)
	}
	must(t, s.Mark(ctx, store.Mark{ID: "b"}))
}

func findsByKey(ctx context.Context, t rapid.TB, b *bench) {
	s := b.store(t)
	put := func(id string, state store.State, minute int) {
		listed := at(time.Duration(minute) * time.Minute)
		settle(ctx, t, s, store.Settlement{Record: store.Record{ID: id, State: state, ListedAt: listed}})
	}
	put("a", store.StatePending, 3)
	put("b", store.StatePending, 1)
	put("c", store.StatePending, 1)
	put("d", store.StateLive, 2)
	put("e", store.StatePending, 4)
	find := func(what string, q store.Query, want ...string) {
		t.Helper()
		var got []string
		for r, err := range store.Records(ctx, s, q) {
			must(t, err)
			got = append(got, r.ID)
		}
		same(t, what, want, got)
	}
	pending := store.KeyState(store.StatePending)
	find("all", store.Query{Key: pending}, "b", "c", "a", "e")
	find("one at a time", store.Query{Key: pending, Limit: 1}, "b", "c", "a", "e")
	find("no later than a time", store.Query{Key: pending, To: at(3 * time.Minute)}, "b", "c", "a")
	find("no sooner than a time", store.Query{Key: pending, From: at(3 * time.Minute)}, "a", "e")
	find("of another state", store.Query{Key: store.KeyState(store.StateLive)}, "d")
	find("of a state that none is in", store.Query{Key: store.KeyState(store.StateHeld)})
	find("live since a time", store.Query{Key: store.KeyState(store.StateLive), From: 1})
	put("b", store.StateLive, 9)
	settle(ctx, t, s, store.Settlement{Record: store.Record{ID: "e"}, Forget: true})
	must(t, s.Close())
	s = b.reopen(t)
	find("what is pending no more", store.Query{Key: pending}, "c", "a")
	find("what has become live", store.Query{Key: store.KeyState(store.StateLive), Limit: 1}, "b", "d")
}

func passesOverLongIDs(ctx context.Context, t rapid.TB, b *bench) {
	s := b.store(t)
	ids := []string{"", strings.Repeat("x", store.MaxID+1), strings.Repeat("y", store.MaxID), "good"}
	must(
		t,
		s.PutPage(ctx,
			store.Page{
				Name:   "list",
				Cursor: store.Cursor{Value: "c"},
				Seen:   true,
				Changes: store.Each(ids, func(_ int, _ bool, _ *store.Report, w *store.Settlement) bool {
					w.Record.State = store.StateLive
					return true
				}),
			},
		),
	)
	for i, id := range ids {
		if i >= 2 != get(ctx, t, s, id).Known {
			t.Errorf("entry %d is known: %t", i, i < 2)
		}
	}
}

func endsWithItsContext(ctx context.Context, t rapid.TB, b *bench) {
	s := b.store(t)
	settle(
		ctx,
		t,
		s,
		store.Settlement{Record: store.Record{ID: "a", State: store.StateLive}, Next: &store.Mark{At: at(0)}},
	)
	ended, end := context.WithCancel(ctx)
	end()
	write := func(_ bool, _ *store.Report, w *store.Settlement) bool { w.Record.Title = "written"; return true }
	calls := map[string]func() error{
		"Mark":         func() error { return s.Mark(ended, store.Mark{ID: "b"}) },
		"Reschedule":   func() error { return s.Reschedule(ended, store.Rescheduling{ID: "a", At: at(time.Hour)}) },
		"BringForward": func() error { _, err := s.BringForward(ended, 0, store.Mark{ID: "a"}); return err },
		"Begin":        func() error { _, err := s.Begin(ended, store.Attempt{ID: "b"}); return err },
		"Settle": func() error {
			_, err := s.Settle(ended, store.Settlement{Record: store.Record{ID: "b"}})
			return err
		},
		"Change": func() error { _, err := s.Change(ended, store.Change{ID: "a", Apply: write}); return err },
		"PutPage": func() error {
			return s.PutPage(ended, store.Page{Name: "list", Changes: []store.Change{{ID: "a", Apply: write}}})
		},
		"EndListing": func() error { return s.EndListing(ended, store.End{Name: "list", Done: at(0)}) },
		"SetMeta":    func() error { return s.SetMeta(ended, "fact", "written") },
		"Get":        func() error { _, err := s.Get(ended, "a"); return err },
		"List":       func() error { _, _, err := s.List(ended, store.Query{}); return err },
		"Counts":     func() error { _, err := s.Counts(ended); return err },
		"Backlog":    func() error { _, err := s.Backlog(ended, at(0)); return err },
		"Due":        func() error { _, _, err := s.Due(ended, store.DueQuery{Classes: store.AllClasses}); return err },
		"Outbox":     func() error { _, _, err := s.Outbox(ended, store.ReportQuery{}); return err },
		"Resolve":    func() error { _, err := s.Resolve(ended, []string{"a"}, nil, nil); return err },
		"SKUs": func() error {
			_, err := store.PreviewSKUs(ended, s, Attempt("a", nil, nil))
			return err
		},
		"CursorOf": func() error { _, _, err := s.CursorOf(ended, "list"); return err },
		"Meta":     func() error { _, err := s.Meta(ended, "fact"); return err },
	}
	for name, call := range calls {
		if err := call(); !store.Stopped(err) {
			t.Errorf("%s: got %v, want the context's error", name, err)
		}
	}
	if e := get(ctx, t, s, "a"); e.Record.Title != "" || e.Mark == nil || e.Mark.At != at(0) {
		t.Errorf("something was written: %+v", e)
	}
	if e := get(ctx, t, s, "b"); e.Known || e.Mark != nil {
		t.Errorf("something was written: %+v", e)
	}
}
