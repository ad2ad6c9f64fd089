package overlay

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
	"github.com/pubsync/pubsync/store/storetest"
)

// A pair is an engine, and an overlay over another one that holds the same.
type pair struct {
	base, engine *keyed.Store
	overlay      *Store
	now          store.Instant
	made         []string // what was written since, for the message of a failure
}

// both makes one change on the engine and on the overlay.
func (p *pair) both(t *rapid.T, what string, change func(store.Store) error) {
	p.made = append(p.made, what)
	for _, s := range []store.Store{p.engine, p.overlay} {
		if err := change(s); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
}

var drawID = rapid.SampledFrom([]string{"a", "b", "c", "d/1", "é"})

// Settle ends a look at a publication, as it is known.
func (p *pair) Settle(t *rapid.T) {
	id, sale, forget := drawID.Draw(
		t,
		"id",
	), rapid.Bool().
		Draw(t, "on sale"),
		rapid.IntRange(0, 5).
			Draw(t, "forget") ==
			0
	state := rapid.SampledFrom(store.States()).Draw(t, "state")
	next := p.draw(t)
	product, listing := rapid.SampledFrom([]string{"", "p", "q"}).
		Draw(t, "product"),
		rapid.SampledFrom([]string{"", "l"}).
			Draw(t, "listing")
	listed, leaving := store.Instant(rapid.IntRange(-2, 2).Draw(t, "listed")), rapid.Bool().Draw(t, "leaving")
	report, leave := rapid.IntRange(0, 2).Draw(t, "report"), rapid.Bool().Draw(t, "leave")
	p.both(t, fmt.Sprint("settle ", id, sale, forget, state, next), func(s store.Store) error {
		e, err := s.Get(t.Context(), id)
		if err != nil {
			return err
		}
		w := store.Settlement{
			Record: store.Record{
				ID: id, State: state, OnSale: sale, Title: "T", ReportedAt: p.now, Product: product, Listing: listing,
			},
			Forget:  forget,
			Leave:   leave,
			Next:    &next,
			Removed: state == store.StateWithdrawn,
		}
		w.Record.Removal.At = p.now
		w.Record.ListedAt = p.now + listed
		if leaving {
			w.Record.Removal.Reason = store.RemovalAbsent
		}
		w.Record.Attempted, w.Record.Claims = e.Record.Attempted, e.Record.Claims
		if sale { // written: it has the SKUs that it was given last
			w.Record.Attempted = 0
			for _, c := range e.Record.Claims {
				w.Record.Variants = append(w.Record.Variants, store.Variant{ID: c.Variant, SKU: c.SKU})
			}
		}
		if e.Mark != nil {
			w.Gen = e.Mark.Gen
		}
		switch report {
		case 1:
			w.Report = &store.Report{Status: store.StatusSuccess, URL: "https://shop.example/1"}
		case 2:
			w.Cancel = true
		}
		_, err = s.Settle(t.Context(), w)
		return err
	})
}

func (p *pair) draw(t *rapid.T) store.Mark {
	return store.Mark{
		Class: store.Class(
			rapid.IntRange(0, int(store.Classes)-1).Draw(t, "class"),
		), Cause: store.Cause(rapid.IntRange(1, 255).Draw(t, "cause")),
		At: p.now + store.Instant(rapid.IntRange(-3, 3).Draw(t, "at")),
	}
}

// Mark makes a publication due.
func (p *pair) Mark(t *rapid.T) {
	m := p.draw(t)
	m.ID = drawID.Draw(t, "id")
	p.both(t, fmt.Sprint("mark ", m), func(s store.Store) error { return s.Mark(t.Context(), m) })
}

// Reschedule puts off what is due.
func (p *pair) Reschedule(t *rapid.T) {
	id, at, hint := drawID.Draw(
		t,
		"id",
	), p.now+store.Instant(
		rapid.IntRange(0, 5).Draw(t, "to"),
	), rapid.Bool().
		Draw(t, "hint")
	p.both(t, fmt.Sprint("defer ", id, at, hint), func(s store.Store) error {
		e, err := s.Get(t.Context(), id)
		if err != nil || e.Mark == nil {
			return err
		}
		return s.Reschedule(
			t.Context(),
			store.Rescheduling{ID: id, Gen: e.Mark.Gen, At: at, Cause: store.CauseRetry, Hint: hint},
		)
	})
}

// Wake makes due what lies ahead.
func (p *pair) Wake(t *rapid.T) {
	class := store.Class(rapid.IntRange(0, int(store.Classes)-1).Draw(t, "class"))
	p.both(t, fmt.Sprint("wake ", class), func(s store.Store) error {
		_, err := store.Wake(t.Context(), s, p.now, store.Latest, func(m store.Mark) bool { return m.Class == class })
		return err
	})
}

// Page stores a page of an enumeration, or ends it.
func (p *pair) Page(t *rapid.T) {
	if rapid.IntRange(0, 3).Draw(t, "ends") == 0 {
		p.both(
			t,
			"end",
			func(s store.Store) error {
				return s.EndListing(t.Context(), store.End{Name: "full", Seen: true, Done: p.now})
			},
		)
		return
	}
	ids, state := rapid.SliceOfN(drawID, 1, 3).Draw(t, "ids"), rapid.SampledFrom(store.States()).Draw(t, "state")
	p.both(t, fmt.Sprint("page ", ids, state), func(s store.Store) error {
		return s.PutPage(t.Context(),
			store.Page{
				Name:   "full",
				Cursor: store.Cursor{Value: string(state), At: p.now},
				Seen:   true,
				Changes: store.Each(ids,
					func(_ int, known bool, _ *store.Report, w *store.Settlement) bool {
						w.Record.State = state
						return !known
					}),
			},
		)
	})
}

// Begin claims SKUs of which others may hold some.
func (p *pair) Begin(t *rapid.T) {
	a := drawAttempt(t)
	var got []map[string]string
	p.both(t, fmt.Sprint("begin ", a), func(s store.Store) error {
		assigned, err := s.Begin(t.Context(), a)
		got = append(got, assigned)
		return err
	})
	if diff := cmp.Diff(got[0], got[1]); diff != "" {
		t.Fatalf("after %q (-engine +overlay):\n%s", p.made, diff)
	}
}

var skus = []string{"", "Lamp", "LAMP", "Rug"}

func drawAttempt(t *rapid.T) store.Attempt {
	return storetest.Attempt(drawID.Draw(t, "id"), []string{"v", "w"}, map[string]string{
		"v": rapid.SampledFrom(skus).Draw(t, "v"), "w": rapid.SampledFrom(skus).Draw(t, "w"),
	})
}

// Check holds what the overlay shows to what the engine shows.
func (p *pair) Check(t *rapid.T) {
	type view struct {
		Entries map[string]store.Entry
		Records []store.Record
		Unseen  []store.Record
		Held    []store.Record
		Live    []store.Record
		Leaving []store.Record
		OnSale  int
		Due     []store.Mark
		Next    store.Instant
		Counts  map[store.State]int
		Removed int
		Cursor  store.Cursor
		Owed    []string
		Found   []string
		Skus    map[string]store.Owner
	}
	look := func(s store.Store) (v view) {
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		v.Entries = map[string]store.Entry{}
		for _, id := range []string{"a", "b", "c", "d/1", "é"} {
			e, err := s.Get(t.Context(), id)
			must(err)
			if e.Mark != nil {
				m := *e.Mark
				m.Gen = 0
				e.Mark = &m
			}
			if e.Owed != nil {
				o := *e.Owed
				o.Seq = 0
				e.Owed = &o
			}
			v.Entries[id] = e
		}
		for q, into := range map[*store.Query]*[]store.Record{
			{Limit: 2}: &v.Records, {Unseen: true}: &v.Unseen,
			{Key: store.KeyState(store.StateHeld), Limit: 2}:                   &v.Held,
			{Key: store.KeyState(store.StateLive), From: p.now - 1, To: p.now}: &v.Live,
			{Key: store.KeyLeaving(), Limit: 1}:                                &v.Leaving,
		} {
			for after, more := "", true; more; more = after != "" {
				query := *q
				query.After = after
				records, next, err := s.List(t.Context(), query)
				must(err)
				*into = append(*into, records...)
				after = next
			}
		}
		due, next, err := s.Due(t.Context(), store.DueQuery{Classes: store.AllClasses, To: p.now})
		must(err)
		for _, m := range due {
			m.Gen = 0
			v.Due = append(v.Due, m)
		}
		if len(due) == 0 {
			v.Next = next
		}
		v.Counts, err = s.Counts(t.Context())
		must(err)
		for state, n := range v.Counts {
			if n == 0 {
				delete(v.Counts, state)
			}
		}
		backlog, err := s.Backlog(t.Context(), p.now)
		must(err)
		v.Removed, v.OnSale = backlog.Removed, backlog.OnSale
		for r, err := range store.Reports(t.Context(), s, store.AllOwed) {
			must(err)
			v.Owed = append(v.Owed, fmt.Sprint(r.ID, r.Status))
		}
		if backlog.Owed != len(v.Owed) {
			t.Fatalf("%d reports are owed, %d are counted", len(v.Owed), backlog.Owed)
		}
		v.Found, err = s.Resolve(t.Context(), []string{"a", "x"}, []string{"p"}, []string{"l"})
		must(err)
		v.Skus, err = s.Holders(t.Context(), "lamp", "lamp-2", "rug", "rug-2", "x")
		must(err)
		v.Cursor, _, err = s.CursorOf(t.Context(), "full")
		must(err)
		return v
	}
	if diff := cmp.Diff(look(p.engine), look(p.overlay)); diff != "" {
		t.Fatalf("after %q (-engine +overlay):\n%s", p.made, diff)
	}
}

// An overlay shows what an engine shows to which the same was done, whatever the base held before,
// and leaves the base as it is.
func TestAnOverlayIsAStore(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := &pair{base: keyed.InMemory(), engine: keyed.InMemory(), now: store.At(time.Now())}
		for range rapid.IntRange(0, 8).Draw(rt, "before") { // what comes first is written to both engines
			m := p.draw(rt)
			id, state := drawID.Draw(rt, "id"), rapid.SampledFrom(store.States()).Draw(rt, "state")
			attempt, seen, owed := drawAttempt(rt), rapid.Bool().Draw(rt, "seen"), rapid.Bool().Draw(rt, "owed")
			for _, s := range []store.Store{p.base, p.engine} {
				w := store.Settlement{Record: store.Record{ID: id, State: state, Product: "p", Attempted: 1}, Next: &m}
				if owed {
					w.Report = &store.Report{Status: store.StatusFailed}
				}
				_, err := s.Settle(rt.Context(), w)
				if err == nil {
					_, err = s.Begin(rt.Context(), attempt)
				}
				if err == nil && seen {
					page := store.Page{Name: "full", Seen: true, Cursor: store.Cursor{Value: "c"}}
					page.Changes = store.Each(
						[]string{id},
						func(int, bool, *store.Report, *store.Settlement) bool { return false },
					)
					err = s.PutPage(rt.Context(), page)
				}
				if err != nil {
					rt.Fatal(err)
				}
			}
		}
		var err error
		if p.overlay, err = New(rt.Context(), store.ReadOnly(p.base)); err != nil {
			rt.Fatal(err)
		}
		was := entriesOf(rt, p.base)
		rt.Repeat(rapid.StateMachineActions(p))
		if diff := cmp.Diff(was, entriesOf(rt, p.base)); diff != "" {
			rt.Fatalf("the base is changed:\n%s", diff)
		}
	})
}

func entriesOf(t *rapid.T, s store.Reader) map[string]store.Entry {
	all := map[string]store.Entry{}
	for r, err := range store.Records(t.Context(), s, store.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.Get(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		all[r.ID] = e
	}
	return all
}

// The backlog is read while others write: the race detector watches.
func TestBacklogBesideWriters(t *testing.T) {
	ctx, base := t.Context(), keyed.InMemory()
	if _, err := base.Settle(ctx, store.Settlement{Record: store.Record{ID: "a", OnSale: true}}); err != nil {
		t.Fatal(err)
	}
	s, err := New(ctx, base)
	if err != nil {
		t.Fatal(err)
	}
	var writing sync.WaitGroup
	writing.Go(func() {
		if _, err := s.Settle(ctx, store.Settlement{Record: store.Record{ID: "a", OnSale: true}}); err != nil {
			t.Error(err)
		}
	})
	if b, err := s.Backlog(ctx, 0); b.OnSale != 1 || err != nil {
		t.Errorf("got %d on sale, %v, want 1", b.OnSale, err)
	}
	writing.Wait()
}
