package marketplace_test

import (
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// To skip the list of product variants costs four points a page and ends where reading it ends.
func TestVariantsAreSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c := open(t, sandbox.Options{ScalarCost: 1, RestoreRate: 5000}, 60)
		end := ""
		for more := true; more; {
			page, err := c.Variants(t.Context(), marketplace.Sweep, end, 100)
			if err != nil {
				t.Fatal(err)
			}
			end, more = page.End, page.More
		}
		m.Forget()
		skipped, pages := "", 0
		for more := true; more; pages++ {
			page, err := c.SkipVariants(t.Context(), marketplace.Sweep, skipped)
			if err != nil || len(page.Variants) > 0 {
				t.Fatalf("%+v, %v", page, err)
			}
			skipped, more = page.End, page.More
		}
		if cost := m.Totals()[sandbox.KindVariants].ActualCost; skipped != end || pages < 2 || cost > 4*pages {
			t.Errorf("skipped to %q for %d points in %d pages, want %q", skipped, cost, pages, end)
		}
	})
}
