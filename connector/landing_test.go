package connector

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/worker"
	"github.com/pubsync/pubsync/store"
)

// Looks that wait for reports hold no points: where a bucket has room for two looks, the reports
// would wait for them, and they for the reports.
func TestLooksThatWaitForReportsHoldNoPoints(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{Limit: 60})
		ids := b.box.AddSound(2)
		c := b.connector()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := c.sweeper.Prepare(ctx); err != nil {
			t.Fatal(err)
		}
		admit := func() *marketplace.Admission {
			t.Helper()
			adm, err := c.o.Marketplace.Admit(ctx, marketplace.News)
			if err != nil {
				t.Fatal(err)
			}
			return adm
		}
		reported := make(chan struct{})
		w := worker.New(worker.Options{
			Store: c.o.Store, Market: c.o.Marketplace.Reader, Shop: c.secrets.Shop, ShopBreaker: c.shop.breaker, MarketBreaker: c.market.breaker, Waiters: c.waiters,
			Decider: publication.NewDecider(
				c.p.Settings,
			), Health: c.health, Log: c.o.Logger, Metrics: c.metrics, Hints: c.share, Gaps: c.gaps, Due: c.due, Reports: underWay(reported),
			Removals: c.sweeper, Ready: c.Ready, Concurrency: 2,
		})
		for _, id := range ids {
			if err := c.o.Store.Mark(ctx, store.Mark{ID: id, Class: store.ClassHook, Cause: store.CauseRead}); err != nil {
				t.Fatal(err)
			}
		}
		working, stop := context.WithCancel(ctx)
		go w.Run(working, ctx)
		synctest.Wait()
		admit().Release()
		if n := len(b.shop.since(0)); n != 0 {
			t.Errorf("%d products are written while a report of them is under way", n)
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
