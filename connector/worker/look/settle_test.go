package look

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
)

type noReports struct{}

func (noReports) UnderWay(string) <-chan struct{} { return nil }
func (noReports) Notify()                         {}

type noMetrics struct{}

func (noMetrics) Looked(time.Duration)    {}
func (noMetrics) Failed(shopadapter.Kind) {}

// newLooks are looks over an empty store, between a shop and a marketplace whose breakers are closed.
func newLooks(t *testing.T) (l *Looks, s store.Store, shop *breaker.Breaker) {
	t.Helper()
	file, err := bolt.Open(filepath.Join(t.TempDir(), "pubsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	s = file
	waiters, log := &breaker.Waiters{}, slog.New(slog.DiscardHandler)
	of := func(side breaker.Side) *breaker.Breaker {
		return breaker.New(breaker.Options{
			Side: side, Log: log, Most: waiters.MaxBackoff, Checked: side == breaker.Shop,
		})
	}
	shop = of(breaker.Shop)
	return New(Options{
		Store: s, Health: health.New(log, func(s string) string { return s }, s), Log: log, Metrics: noMetrics{},
		ShopBreaker: shop, MarketBreaker: of(breaker.Marketplace), Waiters: waiters,
		Reports: noReports{}, Due: breaker.NewSignal(),
	}), s, shop
}

// dueOf is the mark of a publication, nil where it is not due.
func dueOf(t *testing.T, s store.Store, id string) *store.Mark {
	t.Helper()
	e, err := s.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return e.Mark
}

// A shop-wide refusal may settle after the check that passed has looked for refused publications.
func TestBlockedAfterTheCheckPassed(t *testing.T) {
	l, s, shop := newLooks(t)
	end := func() {
		l.write(t.Context(), "p1", time.Now(), func(e *store.Entry) bool {
			e.Record.State = store.StateBlocked
			e.Record.Problem = store.Problem{Kind: store.ProblemBlocked, Wide: true}
			return true
		})
	}
	shop.Judge("", breaker.Verdict{Wide: true, Refused: true, Reason: "the key is refused"})
	end()
	if m := dueOf(t, s, "p1"); m != nil {
		t.Errorf("while everything is refused: got %+v, want no mark", m)
	}
	shop.Release()
	end()
	m := dueOf(t, s, "p1")
	if m == nil {
		t.Fatal("after the check passed: got no mark, want one")
	}
	if m.At > store.At(time.Now()) {
		t.Errorf("due at %s after the check passed, want it due now", m.At.Time())
	}
}
