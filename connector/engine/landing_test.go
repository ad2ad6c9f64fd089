package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
	"github.com/pubsync/pubsync/store"
)

// Looks wait for reports without points: where a bucket has room for two looks, the reports would wait for
// them, and they for the reports.
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
		o.Market, o.Concurrency = o.Marketplace.Reader, 2
		x := engine.New(o.Options)
		for _, id := range ids {
			if err := b.Store.Mark(ctx, store.Mark{ID: id, Class: store.ClassHook}); err != nil {
				t.Fatal(err)
			}
		}
		working, stop := context.WithCancel(ctx)
		go x.Looks(working, ctx, ids...)
		synctest.Wait()
		admit().Release()
		if n := len(b.Shop.Calls(shoptest.Publish)); n != 0 {
			t.Errorf("%d products are written while a report of them is under way, want 0", n)
		}
		stop()
		synctest.Wait()
	})
}
