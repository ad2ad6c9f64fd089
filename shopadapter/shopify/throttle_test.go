package shopify_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// latency is how long Shopify takes for a request, as merchants' apps meet it: reads a fifth of a
// second, a productSet half a second and 4 ms for each variant.
func latency(operation string, variants int) time.Duration {
	if operation == "Write" {
		return 500*time.Millisecond + time.Duration(variants)*4*time.Millisecond
	}
	if operation == "Finish" {
		return 350 * time.Millisecond
	}
	return 200 * time.Millisecond
}

// TestPoints works off a backlog at the pace of a small bucket: hardly a refusal, and most of the
// restored points are used.
func TestPoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFakeShop(t)
		fake.limit, fake.rate, fake.level = 2000, 100, 2000
		fake.latency = latency
		a := fake.open(t)
		const products, workers = 200, 8
		start := time.Now()
		work := make(chan int)
		var group sync.WaitGroup
		for range workers {
			group.Go(func() {
				for n := range work {
					p := lamp(shopadapter.PublicationID(fmt.Sprint("p", n)), 1+n%5)
					if _, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for n := range products {
			work <- n
		}
		close(work)
		group.Wait()
		seconds := time.Since(start).Seconds()
		use := (fake.spent - fake.limit) / (seconds * fake.rate)
		t.Logf(
			"%d products in %.0f s, %.0f points, %d of %d requests throttled, %.2f of the rate used", products, seconds,
			fake.spent, fake.throttled, len(fake.calls), use,
		)
		if fake.throttled > len(fake.calls)/100 {
			t.Errorf("%d of %d requests were throttled", fake.throttled, len(fake.calls))
		}
		if use < 0.8 {
			t.Errorf("%.2f of what was restored was used", use)
		}
		if len(fake.products) != products {
			t.Errorf("%d products", len(fake.products))
		}
	})
}

// TestAnotherClientEmptiesTheBucket: refused requests wait for their points and go through.
func TestAnotherClientEmptiesTheBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFakeShop(t)
		fake.limit, fake.rate, fake.level = 1000, 50, 1000
		a := fake.open(t)
		p := laws.Sample("p", 3)
		ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
		time.Sleep(time.Minute)
		fake.level, fake.filled = 0, time.Now()
		start := time.Now()
		publish(t, a, ref, p, shopadapter.FieldPrice)
		if fake.throttled == 0 || time.Since(start) < 3*time.Second {
			t.Errorf("%d refusals, done after %s", fake.throttled, time.Since(start))
		}
	})
}

// TestAThrottleThatDoesNotEnd is an error that time mends.
func TestAThrottleThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFakeShop(t)
		a := fake.open(t)
		ref, _ := publish(t, a, shopadapter.Ref{}, lamp("p", 1), shopadapter.AllFields)
		fake.answer = coded("THROTTLED", "Throttled")
		fake.took()
		_, err := a.Publish(t.Context(), ref, lamp("p", 1), shopadapter.AllFields)
		fails(t, err, shopadapter.Transient, "")
		if n := len(fake.took()); n < 2 || n > 10 {
			t.Errorf("%d attempts", n)
		}
	})
}
