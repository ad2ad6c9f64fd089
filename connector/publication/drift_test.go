package publication

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// shown is the lamp in the shop.
func shown(price string, onSale bool) Shown {
	return Shown{Listed: shopadapter.Listed{Ref: shopadapter.Ref{Listing: "42"}, Listing: shopadapter.Listing{
		ID: "42", URL: "https://shop.example/lamp", OnSale: true, Images: -1,
		Variants: []shopadapter.ListedVariant{{ID: "v1", ShopID: "sv1", Price: price, Quantity: 12, OnSale: onSale}},
	}}}
}

// What is the merchant's from the creation on stays so after a lost store.
func TestWhatIsKeptOfATakenOverListing(t *testing.T) {
	d := newDesk(t)
	d.set.Keep = shopadapter.FieldTitle | shopadapter.FieldPrice
	if !TakeOver(&d.e, shown("33.33", true), d.now) {
		t.Fatal("it was not taken over")
	}
	d.look(d.input(store.ClassSweep), func(Step) Outcome { return Outcome{Err: shopadapter.Retry("no answer")} })
	st := d.run()
	if price, _ := sent(st); st.Changed != shopadapter.AllFields&^d.set.Keep || price != "33.33" {
		t.Errorf("sent %s at %s, want all but title and price, and 33.33", st.Changed.Names(), price)
	}
}

// A shop may list a draft under a preview's address, which nobody else can open: that of the write is reported.
func TestTheAddressOfATakenOverDraft(t *testing.T) {
	d := newDesk(t)
	draft := shown("19.95", false)
	draft.OnSale, draft.URL = false, "https://shop.example/preview?key=1"
	TakeOver(&d.e, draft, d.now)
	if d.run(); d.e.Owed == nil || d.e.Owed.URL == draft.URL {
		t.Errorf("owed %+v, want the address of the write", d.e.Owed)
	}
}

// A listing that a merchant took off sale is asked for again: what is the merchant's stays so.
func TestWhatIsKeptOfAHiddenListing(t *testing.T) {
	d := newDesk(t)
	d.set.Keep = shopadapter.FieldTitle
	d.run()
	o := shown("19.95", true)
	o.OnSale = false
	d.now = d.now.Add(time.Minute)
	d.set.Observe(&d.e, &o, store.At(d.now), Group{}, d.now)
	Retry(&d.e, store.ClassAsked, false, "Ann", d.now)
	want := shopadapter.AllFields &^ detailGroups &^ d.set.Keep
	if st := d.look(d.input(store.ClassAsked), good); st.Do != Publish || st.Changed != want {
		t.Errorf("got %v of %s, want %s published", st.Do, st.Changed.Names(), want.Names())
	}
}

// A listing that was deleted by hand stays away whatever the supplier changes and somebody approves, until one asks.
func TestDeletedByHandStaysAway(t *testing.T) {
	d := newDesk(t)
	d.run()
	d.supply("60.00", 9)
	d.look(d.input(store.ClassSweep), func(Step) Outcome { return Outcome{Err: shopadapter.ErrGone} })
	if !Approve(&d.e, Choice{}, store.ClassAsked, "Ann", d.now) {
		t.Fatal("no price was held")
	}
	for range 2 {
		if st := d.look(d.input(d.e.Mark.Class), good); st.Calls() || d.e.Record.State != store.StateBlocked {
			t.Errorf("got %v and %s, want no call and blocked", st.Do, d.e.Record.State)
		}
		d.supply("60.00", 8)
		d.e.Note(store.Mark{Class: store.ClassSweep})
	}
	Retry(&d.e, store.ClassAsked, false, "Ann", d.now)
	st := d.look(d.input(store.ClassAsked), good)
	if st.Do != Publish || st.Changed != shopadapter.AllFields || d.e.Record.State != store.StateLive {
		t.Errorf("got %v of %s and %s, want all of it published", st.Do, st.Changed.Names(), d.e.Record.State)
	}
}

// What is the merchant's is written to a listing that is made anew, also in its second try.
func TestAListingThatIsMadeAnewIsWhole(t *testing.T) {
	d := newDesk(t)
	d.set.Keep, d.set.OnRemoved = shopadapter.FieldTitle, RemovedDelete
	d.run()
	d.e.Record.Removal = store.Removal{Reason: store.RemovalAbsent, Go: true}
	in := d.input(store.ClassSweep)
	in.Read, in.Gone = nil, true
	d.look(in, good)
	d.supply("20.95", 12)
	d.look(d.input(store.ClassSweep), func(Step) Outcome {
		return Outcome{Listing: shopadapter.Listing{ID: "43"}, Err: shopadapter.Reject("sku taken")}
	})
	d.supply("21.95", 12)
	if st := d.run(); !st.Changed.Has(shopadapter.FieldTitle) {
		t.Errorf("sent %s, want the title too", st.Changed.Names())
	}
}

