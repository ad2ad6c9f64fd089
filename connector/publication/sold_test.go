package publication

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A till is a shop that sells: it holds one variant as it was sent, and can be observed.
type till struct {
	t        *testing.T
	r        store.Record
	now      time.Time
	price    string
	quantity int
	fails    error       // of the writes of the next look
	refuses  error       // of its writes of a whole product
	cause    store.Cause // of looks
	onSave   func(*till) // what the shop does after each write
	whole    bool        // it writes what it is given, whatever has changed
	writes   int
	next     *store.Mark // of the last look
	group    Group       // of comparisons
}

// look has the shop hold what a decider makes of a publication.
func (s *till) look(by *Decider, offered int, change func(*marketplace.Publication)) {
	s.t.Helper()
	s.now = s.now.Add(time.Hour)
	pub := bench(func(p *marketplace.Publication) {
		p.Listing.Variants[0].Quantity = &offered
		if change != nil {
			change(p)
		}
	})
	d := by.Decide(s.r, store.Mark{ID: "p1", Cause: s.cause}, Seen{Publication: pub, At: s.now})
	_, end := drive(d, func(d Decision) Outcome {
		if err := s.fails; err != nil {
			return Outcome{Err: err}
		}
		if err := s.refuses; err != nil && d.Step == Publish {
			return Outcome{Err: err}
		}
		for _, v := range d.Sends().Variants {
			if s.whole || d.Changed.Has(shopadapter.FieldPrice) {
				s.price = v.Price
			}
			if s.whole || d.Changed.Has(shopadapter.FieldStock) {
				s.quantity = v.Quantity
			}
		}
		s.writes++
		if s.onSave != nil {
			s.onSave(s)
		}
		return takes(d)
	})
	s.r, s.next, s.fails, s.refuses = end.Record, end.Next, nil, nil
}

// compare observes the shop.
func (s *till) compare(by *Decider) {
	s.now = s.now.Add(time.Hour)
	end := store.Settlement{Record: s.r}
	by.Observed(&end, s.observed(), s.group, s.now)
	s.r = end.Record
}

func (s *till) observed() Observation {
	return Observation{Listing: shopadapter.Listing{Images: -1, Variants: []shopadapter.ListedVariant{{
		ID: "v1", SKU: "B-1", Price: s.price, Quantity: s.quantity, OnSale: true,
	}}}}
}

// What the shop has sold stays sold until the supplier's figure shows it, whatever else moves ours.
func TestSoldUntilTheSuppliersFigureFalls(t *testing.T) {
	plain := tableDecider(t, nil)
	kept := tableDecider(t, func(s *Settings) { s.Rules.StockBuffer = 1 })
	dearer := func(p *marketplace.Publication) { // held, and below the new floor
		p.Listing.Variants[0].Cost, p.Listing.Variants[0].MSRP = "40.00", "80.00"
	}
	const offered = 7
	for _, tt := range []struct {
		name string
		then func(*till)
		want int
	}{
		{"another unit is kept back", func(s *till) { s.look(kept, offered, nil) }, 4},
		{"a price is held, and sold out meanwhile", func(s *till) { s.look(plain, offered, dearer) }, 0},
		{"the held price is taken back", func(s *till) {
			s.look(plain, offered, dearer)
			s.look(plain, offered, nil)
		}, 5},
		{"and was observed meanwhile", func(s *till) {
			s.look(plain, offered, dearer)
			s.compare(plain)
			s.look(plain, offered, nil)
		}, 5},
		{"the supplier's figure rises while a price is held", func(s *till) {
			s.look(plain, offered, dearer)
			s.look(plain, 30, dearer)
			s.look(plain, 30, nil)
		}, 28},
		{"the supplier's figure rises", func(s *till) { s.look(plain, 30, nil) }, 28},
		{"it falls by one of them", func(s *till) { s.look(plain, 6, nil) }, 5},
		{"and by the other, and one more", func(s *till) {
			s.look(plain, 6, nil)
			s.look(plain, 4, nil)
		}, 4},
		{"it falls, and the shop was observed in between", func(s *till) {
			s.look(plain, 6, nil)
			s.compare(plain)
			s.look(plain, 6, dearer)
			s.look(plain, 6, nil)
		}, 5},
		{"its price changes alone, in a shop that writes what it is given", func(s *till) {
			s.whole = true
			s.look(plain, offered, func(p *marketplace.Publication) { p.Listing.Variants[0].MSRP = "31.00" })
		}, 5},
		{"and the first try failed", func(s *till) {
			s.fails = shopadapter.Retry("away")
			s.look(plain, 30, nil)
			s.look(plain, 30, nil)
		}, 28},
		{"somebody raised it", func(s *till) {
			s.quantity = 999
			s.compare(plain)
			s.look(plain, offered, nil)
		}, 5},
		{"one of the orders was cancelled", func(s *till) {
			s.quantity++
			s.compare(plain)
			s.look(kept, offered, nil)
		}, 5},
		{"more was sold beside one unit more", func(s *till) {
			s.look(kept, offered, nil)
			s.quantity--
			s.compare(kept)
			s.look(plain, offered, nil)
		}, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &till{t: t, r: store.Record{ID: "p1"}, now: tableNow}
			s.look(plain, offered, nil)
			if s.quantity != offered {
				t.Fatalf("the shop got %d, want %d", s.quantity, offered)
			}
			s.quantity -= 2
			s.compare(plain)
			tt.then(s)
			if s.quantity != tt.want {
				t.Errorf("the shop has %d, want %d: %+v", s.quantity, tt.want, s.r.Drift)
			}
		})
	}
}
