package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
	"github.com/pubsync/pubsync/store"
)

// A report waits for the look at its publication, but not for a shop that hangs: nor does a run from cron.
func TestAReportWaitsForNoShopThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		id := b.Market.AddSound(1)[0]
		b.Once(false)
		b.Once(false) // what the report moved is listed
		b.Shop.Rule(func(c shoptest.Call) (r shoptest.Reply) {
			if c.Method == shoptest.Publish {
				r.Wait = 9 * time.Minute
			}
			return r
		})
		b.Update(id, func(l *sandbox.Listing) { l.Variants[0].Quantity++ })
		if _, err := b.Store.Change(t.Context(), []string{id}, func(e *store.Entry) bool {
			e.Owed = &store.Report{ID: id, Status: store.StatusSuccess, URL: e.Record.URL + "?x", Since: store.At(time.Now())}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		// its first tries have no answer, and the next meets the look
		b.Market.Inject(sandbox.Fault{
			Kind: sandbox.Cut, Next: 2, On: []sandbox.Kind{sandbox.KindReport, sandbox.KindLook},
		})
		begun := time.Now()
		s, err := b.Connector().Once(t.Context(), desk.RunOptions{Patience: 2 * time.Minute})
		if took := time.Since(begun); took > 3*time.Minute || s.Reported == 0 || err == nil {
			t.Errorf("took %s, reported %d, error %v, want two minutes, a report and the patience's end",
				took, s.Reported, err)
		}
	})
}
