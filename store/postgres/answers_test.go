//go:build unix

package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/kvtest"
	"github.com/pubsync/pubsync/store/postgres"
)

// A told store keeps what it has read until something changes, and closes with what tells it.
type told struct {
	store.KV
	stop func()
}

func (s told) Close() error {
	s.stop()
	return s.KV.Close()
}

// A store that keeps what it has read obeys the same laws.
func TestLawsOfAStoreThatIsTold(t *testing.T) {
	t.Parallel()
	address := database(t)
	kvtest.Run(t, func(place string) (store.KV, error) {
		s, err := postgres.Open(t.Context(), address, place)
		if err != nil {
			return nil, err
		}
		return told{s.KV, postgres.Listen(t, s, func(string, bool) {})}, nil
	})
}

// askAll asks whatever an idle worker asks, at a moment.
func askAll(t *testing.T, s store.Store, now store.Instant) (said string) {
	t.Helper()
	ctx := t.Context()
	due, next, err := s.Due(ctx, store.DueQuery{Classes: store.AllClasses, To: now, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	backlog, err := s.Backlog(ctx, now)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := s.Counts(ctx)
	if err != nil {
		t.Fatal(err)
	}
	reports, _, err := s.Outbox(ctx, store.ReportQuery{})
	if err != nil {
		t.Fatal(err)
	}
	fact, err := s.Meta(ctx, "fact")
	if err != nil {
		t.Fatal(err)
	}
	cursor, _, err := s.CursorOf(ctx, "list")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(due, next, backlog, counts, len(reports), fact, cursor)
}

// An account to which nothing happens is read once. Whatever changes it is seen at once, and so is
// what another process accepts once that is told.
func TestAnIdleAccountIsReadOnce(t *testing.T) {
	t.Parallel()
	address := database(t)
	s, err := postgres.Open(t.Context(), address, "idle")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	heard := make(chan struct{}, 100)
	stop := postgres.Listen(t, s, func(name string, _ bool) {
		if name != "" {
			heard <- struct{}{}
		}
	})
	defer stop()
	other, err := postgres.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	view, err := other.Store(t.Context(), "idle")
	if err != nil {
		t.Fatal(err)
	}
	ctx, now := t.Context(), store.At(time.Now())
	hour := store.Instant(time.Hour.Milliseconds())
	settle := func(change func(*store.Entry), ids ...string) error {
		_, err := s.Change(ctx, ids, func(e *store.Entry) bool {
			e.Record.State, e.Record.Sale = store.StateLive, store.OnSale
			change(e)
			return true
		})
		return err
	}
	refresh := func(e *store.Entry) { e.Mark = &store.Mark{Class: store.ClassRefresh, At: now + hour} }
	page := store.Page{Name: "list", Cursor: store.Cursor{Value: "there"}}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"nothing", func() error { return nil }},
		{"Change", func() error { return settle(refresh, "p") }},
		{"SetMeta", func() error { return s.SetMeta(ctx, "fact", "new") }},
		{"PutPage", func() error { return s.PutPage(ctx, page) }},
		{"Change with a report", func() error {
			return settle(func(e *store.Entry) { e.Owed = &store.Report{Status: store.StatusSuccess} }, "p")
		}},
		{"Mark by another process", func() error {
			err := view.Mark(ctx, store.Mark{ID: "q", Class: store.ClassHook, At: now})
			<-heard
			return err
		}},
		{"Mark", func() error { return s.Mark(ctx, store.Mark{ID: "r", Class: store.ClassAsked, At: now}) }},
	} {
		before := askAll(t, s, now)
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		after := askAll(t, s, now)
		if changed := after != before; changed != (step.name != "nothing") {
			t.Errorf("%s: got %s before and %s after", step.name, before, after)
		}
		if want := askAll(t, view, now); after != want {
			t.Errorf("%s: got %s, want %s as another process reads it", step.name, after, want)
		}
	}
	if err := settle(func(e *store.Entry) { e.Mark = nil }, "q", "r"); err != nil {
		t.Fatal(err)
	}
	if err := settle(func(e *store.Entry) { e.Owed = nil }, "p"); err != nil {
		t.Fatal(err)
	}
	askAll(t, s, now)
	asked := postgres.Asked(s)
	for i := range store.Instant(60) {
		askAll(t, s, now+i*hour/60)
	}
	if got := postgres.Asked(s) - asked; got != 0 {
		t.Errorf("the database was asked %d times in an hour without a change, want 0", got)
	}
	due, _, err := s.Due(ctx, store.DueQuery{Classes: store.AllClasses, To: now + hour, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(due) != 1 {
		t.Errorf("got %d due when the hour was over, want 1", len(due))
	}
	backlog, err := s.Backlog(ctx, now+hour)
	if err != nil {
		t.Fatal(err)
	}
	if backlog.Due != 1 {
		t.Errorf("got a backlog of %d when the hour was over, want 1", backlog.Due)
	}
	stop()
	asked = postgres.Asked(s)
	askAll(t, s, now)
	if postgres.Asked(s) == asked {
		t.Error("a store that is told of nothing does not ask the database, want it to")
	}
}