// drafted is a shop that makes drafts.
func drafted(st Step) Outcome {
	out := good(st)
	out.Listing.Draft = st.Product.Draft
	return out
}

// A draft that nobody put on sale stays a draft: when its entry or its content leaves and comes back, and when a retry
// makes the product anew. The marketplace is not told that it failed.
func TestADraftComesBackAsOne(t *testing.T) {
	for _, removed := range []OnRemoved{RemovedUnpublish, RemovedDelete, RemovedKeep} {
		for name, leaves := range map[string]func(d *desk, in Input) Input{
			"the entry":   func(_ *desk, in Input) Input { in.Read, in.Gone = nil, true; return in },
			"the listing": func(_ *desk, in Input) Input { in.Read = &marketplace.Publication{ID: in.Read.ID}; return in },
			"the product": func(d *desk, in Input) Input {
				d.supply("20.95", 12)
				d.look(d.input(store.ClassSweep), func(Step) Outcome { return Outcome{Err: shopadapter.ErrGone} })
				Retry(&d.e, store.ClassAsked, false, "Ann", d.now)
				return d.input(store.ClassAsked)
			},
		} {
			d := newDesk(t)
			d.set.AsDraft, d.set.OnRemoved = true, removed
			d.look(d.input(store.ClassSweep), drafted)
			d.look(leaves(d, d.input(store.ClassSweep)), drafted)
			told := d.e.Owed
			d.supply("21.95", 12)
			st := d.look(d.input(store.ClassSweep), drafted)
			now := d.e.Record.Sale
			if name != "the product" && told != nil || st.Calls() && !st.Product.Draft || now != store.Draft {
				t.Errorf("%s left, %s: told %+v, sent as a draft: %v, is %v", name, removed, told, st.Product.Draft, now)
			}
		}
	}
}

// A draft that left is nothing that stands: rules that skip products leave it out when it comes back, a change of
// prices does not read it, and a marketplace that has it for a success is told otherwise.
func TestADraftThatLeft(t *testing.T) {
	d := newDesk(t)
	d.set.AsDraft = true
	d.look(d.input(store.ClassSweep), drafted)
	d.now = d.now.Add(time.Minute)
	d.supply("20.95", 12)
	d.pub.Status = string(store.StatusSuccess)
	d.look(d.input(store.ClassSweep), drafted)
	in := d.input(store.ClassSweep)
	in.Read = &marketplace.Publication{ID: in.Read.ID, Status: in.Read.Status}
	d.look(in, drafted)
	if d.e.Owed == nil || d.e.Owed.Status != store.StatusFailed {
		t.Errorf("owed %+v, want %s", d.e.Owed, store.StatusFailed)
	}
	mark := *d.e.Mark
	if (Revision{Figures: true}).Follow(&d.e, d.now); *d.e.Mark != mark {
		t.Errorf("it follows a change of prices: %+v", *d.e.Mark)
	}
	d.set.Skip.StockBelow = 5
	d.supply("19.95", 1)
	if st := d.look(d.input(store.ClassSweep), drafted); st.Calls() || d.e.Record.State != store.StateRejected {
		t.Errorf("got %v and %s, want no call and rejected", st.Do, d.e.Record.State)
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
		onSale   bool
		quantity int
		state    store.State
		owed     store.Status
	}{
		{false, 12, store.StateBlocked, store.StatusFailed},
		{false, 0, store.StateBlocked, store.StatusFailed},
		{true, 12, store.StateLive, store.StatusSuccess},
	} {
		d.now = d.now.Add(time.Minute)
		o := shown("19.95", tt.onSale)
		o.Variants[0].Quantity = tt.quantity
		d.set.Observe(&d.e, &o, store.At(d.now), Group{}, d.now)
		if r := d.e; r.Record.State != tt.state || r.Owed == nil || r.Owed.Status != tt.owed {
			t.Errorf("got %s and %+v owed, want %s and %s", r.Record.State, r.Owed, tt.state, tt.owed)
		}
	}
}
