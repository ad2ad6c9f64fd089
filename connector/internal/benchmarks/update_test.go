package benchmarks

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
)

// BenchmarkUpdateCost changes the stock of sixty publications, which are a backlog, in catalogues
// of one kind of listing, on marketplaces that count differently. It reports the points that a
// single run spent until every stock figure was right in the shop: x-floor is over one list of what
// changed, and updatedAt and the figures of each publication asked for once; x-figures is the same
// without the list on either side.
//
// Wanted: x-floor of at most 1.25 everywhere, throttled 0.
func BenchmarkUpdateCost(b *testing.B) {
	onUniform(b, func(b *testing.B, o sandbox.Options, variants, images int) {
		var bill map[sandbox.Kind]sandbox.Total
		for b.Loop() {
			inBenchBubble(b, func(t *testing.T) { bill = updateUniform(t, o, variants, images) })
		}
		list, figures := floorUpdate(b, o, variants, images)
		total, throttled := 0.0, 0.0
		for _, t := range bill {
			total += float64(t.ActualCost)
			throttled += float64(t.Throttled)
		}
		b.ReportMetric(total/(list+figures), "x-floor")
		b.ReportMetric(float64(bill[sandbox.KindContent].ActualCost)/figures, "x-figures")
		b.ReportMetric(throttled, "throttled")
	})
}

// changedSize is the publications of the backlog.
const changedSize = 60

// A countingShop is a null shop that takes figures alone, and tells when so many have the new
// stock.
type countingShop struct {
	nullShop
	mu    sync.Mutex
	right map[shopadapter.PublicationID]bool
	all   func()
}

// newStock is what every variant has after the change.
const newStock = 4711

func (s *countingShop) Publish(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	f shopadapter.Fields,
) (shopadapter.Listing, error) {
	s.saw(ref.Publication, p.Variants[0].Quantity)
	return s.nullShop.Publish(ctx, ref, p, f)
}

func (s *countingShop) Restock(
	ctx context.Context,
	ref shopadapter.Ref,
	v []shopadapter.Figures,
	f shopadapter.Fields,
) (shopadapter.Listing, error) {
	s.saw(ref.Publication, v[0].Quantity)
	p := shopadapter.Product{Variants: make([]shopadapter.Variant, len(v))}
	for i := range v {
		p.Variants[i].ID = v[i].ID
	}
	return s.nullShop.Publish(ctx, ref, p, f)
}

func (s *countingShop) saw(id shopadapter.PublicationID, stock int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stock != newStock || s.right[id] {
		return
	}
	if s.right[id] = true; len(s.right) == changedSize {
		s.all()
	}
}

// updateUniform imports a catalogue, changes stock, and brings that in line as `run --once` does.
// It returns what the marketplace had charged for that when every stock figure was right in the
// shop.
func updateUniform(t *testing.T, o sandbox.Options, variants, images int) (bill map[sandbox.Kind]sandbox.Total) {
	t.Helper()
	box := sandbox.New(o)
	defer box.Close()
	addUniform(box, variants, images, uniformSize)
	r := newRig(t, box.Transport())
	shop := &countingShop{right: map[shopadapter.PublicationID]bool{}, all: func() { bill = box.Totals() }}
	r.tune = func(o *connector.Options) { o.Shop = shop }
	once := func() desk.Summary {
		s, err := r.connector().Once(t.Context(), desk.RunOptions{Patience: time.Hour})
		if err != nil {
			t.Fatalf("run ended with %+v, %v", s, err)
		}
		return s
	}
	once()
	time.Sleep(2 * time.Minute)
	once() // of what the reports moved
	time.Sleep(2 * time.Minute)
	box.Forget()
	for _, p := range box.Publications()[:changedSize] {
		if err := box.Update(p.ID, func(l *sandbox.Listing) {
			for i := range l.Variants {
				l.Variants[i].Quantity = newStock
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	if s := once(); s.Updated != changedSize || bill == nil {
		t.Fatalf("run ended with %+v", s)
	}
	return bill
}

// floorUpdate is what a marketplace just like it charges for a list of the changed entries, and for
// their figures, asked by a client that knows beforehand how many variants there are.
func floorUpdate(b *testing.B, o sandbox.Options, variants, images int) (list, figures float64) {
	b.Helper()
	o.Limit, o.QueryLimit, o.RestoreRate = 1<<30, 1<<30, 1<<30
	box := sandbox.New(o)
	defer box.Close()
	addUniform(box, variants, images, uniformSize)
	ask(
		b,
		box,
		fmt.Sprintf(
			`{publications(first:%d,sort:UPDATED_AT_ASC){pageInfo{hasNextPage endCursor} nodes{id updatedAt status}}}`,
			changedSize,
		),
		nil,
	)
	for _, p := range box.Publications()[:changedSize] {
		ask(
			b,
			box,
			fmt.Sprintf(
				`query($id:ID!){publication(id:$id){updatedAt listing{variants(first:%d)`+
					`{nodes{id dropshippingPrice msrp inventoryQuantity inventoryPolicy}}}}}`,
				variants,
			),
			map[string]any{"id": p.ID},
		)
	}
	totals := box.Totals()
	return float64(totals[sandbox.KindList].ActualCost), float64(totals[sandbox.KindContent].ActualCost)
}
