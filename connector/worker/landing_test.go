package worker_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/metrics"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/quota"
	"github.com/pubsync/pubsync/connector/worker"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
	"github.com/pubsync/pubsync/store"
)

// Looks that wait for reports hold no points: where a bucket has room for two looks, the reports
// would wait for them, and they for the reports.
func TestLooksThatWaitForReportsHoldNoPoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{Limit: 60})
		ids := b.Market.AddSound(2)
		o := b.Options()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := o.Marketplace.Probe(ctx); err != nil {
			t.Fatal(err)
		}
		admit := func() *marketplace.Admission {
			t.Helper()
			adm, err := o.Marketplace.Admit(ctx, marketplace.News)
			if err != nil {
				t.Fatal(err)
			}
			return adm
		}
		reported := make(chan struct{})
		w := worker.New(worker.Options{
			Store: b.Store, Market: o.Marketplace.Reader, Shop: func() shopadapter.Adapter { return b.Shop.Adapter() },
			ShopBreaker: b.Breaker(breaker.Shop), MarketBreaker: b.Breaker(breaker.Marketplace),
			Waiters: &breaker.Waiters{}, Lists: func() bool { return true },
			Settings: func(context.Context) (*publication.Settings, error) { set := b.Settings(); return &set, nil },
			Health:   b.Health(), Log: o.Logger, Metrics: metrics.New(), Hints: &quota.Share{}, Gaps: quota.NewGaps(),
			Due: breaker.NewSignal(), Reports: underWay(reported), Removals: noRemovals{},
			Ready: func(context.Context) bool { return true }, Concurrency: 2,
		})
		for _, id := range ids {
			if err := b.Store.Mark(ctx, store.Mark{ID: id, Class: store.ClassHook}); err != nil {
				t.Fatal(err)
			}
		}
		working, stop := context.WithCancel(ctx)
		go w.Run(working, ctx)
		synctest.Wait()
		admit().Release()
		if n := len(b.Shop.Calls(shoptest.Publish)); n != 0 {
			t.Errorf("%d products are written while a report of them is under way, want 0", n)
		}
		if w.Busy() != 2 {
			t.Errorf("%d publications are looked at, want 2", w.Busy())
		}
		stop()
		close(reported)
		synctest.Wait()
	})
}

// underWay is the reports of a worker for which all are under way until it is closed.
type underWay chan struct{}

func (u underWay) UnderWay(string) <-chan struct{} { return u }
func (underWay) Notify()                           {}

// noRemovals is the removals of a worker that finds none.
type noRemovals struct{}

func (noRemovals) FoundRemoval() {}
func (noRemovals) HintSpent()    {}
