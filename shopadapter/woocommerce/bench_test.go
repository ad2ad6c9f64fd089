package woocommerce

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// A server is a shop's machine as it was measured: two cores, and for each operation the time it
// takes on one that has nothing else to do.
type server struct {
	cores chan struct{}
	busy  atomic.Int32
}

// measured is how long a real shop took, with 2 cores and stock settings. A batch takes its time
// item by item.
func measured(kind string) time.Duration {
	switch kind {
	case "create":
		return 62 * time.Millisecond
	case "update":
		return 45 * time.Millisecond
	case "picture":
		return 190 * time.Millisecond
	case "item":
		return 18 * time.Millisecond
	case "batch create":
		return 24 * time.Millisecond
	case "batch update":
		return 12 * time.Millisecond
	default:
		return 37 * time.Millisecond
	}
}

func (s *server) work(kind string, _ int) {
	s.cores <- struct{}{}
	defer func() { <-s.cores }()
	d := measured(kind)
	if s.busy.Add(1) > 1 {
		d = d * 3 / 2 // with both cores at work each is slower: 4 in parallel made 17 to 25 products a second
	}
	defer s.busy.Add(-1)
	time.Sleep(d)
}

// BenchmarkProducts makes and changes products in a shop of a real one's speed, by so many workers
// at a time.
func BenchmarkProducts(b *testing.B) {
	for _, variants := range []int{1, 10} {
		for _, workers := range []int{1, 4, 8} {
			b.Run(fmt.Sprintf("variants=%d/concurrency=%d", variants, workers), func(b *testing.B) {
				f := newFakeShop(b)
				f.Work = (&server{cores: make(chan struct{}, 2)}).work
				a := f.connect(b, quickly(), nil)
				if err := a.Check(context.Background()); err != nil {
					b.Fatal(err)
				}
				const products = 40
				refs := make([]shopadapter.Ref, products)
				each := func(do func(i int) error) (perSecond, requests float64) {
					f.Requests()
					start := time.Now()
					var next atomic.Int32
					var wg sync.WaitGroup
					for range workers {
						wg.Go(func() {
							for i := int(next.Add(1)) - 1; i < products; i = int(next.Add(1)) - 1 {
								if err := do(i); err != nil {
									b.Error(err)
								}
							}
						})
					}
					wg.Wait()
					return products / time.Since(start).Seconds(), float64(len(f.Requests())) / products
				}
				round := 0
				for b.Loop() {
					round++
					publish := func(changed shopadapter.Fields) func(int) error {
						return func(i int) error {
							p := sample(fmt.Sprintf("bench-%d-%d", round, i), variants)
							ref := refs[i]
							if changed == shopadapter.AllFields {
								ref = shopadapter.Ref{Publication: p.ID}
							} else {
								p.Variants[0].Price = "99.99"
							}
							l, err := a.Publish(context.Background(), ref, p, changed)
							refs[i] = shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State, OnSale: true}
							return err
						}
					}
					created, perCreation := each(publish(shopadapter.AllFields))
					updated, perUpdate := each(publish(shopadapter.FieldPrice))
					b.ReportMetric(created, "created/s")
					b.ReportMetric(updated, "updated/s")
					b.ReportMetric(perCreation, "requests/creation")
					b.ReportMetric(perUpdate, "requests/update")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
