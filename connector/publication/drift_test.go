package publication

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// shown is the lamp in the shop.
func shown(price string, onSale bool) Shown {
	return *ShownAs(shopadapter.Listing{
		ID: "42", URL: "https://shop.example/lamp", OnSale: true, Images: -1,
		Variants: []shopadapter.ListedVariant{{ID: "v1", ShopID: "sv1", Price: price, Quantity: 12, OnSale: onSale}},
	}, shopadapter.Ref{Listing: "42"}, shopadapter.Prices{})
}

// What is the merchant's from the creation on stays so after a lost store.
func TestWhatIsKeptOfATakenOverListing(t *testing.T) {
	d := newDesk(t)
	d.set.Keep = shopadapter.FieldTitle | shopadapter.FieldPrice
	if !TakeOver(&d.e, shown("33.33", true), d.now) {
		t.Fatal("it was not taken over")
	}
	st := d.run()
	if price, _ := sent(st); st.Changed != shopadapter.AllFields&^d.set.Keep || price != "33.33" {
		t.Errorf("sent %s at %s, want all but title and price, and 33.33", st.Changed.Names(), price)
	}
}

// A listing that was deleted by hand stays away whatever the supplier changes, until somebody asks.
func TestDeletedByHandStaysAway(t *testing.T) {
	d := newDesk(t)
	d.run()
	d.supply("20.95", 12)
	d.look(d.input(store.ClassSweep), func(Step) Outcome { return Outcome{Err: shopadapter.ErrGone} })
	d.supply("21.95", 12)
	if st := d.run(); st.Calls() || d.e.Record.State != store.StateBlocked {
		t.Errorf("got %v and %s, want no call and blocked", st.Do, d.e.Record.State)
	}
	Retry(&d.e, store.ClassAsked, false, "Ann", d.now)
	st := d.look(d.input(store.ClassAsked), good)
	if st.Do != Publish || st.Changed != shopadapter.AllFields || d.e.Record.State != store.StateLive {
		t.Errorf("got %v of %s and %s, want all of it published", st.Do, st.Changed.Names(), d.e.Record.State)
	}
}

// A shop that takes no figures alone may not hold the product: the next write is whole.
func TestAWriteAfterFiguresIsWhole(t *testing.T) {
	d := newDesk(t)
	d.run()
	d.supply("20.95", 12)
	d.look(d.input(store.ClassSweep), func(Step) Outcome { return Outcome{Err: shopadapter.ErrWhole} })
	if st := d.run(); st.Changed != shopadapter.AllFields&^detailGroups { // those were not read
		t.Errorf("sent %s, want all groups", st.Changed.Names())
	}
}

// An answer without an address leaves the one that is known.
func TestAnAnswerWithoutAnAddress(t *testing.T) {
	d := newDesk(t)
	d.run()
	d.supply("20.95", 12)
	d.look(d.input(store.ClassSweep), func(st Step) Outcome {
		out := good(st)
		out.Listing.URL = ""
		return out
	})
	if d.e.Record.URL != "https://shop.example/lamp" {
		t.Errorf("got %q", d.e.Record.URL)
	}
}

// A listing of which every variant is switched off is off sale, and on sale again with the first.
func TestEveryVariantIsSwitchedOff(t *testing.T) {
	d := newDesk(t)
	d.run()
	for _, tt := range []struct {
		onSale bool
		state  store.State
		owed   store.Status
	}{{false, store.StateBlocked, store.StatusFailed}, {true, store.StateLive, store.StatusSuccess}} {
		d.now = d.now.Add(time.Minute)
		o := shown("19.95", tt.onSale)
		d.set.Observe(&d.e, &o, store.At(d.now), Group{}, d.now)
		if r := d.e; r.Record.State != tt.state || r.Owed == nil || r.Owed.Status != tt.owed {
			t.Errorf("got %s and %+v owed, want %s and %s", r.Record.State, r.Owed, tt.state, tt.owed)
		}
	}
}
