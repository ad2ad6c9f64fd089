package drift_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A shop that rounds changes every price that is put right. It is asked about once, left after some
// tries, and told; the other products are put right as ever.
func TestAShopThatChangesWhatIsPutRight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, shop, ids := observing(t, 30, nil)
		shop.onSave = func(p *shopadapter.Product) { p.Variants[0].Price = "5.00" }
		for _, id := range ids[:12] {
			shop.change(id, shop.onSave)
		}
		writes := func(n int, step string) {
			t.Helper()
			calls := len(b.Shop.Since(0))
			time.Sleep(time.Hour)
			b.Once(true)
			got := 0
			for _, c := range b.Shop.Since(calls) {
				if c.Changed.Has(shopadapter.FieldPrice) {
					got++
				}
			}
			if got != n {
				t.Errorf("%s: %d prices written, want %d", step, got, n)
			}
		}
		writes(0, "while they are held")
		if n, err := harness.ApproveAll(b.Store, store.HoldDrift); err != nil || n != 12 {
			t.Fatalf("approved %d, %v, want 12", n, err)
		}
		b.Once(false)
		writes(12, "a second time")
		writes(12, "a third time")
		writes(0, "from then on")
		if got := b.Counts()[store.StateLive]; got != 30 {
			t.Errorf("%v, want 30 live", b.Counts())
		}
		status, err := harness.StatusOf(b.Store)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Sorted(slices.Values(ids[:12]))
		if got := status.Compared.Recurring; !slices.Equal(got, want) {
			t.Errorf("left are %v, want %v", got, want)
		}
		shop.onSave = nil
		shop.change(ids[20], func(p *shopadapter.Product) { p.Variants[0].Price = "5.00" })
		writes(1, "a mistake beside them")
	})
}
