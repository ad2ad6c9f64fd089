package benchmarks

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// TestDayCost bounds what a day costs for known products of eight variants that do not change: lists
// each quarter of an hour, and each product read again once. The whole of a product costs some 260
// points where every field costs one.
func TestDayCost(t *testing.T) {
	long(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const products, days = 40, 30
		box := sandbox.New(sandbox.Options{ScalarCost: 1})
		defer box.Close()
		addUniform(box, 8, 1, products)
		r := newRig(t, box.Transport())
		r.tune = func(o *connector.Options) { o.RefreshAfter = 24 * time.Hour }
		c := r.connector()
		once := func() {
			if s, err := c.Once(t.Context(), desk.RunOptions{Patience: time.Hour}); err != nil || s.Exit != desk.ExitOK {
				t.Fatalf("got %+v, %v, want Exit 0", s, err)
			}
		}
		once()
		box.Forget()
		for range days * 4 {
			time.Sleep(6 * time.Hour)
			once()
		}
		each := points(box) / products / days
		t.Logf("%.1f points a product and day", each)
		if each > 90 {
			t.Errorf("got %.1f points a product and day, want at most 90", each)
		}
	})
}
