package marketplace_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// To skip the list of product variants costs four points a page and ends where reading it ends;
// both lists in one request show what each shows by itself.
func TestVariantsAreSkippedAndListedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c := open(t, sandbox.Options{ScalarCost: 1, RestoreRate: 5000}, 60)
		var variants []marketplace.ProductVariant
		end := ""
		for more := true; more; {
			page, err := c.Variants(t.Context(), marketplace.Sweep, end, 100)
			if err != nil {
				t.Fatal(err)
			}
			variants, end, more = append(variants, page.Variants...), page.End, page.More
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

		both, err := c.ListBoth(t.Context(), marketplace.Sweep, "", "", 5)
		if err != nil {
			t.Fatal(err)
		}
		page, err := c.List(t.Context(), marketplace.Sweep, marketplace.UpdatedAtAsc, "")
		if err != nil || len(both.Publications.Entries) == 0 {
			t.Fatalf("%+v, %v", page, err)
		}
		if diff := cmp.Diff(page.Entries[:len(both.Publications.Entries)], both.Publications.Entries); diff != "" {
			t.Errorf("publications: %s, want %q", diff, "")
		}
		if diff := cmp.Diff(variants[:len(both.Variants.Variants)], both.Variants.Variants); diff != "" ||
			len(both.Variants.Variants) != 5 || !both.Variants.More {
			t.Errorf("variants: %+v %s", both.Variants, diff)
		}
	})
}
