package cost

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
)

// TestCostsAreForgotten lets an hour pass after refusals: larger queries are tried again.
func TestCostsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		build := func(n int) document.Document { return listOf(n, byID) }
		c := New()
		c.Adopt(1000)
		c.Observe(build(10), build(10).Text(), 710)
		c.Lower(400, 100)
		c.Shrink(40, 10)
		if got := c.Fit(c.Query(), LargestPage, build); got != 1 {
			t.Errorf("%d entries after refusals, want 1", got)
		}
		time.Sleep(kept)
		if got := c.Query(); got != 1000 {
			t.Errorf("a query may cost %g after %v, want the bucket's 1000", got, kept)
		}
		if got := c.Fit(400, LargestPage, build); got != 57 {
			t.Errorf("%d entries after %v, want 57", got, kept)
		}
	})
}

// TestADearDocumentIsBelievedTheSecondTime also shows that one figure, however wrong, changes no
// plan.
func TestADearDocumentIsBelievedTheSecondTime(t *testing.T) {
	small, large := listOf(1, byID), listOf(50, byID)
	c := New()
	before := c.Estimate(large, large.Text())
	for i, want := range []bool{false, true} {
		if got := c.Believe(small, small.Text(), 300, 1000); got != want {
			t.Errorf("answer %d: believed %t, want %v", i+1, got, want)
		}
	}
	if c.Believe(small, small.Text(), 1e9, 1000) {
		t.Error("a cost beyond the bucket was believed at once")
	}
	if c.Believe(small, small.Text(), 2e9, 1000) {
		t.Error("another cost beyond the bucket was believed for the first one's sake")
	}
	if got := c.Estimate(large, large.Text()); got != before {
		t.Errorf("the estimate of another document moved from %g to %g, want %v", before, got, before)
	}
}
