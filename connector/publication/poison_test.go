package publication

import (
	"fmt"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A listing of five megabytes may name tens of thousands of pictures and options: none is looked
// for among all the others.
func TestPoisonIsMappedInLinearTime(t *testing.T) {
	const n = 60_000
	p := &marketplace.Publication{
		ID:      "p",
		Listing: &marketplace.Listing{Translations: map[string]marketplace.Translation{"en": {Title: "Lamp"}}},
	}
	v := marketplace.Variant{ID: "v", Cost: "1.00", MSRP: "2.00"}
	for i := range n {
		p.Listing.Images = append(p.Listing.Images, fmt.Sprintf("https://images.example/%d.jpg", i%(n-1)))
		v.Options = append(v.Options, marketplace.Option{Name: fmt.Sprint("name ", i%(n-1)), Value: "x"})
	}
	p.Listing.Variants = append(p.Listing.Variants, v)
	start := time.Now()
	d := newMapper(
		Rules{Languages: []string{"en"}, Price: PriceRule{Base: BaseMSRP}}, Brake{},
	).desire(p, store.Record{}, time.Now())
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("got it done in %s, want 10s at most", took)
	}
	if images, options := len(d.product.Images), len(d.product.Options); images != n-1 || options != n-1 ||
		len(d.product.Variants[0].Options) != n-1 {
		t.Errorf("got %d images and %d options, want %d of each", images, options, n-1)
	}
}
