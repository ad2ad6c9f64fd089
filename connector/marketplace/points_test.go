package marketplace

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A look that waits for points holds none of its report's: in a small bucket, where a look turns out
// to cost more than was reserved, several at once would wait for each other for ever.
func TestALookHoldsNoPointsThatItWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, look, both = 60, 40, 30 // points: of the bucket, of a look, reserved for look and report
		w := &fakeWire{answer: func(int, sent) (int, string) {
			return 200, fmt.Sprintf(
				`{"data":{"publication":{"updatedAt":"u"}},"extensions":{"throttle":{"requestedCost":%d,`+
					`"actualCost":1,"limit":%d,"remaining":%d,"restoreRate":50}}}`, look, limit, limit-1,
			)
		}}
		c := known(t, w)
		for range 3 { // the size of the bucket is believed, and what a look costs
			if _, err := c.Look(t.Context(), Urgent, []string{"1"}, false); err != nil {
				t.Fatal(err)
			}
		}
		if got := c.Budget().Limit; got != limit {
			t.Fatalf("got a bucket of %g points, want %d", got, limit)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var reserved, looks sync.WaitGroup
		reserved.Add(2)
		for range 2 {
			looks.Go(func() {
				points, err := c.conn.Pay(ctx, Urgent, "report", both, nil)
				reserved.Done()
				if err != nil {
					t.Error(err)
					return
				}
				defer points.Return()
				reserved.Wait() // both hold their points
				if _, err := c.look(ctx, Urgent, points, "1", false); err != nil {
					t.Error(err)
				}
			})
		}
		looks.Wait()
	})
}
