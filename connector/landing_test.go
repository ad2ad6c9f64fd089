package connector

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// Looks that wait for reports hold no points: where a bucket has room for two looks, the reports would wait for them, and they for the reports.
func TestLooksThatWaitForReportsHoldNoPoints(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{Limit: 60})
		ids := b.box.AddSound(2)
		c := b.connector()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := c.prepare(ctx); err != nil {
			t.Fatal(err)
		}
		admit := func() *marketplace.Admission {
			t.Helper()
			adm, err := c.market.Admit(ctx, marketplace.News)
			if err != nil {
				t.Fatal(err)
			}
			return adm
		}
		owed := []store.Report{{ID: ids[0]}, {ID: ids[1]}}
		c.reporter.takeOff(owed)
		for _, id := range ids {
			adm := admit()
			go c.process(ctx, store.Mark{ID: id, Class: store.ClassHook, Cause: store.CauseRead}, adm)
		}
		synctest.Wait()
		admit().Release()
		if n := len(b.shop.since(0)); n != 0 {
			t.Errorf("%d products are written while a report of them is under way", n)
		}
		c.reporter.land(owed)
		synctest.Wait()
	})
}
