package desk

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// expect fails the test unless got is want.
func expect[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// must ends the test at an error of what a desk was asked, and returns the answer.
func must[T any](t *testing.T, what string) func(T, error) T {
	t.Helper()
	return func(answer T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return answer
	}
}

// troubled is publications of which all but the last failed.
func troubled() []store.Record {
	rejected := func(id, message string) store.Record {
		return store.Record{
			ID: id, Title: "Lamp " + id, State: store.StateRejected,
			Problem: store.Problem{Kind: store.ProblemRejected, Message: message},
		}
	}
	return []store.Record{
		rejected("1", "the title has 300 characters"), rejected("2", "the price is too high"),
		rejected("3", "the title has 412 characters"),
		{ID: "4", State: store.StateLive, Title: "Chair"},
	}
}

func manyHeld() (records []store.Record) {
	at := store.At(time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC))
	for i, h := range []struct{ old, now string }{
		{"10.00", "30.00"}, {"20.00", "45.00"}, {"9.00", "1.00"}, {"", "80.00"},
	} {
		kind, sale := store.HoldPrice, store.OnSale
		if h.old == "" {
			kind, sale = store.HoldFirstPrice, store.Off
		}
		records = append(records, store.Record{
			ID: fmt.Sprint("p", i), Title: fmt.Sprint("Lamp No ", i), State: store.StateHeld, Sale: sale,
			Variants: []store.Variant{{ID: "v", Title: "Red", Written: store.Written{Price: h.old}}},
			Holds: []store.Hold{
				{Kind: kind, Variant: "v", Old: h.old, New: h.now, Since: at + store.Instant(1000*i)},
			},
		})
	}
	return records
}

// What is held is shown by kind with sums, and one by one.
func TestHeldByKind(t *testing.T) {
	o := newOffice(t, manyHeld()...)
	d := o.client(t)
	ctx := t.Context()
	held := must[Held](t, "held")(d.Held(ctx, ""))
	var groups []string
	for _, g := range held.Groups {
		groups = append(groups, fmt.Sprintf(
			"%s %d %s>%s %d up %d down %s%%", g.Kind, g.Changes, g.Old, g.New, g.Up, g.Down, g.Largest))
	}
	expect(t, "groups", groups, []string{
		"first-price 1 >80.00 0 up 0 down %",
		"price 3 39.00>76.00 2 up 1 down 200%",
	})
	var ids []string
	for _, h := range held.Changes {
		ids = append(ids, h.ID+h.Option)
	}
	expect(t, "by kind", ids, []string{"p0Red", "p1Red", "p2Red", "p3Red"})
	_, err := d.Held(ctx, "prices")
	if err == nil || !strings.Contains(err.Error(), "kind: one of") {
		t.Errorf("an unknown group: error %v, want one that names the kinds", err)
	}
}

// Retry makes due now what is named, all that failed, or all; history names who asked.
func TestRetry(t *testing.T) {
	for name, tt := range map[string]struct {
		Request

		due   string
		class store.Class
	}{
		"by id":       {Request{Retry: true, IDs: []string{"2", "4", "none"}, Reset: true}, "2 4", store.ClassAsked},
		"what failed": {Request{Retry: true, Failed: true}, "1 2 3", store.ClassNew},
		"all":         {Request{Retry: true, All: true}, "1 2 3 4", store.ClassNew},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t, troubled()...)
			d := o.client(t)
			ctx := t.Context()
			tt.By = "anna"
			asked := must[Asked](t, "retry")(d.Ask(ctx, tt.Request))
			var due []string
			for _, r := range troubled() {
				e := o.entry(t, r.ID)
				if e.Mark == nil {
					continue
				}
				due = append(due, r.ID)
				expect(t, "class of "+r.ID, e.Mark.Class, tt.class)
				history := must[[]store.Event](t, "history")(o.store.History(ctx, r.ID))
				expect(t, "who asked for "+r.ID, history[len(history)-1].By, "anna")
			}
			expect(t, "due", strings.Join(due, " "), tt.due)
			expect(t, "counted", asked.Count, len(due))
			if len(tt.IDs) > 0 {
				expect(t, "unknown", asked.Unknown, []string{"none"})
				expect(t, "given back to the supplier", o.entry(t, "2").Record.Reset, shopadapter.TextFields)
			}
		})
	}
}

func judged(r store.Record, v store.Verdict) (n int) {
	for _, h := range r.Holds {
		if h.Verdict == v {
			n++
		}
	}
	return n
}

// An answer by the keys that were shown changes nothing where one of them is held no more.
func TestAnswersByKeys(t *testing.T) {
	o := newOffice(t, manyHeld()...)
	d := o.client(t)
	ctx := t.Context()
	key := must[Explanation](t, "explain")(d.Explain(ctx, "p0")).Held[0].Key
	_, err := d.Ask(ctx, Request{IDs: []string{"p0"}, Holds: []string{key, "of another value"}})
	if !errors.Is(err, ErrHold) {
		t.Errorf("a change that is held no more: error %v, want %v", err, ErrHold)
	}
	expect(t, "approved by it", judged(o.entry(t, "p0").Record, store.Approved), 0)
	shown := Request{Decline: true, IDs: []string{"p0", "none"}, Holds: []string{key}}
	asked := must[Asked](t, "decline")(d.Ask(ctx, shown))
	expect(t, "unknown", asked.Unknown, []string{"none"})
	expect(t, "explained as declined", len(must[Explanation](t, "explain")(d.Explain(ctx, "p0")).Declined), 1)
	expect(t, "its state", o.entry(t, "p0").Record.State, store.StateLive)
	_, err = d.Ask(ctx, Request{Kind: "prices"})
	if e, ok := errors.AsType[*Error](err); !ok || e.Exit != ExitUsage || !strings.Contains(err.Error(), "kind: one of") {
		t.Errorf("a kind that there is not: error %v, want exit 2 and the kinds", err)
	}
}

