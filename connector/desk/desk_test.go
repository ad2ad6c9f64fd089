package desk

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
)

// stock is a record of each kind that a desk tells differently.
func stock() []store.Record {
	at := store.At(time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC))
	return []store.Record{
		{
			ID: "a", State: store.StateLive, Title: "Lamp <b>", ShopID: "1", URL: "https://shop.example/1", OnSale: true,
			Reported:   store.StatusSuccess,
			ReportedAt: at, UpdatedAt: "2026-11-22T07:00:00Z", ReadAt: at, Kept: shopadapter.FieldTitle,
			Variants: []store.Variant{{ID: "v", Title: "Red", Price: "2.00", Cost: "1.00", Quantity: 3}},
			History:  []store.Event{{At: at, What: "created"}},
		},
		{
			ID:      "b",
			State:   store.StateRejected,
			Title:   "Bad",
			Problem: store.Problem{Kind: store.ProblemRejected, Message: "no", Attempts: 2, Since: at, Last: at},
		},
		{
			ID:     "c",
			State:  store.StateHeld,
			OnSale: true,
			ShopID: "3",
			Holds:  []store.Hold{{Kind: store.HoldPrice, Variant: "v", Old: "1", New: "9", Reason: "far"}},
		},
		{
			ID:      "..",
			State:   store.StatePartial,
			OnSale:  true,
			ShopID:  "4",
			Missing: []store.Picture{{URL: "https://x.example/p", Reason: "gone"}},
		},
		{
			ID:    "ä/%2F?#",
			State: store.StateHeld,
			Holds: []store.Hold{{Kind: store.HoldForeign, Reason: "another tool's"}},
		},
	}
}

// eachWay runs f with the desk of the process itself, and with one that asks it over HTTP.
func eachWay(t *testing.T, f func(t *testing.T, o *office, d Desk)) {
	t.Helper()
	t.Run("local", func(t *testing.T) {
		o := newOffice(t, stock()...)
		f(t, o, o.local)
	})
	t.Run("client", func(t *testing.T) {
		o := newOffice(t, stock()...)
		c, _ := o.client(t)
		f(t, o, c)
	})
}

