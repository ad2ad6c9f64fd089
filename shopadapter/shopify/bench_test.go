package shopify_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
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

// scale is how much faster than Shopify the fake is in a benchmark. The rates reported are those of
// the real pace.
const scale = 50

func benchShop(b *testing.B) *fakeShop {
	fake := newFakeShop(b)
	fake.limit, fake.rate, fake.level = 2000, 100*scale, 2000 // the standard plan
	fake.latency = func(operation string, variants int) time.Duration { return latency(operation, variants) / scale }
	fake.processing = func() time.Duration { return 2 * time.Second / scale }
	return fake
}

func benchProduct(n int) shopadapter.Product {
	return shopadaptertest.Sample(shopadapter.PublicationID(fmt.Sprint("p", n)), 3)
}

// BenchmarkCreate makes products of three variants and two pictures in a store of the standard
// plan.
func BenchmarkCreate(b *testing.B) {
	for _, workers := range []int{1, 4, 8} {
		b.Run(fmt.Sprint("concurrency-", workers), func(b *testing.B) {
			run(b, benchShop(b), workers, func(a shopadapter.Adapter, n int) error {
				p := benchProduct(n)
				_, err := a.Publish(b.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
				return err
			})
		})
	}
}

// BenchmarkUpdate changes the price of one variant.
func BenchmarkUpdate(b *testing.B) {
	benchChange(b, func(a shopadapter.Adapter, ref shopadapter.Ref, p shopadapter.Product) error {
		_, err := a.Publish(b.Context(), ref, p, shopadapter.FieldPrice)
		return err
	})
}

// BenchmarkRestock changes the price of one variant, without a look at the rest of the product.
func BenchmarkRestock(b *testing.B) {
	benchChange(b, func(a shopadapter.Adapter, ref shopadapter.Ref, p shopadapter.Product) error {
		_, err := a.(shopadapter.Restocker).Restock(
			b.Context(),
			ref,
			shopadapter.FiguresOf(p.Variants),
			shopadapter.FieldPrice,
		)
		return err
	})
}

func benchChange(b *testing.B, call func(shopadapter.Adapter, shopadapter.Ref, shopadapter.Product) error) {
	b.Helper()
	for _, workers := range []int{1, 4, 8} {
		b.Run(fmt.Sprint("concurrency-", workers), func(b *testing.B) {
			fake := benchShop(b)
			a := fake.openScaled(b)
			refs := make([]shopadapter.Ref, 20)
			for n := range refs {
				refs[n], _ = publish(b, a, shopadapter.Ref{}, benchProduct(n), shopadapter.AllFields)
			}
			var turns [20]sync.Mutex
			run(b, fake, workers, func(a shopadapter.Adapter, n int) error {
				turns[n%20].Lock()
				defer turns[n%20].Unlock()
				p := benchProduct(n % 20)
				p.Variants[1].Price = fmt.Sprintf("%d.00", 1+n)
				return call(a, refs[n%20], p)
			})
		})
	}
}

func (f *fakeShop) openScaled(b *testing.B) shopadapter.Adapter {
	a := f.open(b)
	a.SetWaits(2*time.Second/scale, 2*time.Second/scale, 3*time.Second/scale)
	return a
}

// run lets workers make b.N calls, and reports what they cost.
func run(b *testing.B, fake *fakeShop, workers int, call func(a shopadapter.Adapter, n int) error) {
	a := fake.openScaled(b)
	if err := a.(shopadapter.Checker).Check(b.Context()); err != nil {
		b.Fatal(err)
	}
	fake.mu.Lock()
	fake.calls, fake.spent, fake.throttled = nil, 0, 0
	fake.mu.Unlock()
	work := make(chan int)
	var group sync.WaitGroup
	b.ResetTimer()
	for range workers {
		group.Go(func() {
			for n := range work {
				if err := call(a, n); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for n := range b.N {
		work <- n
	}
	close(work)
	group.Wait()
	b.StopTimer()
	n := float64(b.N)
	b.ReportMetric(n/b.Elapsed().Seconds()/scale, "products/s")
	b.ReportMetric(float64(len(fake.calls))/n, "requests/product")
	b.ReportMetric(fake.spent/n, "points/product")
	b.ReportMetric(float64(fake.throttled)/n, "refusals/product")
}
