package publication

import (
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// listed changes the listing, and its updatedAt.
func (d *desk) listed(change func(*marketplace.Listing)) {
	d.supply(d.pub.Listing.Variants[0].MSRP, *d.pub.Listing.Variants[0].Quantity)
	change(d.pub.Listing)
}

// The brake remembers what was on sale a day ago, whatever moves the price and under whichever id the goods come.
func TestTheBrakeRemembersTheDay(t *testing.T) {
	sending := func(costs string) func(*desk) {
		return func(d *desk) {
			d.listed(func(l *marketplace.Listing) {
				l.Shipping = []marketplace.Shipping{{CountryGroup: "NL", FixedCosts: costs}}
			})
		}
	}
	msrp := func(figure string) func(*desk) { return func(d *desk) { d.supply(figure, 12) } }
	id := func(id string) func(*desk) {
		return func(d *desk) { d.listed(func(l *marketplace.Listing) { l.Variants[0].ID = id }) }
	}
	failing := func(step func(*desk), err error) func(*desk) { // the first time
		return func(d *desk) {
			step(d)
			d.look(d.input(store.ClassSweep), func(Step) Outcome { return Outcome{Err: err} })
		}
	}
	v7 := func(d *desk) {
		d.listed(func(l *marketplace.Listing) { l.Variants[0].ID, l.Variants[0].MSRP = "v7", "28.00" })
	}
	late := func(step func(*desk)) func(*desk) { return failing(step, shopadapter.Retry("no answer")) }
	leaves := func(d *desk) {
		d.listed(func(l *marketplace.Listing) {
			other := l.Variants[0]
			other.ID, other.SKU = "other", "OTHER"
			l.Variants = []marketplace.Variant{other}
		})
	}
	returns := func(figure string) func(*desk) {
		return func(d *desk) {
			d.listed(func(l *marketplace.Listing) { l.Variants = lamp().Listing.Variants[:1] })
			d.supply(figure, 12)
		}
	}
	for name, tt := range map[string]struct {
		steps []func(*desk)
		held  string // the price before
	}{
		"the msrp moves twice":             {[]func(*desk){msrp("28.00"), msrp("40.00")}, "19.95"},
		"the costs of sending move":        {[]func(*desk){sending("4"), sending("12"), sending("24")}, "23.95"},
		"and the shop fails in between":    {[]func(*desk){sending("4"), late(sending("9")), sending("20")}, "19.95"},
		"and differ from what is held":     {[]func(*desk){sending("4"), sending("12"), sending("11.99")}, "19.95"},
		"another id has the SKU":           {[]func(*desk){msrp("28.00"), id("v7"), msrp("40.00")}, "19.95"},
		"another id, and both move":        {[]func(*desk){id("v7"), id("v8"), msrp("40.00")}, "19.95"},
		"another id, and no answer":        {[]func(*desk){late(v7), msrp("40.00")}, "19.95"},
		"another id, and a rejection":      {[]func(*desk){failing(v7, shopadapter.Reject("title")), msrp("40.00")}, "19.95"},
		"it leaves, and comes back":        {[]func(*desk){msrp("28.00"), leaves, returns("40.00")}, "19.95"},
		"it leaves, and comes back as was": {[]func(*desk){leaves, returns("19.95")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.set.Price.Shipping, d.set.Price.Country = ShippingAdd, "NL"
			d.pub.Listing.Shipping[0].FixedCosts = "0"
			d.run()
			for _, step := range tt.steps {
				step(d)
				d.run()
			}
			held := ""
			for _, h := range d.e.Record.Holds {
				held = h.Old
			}
			if held != tt.held {
				t.Errorf("held from %q, want %q: %+v", held, tt.held, d.e.Record.Holds)
			}
		})
	}
}

// The brake knows the price of goods that come back weeks later, under another id.
func TestGoodsThatComeBack(t *testing.T) {
	d := newDesk(t)
	d.pub.Listing.Variants = lamp().Listing.Variants
	d.run()
	both := d.pub
	one := *d.pub.Listing
	one.Variants = one.Variants[:1]
	d.pub = &marketplace.Publication{ID: d.pub.ID, UpdatedAt: "2", Listing: &one}
	d.run()
	d.now = d.now.Add(20 * day)
	back := *both.Listing
	back.Variants = slices.Clone(back.Variants)
	back.Variants[1].ID, back.Variants[1].MSRP = "v9", "200.00"
	d.pub = &marketplace.Publication{ID: d.pub.ID, UpdatedAt: "3", Listing: &back}
	d.run()
	if h := d.e.Record.Holds; len(h) != 1 || h[0].Old != "24.95" {
		t.Errorf("got %+v", h)
	}
}

// A SKU that another publication had first has a suffix, which another id changes: the brake knows the goods all the
// same.
func TestTheBrakeKnowsASuffixedSKU(t *testing.T) {
	d := newDesk(t)
	look := func() {
		in := d.input(store.ClassSweep)
		in.Owners = map[string]string{"lamp-rs": "other"}
		d.look(in, good)
	}
	look()
	d.listed(func(l *marketplace.Listing) { l.Variants[0].ID, l.Variants[0].MSRP = "v7", "200.00" })
	look()
	if h := d.e.Record.Holds; len(h) != 1 || h[0].Old != "19.95" {
		t.Errorf("got %+v, want a hold from 19.95", h)
	}
}

// A tighter brake holds no price that is on sale already.
func TestATighterBrakeHoldsWhatMoves(t *testing.T) {
	d := newDesk(t)
	d.run()
	d.supply("28.00", 12)
	d.run()
	d.set.Brake.PricePercent = decimal.NewFromInt(20)
	d.supply("28.00", 11)
	if d.run(); d.e.Record.State != store.StateLive {
		t.Errorf("got %s, %+v, want live", d.e.Record.State, d.e.Record.Holds)
	}
}

// What another tool made is published after it was approved, though its first price had to be approved too.
func TestTwoBrakesAreApprovedOneAfterTheOther(t *testing.T) {
	d := newDesk(t)
	d.pub.Status = string(store.StatusSuccess)
	d.set.Brake.FirstPrice = Bounds{decimal.RequireFromString("0.5"), decimal.NewFromInt(3)}
	d.set.Price.Markup = decimal.NewFromInt(900)
	for _, kind := range []store.HoldKind{store.HoldForeign, store.HoldFirstPrice} {
		d.run()
		if !hasHold(d.e.Record.Holds, kind, "") {
			t.Fatalf("got %+v, want %s held", d.e.Record.Holds, kind)
		}
		Approve(&d.e, Choice{}, store.ClassAsked, "Ann", d.now)
	}
	if st := d.run(); st.Do != Publish || d.e.Record.State != store.StateLive || len(d.e.Record.Holds) > 0 {
		t.Errorf("got %v, %s and %+v, want it published", st.Do, d.e.Record.State, d.e.Record.Holds)
	}
}

// A price that the merchant was left ends with the supplier's next move, which counts from the price that we wrote.
func TestTheSupplierEndsAMerchantsPrice(t *testing.T) {
	d := newDesk(t)
	d.run()
	o := shown("9.00", true)
	d.now = d.now.Add(time.Minute)
	d.set.Observe(&d.e, &o, store.At(d.now), Group{Held: true, Differing: 11, Products: 30}, d.now)
	if !Decline(&d.e, Choice{}, store.ClassAsked, "Ann", d.now) {
		t.Fatal("nothing was held")
	}
	if price, _ := sent(d.run()); price != "" {
		t.Errorf("sent %q after the decline, want nothing", price)
	}
	d.supply("20.95", 12)
	if price, _ := sent(d.run()); price != "20.95" {
		t.Errorf("sent %q, held %+v, want 20.95", price, d.e.Record.Holds)
	}
}

// What is the merchant's from the creation on stands in each body as the shop shows it, not as the supplier has it by
// now.
func TestWhatIsKeptStaysInTheBody(t *testing.T) {
	d := newDesk(t)
	d.set.Keep = shopadapter.FieldPrice | shopadapter.FieldStock
	d.run()
	d.shows("33.33", 12)
	d.supply("39.95", 3)
	d.listed(func(l *marketplace.Listing) {
		l.Translations = map[string]marketplace.Translation{"en": {Title: "Other"}}
	})
	st := d.run()
	if price, quantity := sent(st); price != "33.33" || quantity != 12 || slices.Contains(st.Changed.Names(), "price") {
		t.Errorf("sent %s and %d with %v, want 33.33 and 12", price, quantity, st.Changed.Names())
	}
}

// A price that is held leaves the others their day: by the terms that are held they were written.
func TestAHeldPriceLeavesTheOthersTheirDay(t *testing.T) {
	d := newDesk(t)
	d.set.Price.Shipping, d.set.Price.Country = ShippingAdd, "NL"
	for _, of := range []struct{ sending, second string }{{"0", "30.00"}, {"12", "30.00"}, {"12", "40.00"}} {
		d.listed(func(l *marketplace.Listing) {
			l.Variants = slices.Clone(lamp().Listing.Variants[:2])
			for i, msrp := range []string{"10.00", of.second} {
				l.Variants[i].Cost, l.Variants[i].MSRP = "1.00", msrp
			}
			l.Shipping = []marketplace.Shipping{{CountryGroup: "NL", FixedCosts: of.sending}}
		})
		d.run()
	}
	var held []string
	for _, h := range d.e.Record.Holds {
		held = append(held, h.Old+" "+h.New)
	}
	if !slices.Equal(held, []string{"10.00 22.00", "30.00 52.00"}) {
		t.Errorf("held %q, want both", held)
	}
}

// A merchant who keeps the stock from now on has what the shop shows, however many were sold.
func TestKeptStockAfterSales(t *testing.T) {
	d := newDesk(t)
	d.run()
	d.shows("19.95", 8) // of 12
	d.set.Keep = shopadapter.FieldStock
	for _, title := range []string{"Other", "Third"} {
		d.shows("19.95", 8)
		d.listed(func(l *marketplace.Listing) {
			l.Translations = map[string]marketplace.Translation{"en": {Title: title}}
		})
		if _, n := sent(d.run()); n != 8 {
			t.Errorf("the body has %d pieces, want 8", n)
		}
	}
}
