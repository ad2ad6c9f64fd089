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
			switch {
			case err != nil:
				t.Fatalf("%+v, %v; err: got %v, want nil", page, err, err)
			case len(page.Variants) > 0:
				t.Fatalf("%+v, %v; len(page.Variants): got %v, want at most %v", page, err, len(page.Variants), 0)
			}
			skipped, more = page.End, page.More
		}
		switch cost := m.Totals()[sandbox.KindVariants].ActualCost; {
		case skipped != end:
			t.Errorf(
				"%d variants are skipped for %d points in %d pages, to %q, want %q; skipped: got %v, want %v", len(variants),
				cost, pages, skipped, end, skipped, end,
			)
		case pages < 2:
			t.Errorf(
				"%d variants are skipped for %d points in %d pages, to %q, want %q; pages: got %v, want at least %v",
				len(variants), cost, pages, skipped, end, pages, 2,
			)
		case cost > 4*pages:
			t.Errorf(
				"%d variants are skipped for %d points in %d pages, to %q, want %q; cost: got %v, want at most %v",
				len(variants), cost, pages, skipped, end, cost, 4*pages,
			)
		}

		both, err := c.ListBoth(t.Context(), marketplace.Sweep, "", "", 5)
		if err != nil {
			t.Fatal(err)
		}
		page, err := c.List(t.Context(), marketplace.Sweep, marketplace.UpdatedAtAsc, "")
		switch {
		case err != nil:
			t.Fatalf("%+v, %v; err: got %v, want nil", page, err, err)
		case len(both.Publications.Entries) == 0:
			t.Fatalf("%+v, %v; len(both.Publications.Entries): got %v, want another", page, err, len(both.Publications.Entries))
		}
		if diff := cmp.Diff(page.Entries[:len(both.Publications.Entries)], both.Publications.Entries); diff != "" {
			t.Errorf("publications: %s, want %q", diff, "")
		}
		switch diff := cmp.Diff(variants[:len(both.Variants.Variants)], both.Variants.Variants); {
		case diff != "":
			t.Errorf("variants: %+v %s; diff: got %q, want %q", both.Variants, diff, diff, "")
		case len(both.Variants.Variants) != 5:
			t.Errorf(
				"variants: %+v %s; len(both.Variants.Variants): got %v, want %v", both.Variants, diff,
				len(both.Variants.Variants), 5,
			)
		case !both.Variants.More:
			t.Errorf("variants: %+v %s; both.Variants.More: got false, want true", both.Variants, diff)
		}
	})
}