// Both desks give the same answers.
func TestBothDesksTellTheSame(t *testing.T) {
	o := newOffice(t, stock()...)
	c, _ := o.client(t)
	ctx := t.Context()
	same := func(name string, ask func(Desk) (any, error)) {
		t.Helper()
		here, err := ask(o.local)
		there, remote := ask(c)
		if (err == nil) != (remote == nil) || err != nil && (!errors.Is(remote, err) && remote.Error() != err.Error()) {
			t.Errorf("%s: %v here, %v there", name, err, remote)
		}
		if diff := cmp.Diff(here, there); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	same("status", func(d Desk) (any, error) { return d.Status(ctx) })
	for _, r := range append(stock(), store.Record{ID: "none"}) {
		same("explain "+r.ID, func(d Desk) (any, error) { return d.Explain(ctx, r.ID) })
	}
	for _, state := range append([]store.State{""}, store.States()...) {
		for limit := range 7 {
			after := ""
			for range 7 {
				q := Query{State: state, After: after, Limit: limit + 1}
				same("publications", func(d Desk) (any, error) { return d.Publications(ctx, q) })
				list, err := o.local.Publications(ctx, q)
				if after = list.After; err != nil || after == "" {
					break
				}
			}
			if after != "" {
				t.Errorf("%s, %d at a time: no end", state, limit+1)
			}
		}
	}
}

func TestPublicationsArePagedWhole(t *testing.T) {
	eachWay(t, func(t *testing.T, _ *office, d Desk) {
		var ids []string
		for q := (Query{Limit: 2}); ; {
			list, err := d.Publications(t.Context(), q)
			if err != nil || len(list.Publications) > q.Limit {
				t.Fatalf("%d, %v", len(list.Publications), err)
			}
			for _, l := range list.Publications {
				ids = append(ids, l.ID)
			}
			if q.After = list.After; q.After == "" {
				break
			}
		}
		if want := []string{"..", "a", "b", "c", "ä/%2F?#"}; !slices.Equal(ids, want) {
			t.Errorf("listed %q, want %q", ids, want)
		}
		if list, err := d.Publications(t.Context(), Query{State: store.StateHeld, Limit: 1}); err != nil ||
			list.Publications[0].ID != "c" ||
			list.After == "" {
			t.Errorf("held: %+v, %v", list, err)
		}
	})
}

func TestRetry(t *testing.T) {
	eachWay(t, func(t *testing.T, o *office, d Desk) {
		ctx := t.Context()
		o.worker.waits = "the shop asked for a pause"
		for _, r := range stock() {
			a, err := d.Retry(ctx, r.ID, true)
			if m := o.entry(t, r.ID).Mark; err != nil || a.Waits != o.worker.waits || m == nil ||
				m.Class != store.ClassAsked {
				t.Errorf("%q: %+v, %v, marked %+v", r.ID, a, err, m)
			}
		}
		if reset := o.entry(t, "a").Record.Reset; reset != shopadapter.FieldTitle {
			t.Errorf("reset: %v", reset)
		}
		if _, err := d.Retry(ctx, "none", false); !errors.Is(err, ErrUnknown) {
			t.Errorf("an unknown one: %v", err)
		}
		if !slices.Contains(o.worker.asked, "try") {
			t.Errorf("the worker was asked %v", o.worker.asked)
		}
	})
}

func TestRetryFailed(t *testing.T) {
	eachWay(t, func(t *testing.T, o *office, d Desk) {
		a, err := d.RetryFailed(t.Context())
		if err != nil || a.Count != 2 || !slices.Equal(o.worker.asked, []string{"afresh", "try"}) {
			t.Errorf("%+v, %v, asked %v", a, err, o.worker.asked)
		}
		for id, want := range map[string]store.Class{"b": store.ClassNew, "..": store.ClassSweep} {
			if m := o.entry(t, id).Mark; m == nil || m.Class != want {
				t.Errorf("%s: %+v", id, m)
			}
		}
	})
}

func TestApprove(t *testing.T) {
	eachWay(t, func(t *testing.T, o *office, d Desk) {
		ctx := t.Context()
		if _, err := d.Approve(ctx, "ä/%2F?#"); err != nil {
			t.Error(err)
		}
		if approved := o.entry(t, "ä/%2F?#").Record.Approved; len(approved) != 1 {
			t.Errorf("approved %v", approved)
		}
		if _, err := d.Approve(ctx, "none"); !errors.Is(err, ErrUnknown) {
			t.Errorf("an unknown one: %v", err)
		}
		if a, err := d.ApproveAll(ctx, store.HoldPrice); a.Count != 1 || err != nil {
			t.Errorf("one kind: %+v, %v", a, err)
		}
		if approved := o.entry(t, "c").Record.Approved; len(approved) != 1 {
			t.Errorf("approved %v", approved)
		}
		if a, err := d.ApproveAll(ctx, ""); a.Count != 2 || err != nil {
			t.Errorf("all: %+v, %v", a, err)
		}
		if a, err := d.ApproveAll(ctx, "prices"); a.Count != 0 || err == nil ||
			!strings.Contains(err.Error(), ErrKind.Error()) {
			t.Errorf("another kind: %+v, %v", a, err)
		}
	})
}

func TestRunsAndPlans(t *testing.T) {
	eachWay(t, func(t *testing.T, o *office, d Desk) {
		ctx, want := t.Context(), RunOptions{Full: true, Patience: 90 * time.Second}
		if s, err := d.Run(ctx, want); s.Swept != 3 || s.Exit != ExitStanding || s.Error != "ended early" ||
			err != nil ||
			o.worker.runs != want {
			t.Errorf("run: %+v, %v, asked for %+v", s, err, o.worker.runs)
		}
		o.worker.runs = RunOptions{}
		if p, err := d.Plan(ctx, want); !slices.Equal(p.Create, []string{"p1"}) || p.Change == nil || err != nil ||
			o.worker.runs != want {
			t.Errorf("plan: %+v, %v, asked for %+v", p, err, o.worker.runs)
		}
		if _, err := d.Sweep(ctx, true); err != nil || !slices.Equal(o.worker.asked, []string{"sweep true", "try"}) {
			t.Errorf("sweep: %v, asked %v", err, o.worker.asked)
		}
		if n, err := d.Rebuild(ctx); n != 7 || err != nil {
			t.Errorf("rebuild: %d, %v", n, err)
		}
	})
}

func TestBackup(t *testing.T) {
	eachWay(t, func(t *testing.T, o *office, d Desk) {
		var copied bytes.Buffer
		if err := d.Backup(t.Context(), &copied); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "copy.db")
		if err := os.WriteFile(path, copied.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := bolt.OpenWhole(path)
		if err != nil {
			t.Fatal(err)
		}
		here, err := o.store.Counts(t.Context())
		there, cerr := s.Counts(t.Context())
		if diff := cmp.Diff(here, there); diff != "" || err != nil || cerr != nil {
			t.Error(diff, err, cerr)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// An error keeps its exit code on the way over HTTP, and one without becomes that of a process that
// does not do it.
func TestErrorsKeepTheirExitCode(t *testing.T) {
	o := newOffice(t)
	c, _ := o.client(t)
	for _, exit := range []int{ExitUsage, ExitMarketplace, ExitShop, ExitStore} {
		o.worker.fails = &Error{Exit: exit, Err: errBroken}
		for name, d := range map[string]Desk{"local": o.local, "client": c} {
			for what, err := range map[string]error{
				"rebuild": second(d.Rebuild(t.Context())),
				"run":     second(d.Run(t.Context(), RunOptions{})),
			} {
				var e *Error
				if !errors.As(err, &e) || e.Exit != exit || e.Error() != "broken" {
					t.Errorf("%s by %s: %v", what, name, err)
				}
			}
		}
	}
	o.worker.fails = errBroken
	var e *Error
	if _, err := c.Run(t.Context(), RunOptions{}); !errors.As(err, &e) || e.Exit != ExitStore ||
		!strings.HasPrefix(e.Error(), "held by another: ") {
		t.Errorf("an error without a code: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// Without a worker a desk answers from the store and refuses a sweep.
func TestWithoutAWorker(t *testing.T) {
	o := newOffice(t, stock()...)
	o.local.Worker = nil
	s, err := o.local.Status(t.Context())
	if err != nil || s.Version != "" || s.Publications[store.StateHeld] != 2 ||
		len(s.Publications) != len(store.States()) {
		t.Errorf("status %+v, %v", s, err)
	}
	if _, err := o.local.Sweep(t.Context(), false); err == nil {
		t.Error("nobody sweeps, and nothing is said")
	}
	if a, err := o.local.Retry(t.Context(), "a", false); err != nil || a.Waits != "" {
		t.Errorf("retry: %+v, %v", a, err)
	}
	if err := o.local.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

// A process that is gone is an error with the holder's name, and one that asks for another token
// says what to do.
func TestAClientThatIsNotAnswered(t *testing.T) {
	o := newOffice(t)
	c, _ := o.client(t)
	c.Base = "http://127.0.0.1:1"
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	var e *Error
	if _, err := c.Status(ctx); !errors.As(err, &e) || e.Exit != ExitStore ||
		!strings.HasPrefix(e.Error(), "held by another: ask the worker") {
		t.Errorf("%v", err)
	}
}

// The first list that was read to its end counts as an enumeration, although no sweep was one.
func TestStatusTellsOfTheFirstList(t *testing.T) {
	o := newOffice(t)
	begun := time.Date(2026, 11, 22, 1, 0, 0, 0, time.UTC)
	if err := o.store.EndListing(t.Context(), store.End{Name: "full", Done: store.At(begun)}); err != nil {
		t.Fatal(err)
	}
	for _, worker := range []Worker{nil, o.worker} {
		o.local.Worker = worker
		s, err := o.local.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Sweeps.Full.Completed; !got.Equal(begun) {
			t.Errorf("with a worker (%t) the last enumeration was at %v, want %v", worker != nil, got, begun)
		}
	}
}

// The status shows the last values of a process that ended. A value that it never had stays as the
// process before it left it.
func TestStatusTellsOfThePast(t *testing.T) {
	o := newOffice(t)
	at := func(hour int) time.Time { return time.Date(2026, 11, 22, hour, 0, 0, 0, time.UTC) }
	keep := func(p Past) {
		t.Helper()
		if err := p.Keep(t.Context(), o.store); err != nil {
			t.Fatal(err)
		}
	}
	keep(
		Past{
			Full:      LastSweep{At: at(1), Completed: at(1), Listed: 5},
			LastError: &LastError{Message: "first", At: at(1)},
		},
	)
	keep(Past{Incremental: LastSweep{At: at(2), Completed: at(2)}, Full: LastSweep{At: at(3), Error: "gone"}})
	keep(Past{Incremental: LastSweep{At: at(4), Error: "away"}})
	want := Sweeps{
		Incremental: LastSweep{At: at(4), Completed: at(2), Error: "away"},
		Full:        LastSweep{At: at(3), Completed: at(1), Error: "gone"},
	}
	o.local.Worker = nil
	s, err := o.local.Status(t.Context())
	if diff := cmp.Diff(want, s.Sweeps); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if s.LastError == nil || s.LastError.Message != "first" {
		t.Errorf("last error %+v", s.LastError)
	}
	o.local.Worker = o.worker
	if s, err := o.local.Status(t.Context()); err != nil || !s.Sweeps.Incremental.At.IsZero() ||
		s.LastError.Message != "something" {
		t.Errorf("beside a worker that has not swept: %+v, %v", s, err)
	}
}