// An answer is for a kind, or for a selection, and for what was shown.
func TestAnswers(t *testing.T) {
	shown := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		Request

		want string // the publications
	}{
		"a kind":             {Request{Kind: "price"}, "p0 p1 p2"},
		"a selection":        {Request{IDs: []string{"p3", "p0", "p0"}}, "p0 p3"},
		"one of a selection": {Request{IDs: []string{"p3", "p0"}, Kind: "price"}, "p0"},
		"as shown":           {Request{Kind: "price", At: shown.Add(time.Second)}, "p0 p1"},
		"everything":         {Request{All: true}, "p0 p1 p2 p3"},
	} {
		for _, decline := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, declined %t", name, decline), func(t *testing.T) {
				o := newOffice(t, manyHeld()...)
				d := o.client(t)
				a := tt.Request
				a.Decline = decline
				n := must[Asked](t, "answer")(d.Ask(t.Context(), a)).Count
				var got []string
				for _, r := range manyHeld() {
					now := o.entry(t, r.ID).Record
					approved, declined := judged(now, store.Approved), judged(now, store.Declined)
					if approved > 0 != decline && approved+declined > 0 {
						got = append(got, r.ID)
					}
				}
				expect(t, "answered", strings.Join(got, " "), tt.want)
				expect(t, "counted", n, len(got))
			})
		}
	}
}

// An error keeps its exit code on the way over HTTP, and one without becomes that of a process that
// does not do it.
func TestErrorsKeepTheirExitCode(t *testing.T) {
	o := newOffice(t)
	c := o.client(t)
	refused := func(fails error, exit int, says string) {
		t.Helper()
		o.worker.fails = fails
		_, err := c.Run(t.Context(), RunOptions{Wait: true})
		if e, ok := errors.AsType[*Error](err); !ok || e.Exit != exit || !strings.HasPrefix(e.Error(), says) {
			t.Errorf("got the error %v, want exit %d and %q", err, exit, says)
		}
	}
	for _, exit := range []int{ExitUsage, ExitMarketplace, ExitShop, ExitStore} {
		refused(&Error{Exit: exit, Err: errBroken}, exit, "broken")
	}
	refused(errBroken, ExitStore, "held by another: ")
	c.Base = "http://127.0.0.1:1"
	refused(nil, ExitStore, "held by another: ask the worker")
}

// The first list that was read to its end counts as an enumeration, although no sweep was one.
func TestStatusTellsOfTheFirstList(t *testing.T) {
	o := newOffice(t)
	begun := time.Date(2026, 11, 22, 1, 0, 0, 0, time.UTC)
	if err := o.store.EndListing(t.Context(), "full", false, store.At(begun)); err != nil {
		t.Fatal(err)
	}
	for _, worker := range []Worker{Remote{Alone: Alone{o.store}}, o.worker} {
		o.local.Worker = worker
		s := must[Status](t, "status")(o.local.Status(t.Context()))
		expect(t, fmt.Sprintf("the last enumeration, with a %T", worker), s.Sweeps.Full.Completed, begun)
	}
}

// The status shows the last values of a process that ended.
func TestStatusTellsOfThePast(t *testing.T) {
	o := newOffice(t)
	at := time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)
	past := Status{
		Sweeps:    Sweeps{Full: LastSweep{At: at, Listed: 5, Error: "gone"}},
		LastError: &LastError{Message: "second", At: at}, LastExit: ExitShop,
	}
	if err := PastFact.Set(t.Context(), o.store, past); err != nil {
		t.Fatal(err)
	}
	o.local.Worker = Remote{Alone: Alone{o.store}}
	s := must[Status](t, "status")(o.local.Status(t.Context()))
	expect(t, "the last sweeps", s.Sweeps, past.Sweeps)
	expect(t, "the last error", s.LastError, past.LastError)
	expect(t, "the exit of the last run", s.Exit(), ExitShop)
	o.local.Worker = o.worker
	s = must[Status](t, "status beside a worker")(o.local.Status(t.Context()))
	expect(t, "the worker's last error", s.LastError.Message, "something")
}

// A jobs makes each run in an hour.
type jobs struct{ Worker }

func (jobs) Run(ctx context.Context, _ RunOptions) (Summary, error) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Hour):
	}
	return Summary{Created: 1}, ctx.Err()
}

// A run is waited for as long as a process makes it, and is given up soon where none does.
func TestARunOfAnotherProcess(t *testing.T) {
	for name, works := range map[string]bool{"nobody works on the account": false, "the run takes an hour": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := store.InMemory()
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
				var work sync.WaitGroup
				if works {
					work.Go(func() {
						worker := &Local{Store: s, Worker: jobs{}}
						for ctx.Err() == nil {
							if err := worker.carryOut(ctx); err != nil && ctx.Err() == nil {
								t.Error(err)
							}
							time.Sleep(time.Second)
						}
					})
				}
				got, err := Remote{Alone: Alone{s}}.Run(ctx, RunOptions{Patience: 2 * time.Second, Wait: true})
				var e *Error
				if !works && (!errors.As(err, &e) || e.Exit != ExitStore) || works && (err != nil || got.Created != 1) {
					t.Errorf("%d are created, error %v; want one, or the exit code of the store", got.Created, err)
				}
				cancel()
				work.Wait()
			})
		})
	}
}
