package outbox

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	_ "github.com/pubsync/pubsync/store/memorytest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A rig is a reporter between a store that owes reports and a sandbox.
type rig struct {
	*Reporter
	box   *sandbox.Marketplace
	store *bolt.Store
	ids   []string
	ready bool
}

// inBubble runs a test with a rig that owes the status success of n publications.
func inBubble(t *testing.T, n int, f func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		box := sandbox.New(sandbox.Options{})
		defer box.Close()
		s, err := bolt.Open(filepath.Join(t.TempDir(), "pubsync.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := &rig{box: box, store: s, ids: box.AddSound(n), ready: true}
		for _, id := range r.ids {
			p, _ := box.Publication(id)
			if _, err := s.Settle(t.Context(), store.Settlement{
				Record: store.Record{
					ID: id, State: store.StateLive, OnSale: true, URL: "https://shop.example/" + id,
					UpdatedAt: p.UpdatedAt.Format(time.RFC3339),
				},
				Report: &store.Report{Status: store.StatusSuccess, URL: "https://shop.example/" + id, Since: store.At(time.Now())},
			}); err != nil {
				t.Fatal(err)
			}
		}
		log := slog.New(slog.DiscardHandler)
		r.Reporter = New(Options{
			Store: s, Breaker: breaker.New(breaker.Options{Side: breaker.Marketplace}), Waiters: &breaker.Waiters{}, Log: log,
			Due: breaker.NewSignal(),
			Market: marketplace.New(
				marketplace.Config{
					URL:       "http://marketplace.example",
					Token:     sandbox.DefaultToken,
					Transport: box.Transport(),
				},
			),
			Health: health.New(
				log, func(text string) string { return text }, s,
			), Ready: func(context.Context) bool { return r.ready }, Started: time.Now(),
		})
		f(t, r)
	})
}

// run runs the reporter for a span.
func (r *rig) run(t *testing.T, span time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), span)
	defer cancel()
	r.Run(ctx, ctx)
}

func (r *rig) owed(t *testing.T) store.Backlog {
	t.Helper()
	f, err := r.store.Backlog(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestReportsAreMadeInBatches(t *testing.T) {
	inBubble(t, batchSize+5, func(t *testing.T, r *rig) {
		r.box.OnReport(func(id string) {
			if r.UnderWay(id) == nil {
				t.Errorf("%s: got no report under way while it is made, want one", id)
			}
		})
		r.run(t, time.Minute)
		if n := len(r.box.Reports()); n != len(r.ids) || r.Reported() != int64(n) || r.owed(t).Owed != 0 {
			t.Errorf(
				"made %d reports and counted %d, want %d of each; %d are owed", n, r.Reported(), len(r.ids),
				r.owed(t).Owed,
			)
		}
		if r.LastAck() == 0 || r.Trouble() != nil {
			t.Errorf("got the last acknowledgement at %d, trouble %v, want one and none", r.LastAck(), r.Trouble())
		}
		if r.UnderWay(r.ids[0]) != nil {
			t.Error("after its end: got a report under way, want none")
		}
	})
}

// No report is made before the store is ready, nor while the breaker is open.
func TestReportsWait(t *testing.T) {
	for name, shut := range map[string]func(*rig) (open func()){
		"not ready": func(r *rig) func() { r.ready = false; return func() { r.ready = true } },
		"marketplace asked for a pause": func(r *rig) func() {
			r.breaker.Judge("",
				breaker.Verdict{Wide: true, RetryAfter: time.Hour, Reason: "closed", Cause: "closed"})
			return func() { r.breaker.EndPause() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, 1, func(t *testing.T, r *rig) {
				open := shut(r)
				r.run(t, time.Minute)
				r.LastPass(t.Context())
				if n := len(r.box.Requests()); n != 0 {
					t.Fatalf("got %d requests, want none", n)
				}
				open()
				r.LastPass(t.Context())
				if n := len(r.box.Reports()); n != 1 {
					t.Errorf("%d reports are made, want 1", n)
				}
			})
		})
	}
}

// An attempt whose answer is lost is looked at before the next: the marketplace holds the status
// already, and the report is not made twice.
func TestALostAnswerIsLookedAt(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, r *rig) {
		r.box.Inject(sandbox.Fault{Kind: sandbox.Cut, Next: 1, Executed: true, On: []sandbox.Kind{sandbox.KindReport}})
		r.run(t, time.Millisecond)
		from := time.Now().Add(-time.Second)
		if r.Unanswered() != 1 || r.Trouble() == nil || r.owed(t).Owed != 1 {
			t.Fatalf(
				"got %d without an answer, trouble %v, %d owed, want 1, some, 1", r.Unanswered(), r.Trouble(),
				r.owed(t).Owed,
			)
		}
		for _, tt := range []struct {
			after time.Duration
			want  bool
		}{{0, true}, {time.Minute, true}, {time.Hour, false}} {
			if got, err := r.Patient(t.Context(), from, time.Now().Add(tt.after), 2*time.Minute); got != tt.want || err != nil {
				t.Errorf("%s later: got a run that waits %t, %v, want %t", tt.after, got, err, tt.want)
			}
		}
		r.run(t, time.Minute)
		if n := len(r.box.Reports()); n != 1 || r.Unanswered() != 0 || r.owed(t).Owed != 0 {
			t.Errorf("got %d reports, %d without an answer, %d owed, want 1, 0, 0", n, r.Unanswered(), r.owed(t).Owed)
		}
	})
}

// A refused report stays owed and is made again, later each time. A report that was never refused
// does not wait for it, and Wake makes it at once.
func TestARefusedReportWaits(t *testing.T) {
	inBubble(t, 2, func(t *testing.T, r *rig) {
		r.box.Inject(
			sandbox.Fault{
				Kind:        sandbox.RefusedReport,
				Probability: 1,
				On:          []sandbox.Kind{sandbox.KindReport},
				IDs:         r.ids[:1],
			},
		)
		r.run(t, time.Hour)
		refused := len(r.box.Reports()) - 1
		if f := r.owed(t); f.Owed != 1 || f.Refused != 1 || r.Reported() != 1 {
			t.Fatalf("got %d owed, %d refused, %d reported, want one of each", f.Owed, f.Refused, r.Reported())
		}
		if refused < 5 || refused > 15 {
			t.Fatalf("got %d refusals in an hour, want 5 to 15", refused)
		}
		if waits, err := r.Patient(t.Context(), time.Now().Add(-time.Hour), time.Now(), 2*time.Hour); waits || err != nil {
			t.Errorf("a refused report: got a run that waits %t, %v, want it not to", waits, err)
		}
		r.run(t, time.Second)
		if again := len(r.box.Reports()) - 1; again != refused {
			t.Fatalf("got %d more refusals within a second, want none", again-refused)
		}
		r.Wake(time.Now())
		r.box.Heal()
		r.run(t, time.Second)
		if f := r.owed(t); f.Owed != 0 {
			t.Errorf("after Wake: got %d owed, want none", f.Owed)
		}
	})
}
