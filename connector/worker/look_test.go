package worker

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
)

type noReports struct{}

func (noReports) UnderWay(string) <-chan struct{} { return nil }
func (noReports) Notify()                         {}

// A shop-wide refusal may settle after the check that passed has looked for refused publications.
func TestBlockedAfterTheCheckPassed(t *testing.T) {
	s, err := bolt.Open(filepath.Join(t.TempDir(), "pubsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var waiters breaker.Waiters
	log := slog.New(slog.DiscardHandler)
	shop := breaker.New(
		breaker.Options{
			Side:         breaker.Shop,
			Log:          log,
			Most:         waiters.MaxBackoff,
			Checked:      true,
			Memory:       s,
			MemoryFailed: func(err error) { t.Error(err) },
		},
	)
	w := New(Options{
		Store: s, ShopBreaker: shop, Health: health.New(log, func(s string) string { return s }, s), Log: log, Due: breaker.NewSignal(), Reports: noReports{}, Concurrency: 1,
	})
	rec := store.Record{ID: "p1", Problem: store.Problem{Kind: store.ProblemBlocked, Wide: true}}
	due := func() *store.Mark {
		t.Helper()
		e, err := s.Get(t.Context(), "p1")
		if err != nil {
			t.Fatal(err)
		}
		return e.Mark
	}
	shop.Judge(t.Context(), "", breaker.Verdict{Wide: true, Refused: true, Reason: "the key is refused"})
	w.write(t.Context(), store.Mark{ID: "p1"}, store.Record{}, store.Settlement{Record: rec}, time.Now())
	if m := due(); m != nil {
		t.Errorf("due while everything is refused: %+v", m)
	}
	shop.Release()
	w.write(t.Context(), store.Mark{ID: "p1"}, store.Record{}, store.Settlement{Record: rec}, time.Now())
	if m := due(); m == nil || m.Cause != store.CauseRetry {
		t.Errorf("due after the check passed: %+v", m)
	}
}

// A publication that the marketplace fails to show is put off, and its record is unchanged: the
// fault is the marketplace's.
func TestContentThatCannotBeReadIsPutOff(t *testing.T) {
	s, err := bolt.Open(filepath.Join(t.TempDir(), "pubsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var waiters breaker.Waiters
	log := slog.New(slog.DiscardHandler)
	market := breaker.New(breaker.Options{
		Side: breaker.Marketplace, Log: log, Most: waiters.MaxBackoff, Memory: s, MemoryFailed: func(err error) { t.Error(err) },
	})
	w := New(Options{
		Store: s, MarketBreaker: market, Waiters: &waiters, Health: health.New(log, func(s string) string { return s }, s), Log: log, Due: breaker.NewSignal(),
		Reports: noReports{}, Concurrency: 1,
	})
	begun := store.At(time.Now())
	if err := s.Mark(t.Context(), store.Mark{ID: "p1", Class: store.ClassHook, Cause: store.CauseSigned, At: begun}); err != nil {
		t.Fatal(err)
	}
	e, err := s.Get(t.Context(), "p1")
	if err != nil {
		t.Fatal(err)
	}
	w.notRead(t.Context(),
		*e.Mark,
		&marketplace.Error{Op: "read publication", Status: 502, Message: "the marketplace answered HTTP 502"},
	)
	if e, err = s.Get(t.Context(), "p1"); err != nil {
		t.Fatal(err)
	}
	if e.Mark == nil || e.Mark.At <= begun || e.Record.Problem.Kind != "" {
		t.Errorf("mark %+v, problem %+v", e.Mark, e.Record.Problem)
	}
	if n := w.Misread(); n != 1 {
		t.Errorf("%d publications count as misread", n)
	}
}
