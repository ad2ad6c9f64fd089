package publication

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A comparison may settle while a look is under way. What it found of groups that the look wrote is
// put right by that; of the others it stands.
func TestAComparisonDuringALook(t *testing.T) {
	by := tableDecider(t, nil)
	s := &till{t: t, r: store.Record{ID: "p1"}, now: tableNow}
	s.look(by, 7, nil)
	row := func(change func(*store.Drift)) []store.Drift {
		d := store.Drift{Variant: "v1", Price: "5.00", Quantity: "99", Since: 5}
		if change != nil {
			change(&d)
		}
		return []store.Drift{d}
	}
	found := s.r
	found.Drift, found.Kept, found.Lost = row(nil), shopadapter.FieldTitle, true
	found.Holds = []store.Hold{{Kind: store.HoldDrift, Variant: "v1", Old: "5.00", New: "20.00"}}
	for _, tt := range []struct {
		name  string
		look  func(*marketplace.Publication)
		drift []store.Drift
		kept  shopadapter.Fields
		lost  bool
		holds int
	}{
		{"nothing is written", func(*marketplace.Publication) {}, row(nil), shopadapter.FieldTitle, true, 1},
		{
			"the price is written", func(p *marketplace.Publication) { p.Listing.Variants[0].MSRP = "21.00" },
			row(func(d *store.Drift) { d.Price = "" }), shopadapter.FieldTitle, true, 0,
		},
		{
			"the title is written", func(p *marketplace.Publication) {
				p.Listing.Translations["en"] = marketplace.Translation{Title: "Long bench"}
			},
			row(nil), 0, true, 1,
		},
		{
			"pictures are written", func(p *marketplace.Publication) { p.Listing.Images = []string{"https://i.example/1.jpg"} },
			row(nil), shopadapter.FieldTitle, false, 1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			seven := 7
			pub := bench(func(p *marketplace.Publication) { p.Listing.Variants[0].Quantity = &seven })
			tt.look(pub)
			_, end := drive(by.Decide(s.r, store.Mark{ID: "p1"}, Seen{Publication: pub, At: tableNow}), takes)
			end.Merge(found, nil, &end)
			if diff := cmp.Diff(tt.drift, end.Record.Drift); diff != "" {
				t.Errorf("drift (-want +got):\n%s", diff)
			}
			if end.Record.Kept != tt.kept {
				t.Errorf("kept %s, want %s", end.Record.Kept, tt.kept)
			}
			if end.Record.Lost != tt.lost {
				t.Errorf("lost pictures %t, want %t", end.Record.Lost, tt.lost)
			}
			if len(end.Record.Holds) != tt.holds {
				t.Errorf("held %+v, want %d", end.Record.Holds, tt.holds)
			}
		})
	}
}
