package publication

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A desk is one publication, looked at by hand.
type desk struct {
	t   *testing.T
	set *Settings
	e   store.Entry
	pub *marketplace.Publication
	now time.Time
	// the rules are no setting's
	ruled bool
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, pub: lamp(), now: time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)}
	d.pub.Listing.Variants = d.pub.Listing.Variants[:1]
	d.set = &Settings{
		Rules:     Rules{Languages: []string{"en", "nl"}, Price: PriceRule{Base: BaseMSRP}},
		FailAfter: day, RefreshAfter: day,
		Brake:   Brake{PricePercent: decimal.NewFromInt(50), RemovedPercent: decimal.NewFromInt(20)},
		Backoff: func(_ string, n int) time.Duration { return time.Duration(n) * time.Minute },
	}
	d.e.Record.ID = d.pub.ID
	return d
}

// supply sets the supplier's figures.
func (d *desk) supply(msrp string, quantity int) {
	pub, listing := *d.pub, *d.pub.Listing
	listing.Variants = slices.Clone(listing.Variants)
	listing.Variants[0].MSRP, listing.Variants[0].Quantity = msrp, &quantity
	pub.Listing, pub.UpdatedAt = &listing, d.now.Format(time.RFC3339)
	d.pub = &pub
}

func (d *desk) input(class store.Class) Input {
	in := Input{Rec: d.e.Record, Mark: store.Mark{Class: class}, Read: d.pub, Lists: true, Ruled: d.ruled, Now: d.now}
	if d.e.Mark != nil {
		in.Mark.Gen, in.Mark.Tries = d.e.Mark.Gen, d.e.Mark.Tries
	}
	return in
}

// good is a shop that takes what it is sent.
func good(st Step) Outcome {
	l := shopadapter.Listing{ID: "42", URL: "https://shop.example/lamp"}
	for _, v := range st.Product.Variants {
		l.Variants = append(l.Variants, shopadapter.ListedVariant{ID: v.ID, ShopID: "s" + v.ID})
	}
	return Outcome{Listing: l}
}

// look looks once, and returns what the shop was sent.
func (d *desk) look(in Input, shop func(Step) Outcome) Step {
	d.t.Helper()
	st := d.set.Decide(in)
	var attempt uint64
	var out Outcome
	if st.Calls() {
		var err error
		if attempt, err = d.set.Begun(&d.e, st, nil, d.now.Add(time.Minute), d.now); err != nil {
			d.t.Fatal(err)
		}
		out = shop(st)
	}
	d.now = d.now.Add(time.Second)
	d.set.Ended(&d.e, attempt, st, out, d.now)
	d.e.Known = true
	return st
}

func (d *desk) run() Step { d.t.Helper(); return d.look(d.input(store.ClassSweep), good) }

// shows has the shop show the variant with a price and a quantity.
func (d *desk) shows(price string, quantity int) {
	d.t.Helper()
	o := Shown{}
	o.OnSale, o.URL, o.Images = true, d.e.Record.URL, -1
	for _, v := range d.e.Record.Variants {
		o.Variants = append(o.Variants, shopadapter.ListedVariant{ID: v.ID, Price: price, Quantity: quantity, OnSale: true})
	}
	d.now = d.now.Add(time.Minute)
	d.set.Observe(&d.e, &o, store.At(d.now), Group{}, d.now)
}

// sent is the price and the quantity that a step sends of the first variant, "" where it sends none.
func sent(st Step) (string, int) {
	if !st.Calls() {
		return "", 0
	}
	return st.Product.Variants[0].Price, st.Product.Variants[0].Quantity
}

// A price that the shop changes each time is left after three tries, whatever becomes of the stock there
// and of the supplier's, until ours moves.
func TestCorrectionThatDoesNotStay(t *testing.T) {
	for name, shown := range map[string]int{"stock as it was written": 12, "stock that is raised too": 200} {
		d := newDesk(t)
		d.run()
		put := 0
		for more := range 6 {
			d.shows("20.49", shown+more*(shown/200))
			d.supply("19.95", 20+more)
			if st := d.run(); st.Changed.Has(shopadapter.FieldPrice) {
				put++
			}
		}
		if put != mostCorrections {
			t.Errorf("%s: put right %d times, want %d", name, put, mostCorrections)
		}
		d.supply("21.95", 30)
		if price, _ := sent(d.run()); price != "21.95" {
			t.Errorf("%s: got %q, want 21.95", name, price)
		}
		d.shows("20.49", 30)
		if price, _ := sent(d.run()); price != "21.95" {
			t.Errorf("%s: got %q after ours moved, want 21.95", name, price)
		}
	}
}

// A program that counts otherwise moves no price by itself: each is held until a person says so.
func TestOtherRules(t *testing.T) {
	for _, tt := range []struct {
		name    string
		unasked bool
		verdict func(*desk)
		want    string // the price that is written at the end, "" for none
		state   store.State
	}{
		{"the merchant's own word", false, nil, "20.95", store.StateLive},
		{"another program", true, nil, "", store.StateHeld},
		{
			"approved", true, func(d *desk) { Approve(&d.e, Choice{}, store.ClassAsked, "Ann", d.now) }, "20.95",
			store.StateLive,
		},
		{"declined", true, func(d *desk) { Decline(&d.e, Choice{}, store.ClassAsked, "Ann", d.now) }, "", store.StateLive},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			d.run()
			d.set.Price.Add = decimal.NewFromInt(1)
			d.ruled = tt.unasked
			d.now = d.now.Add(time.Hour)
			record := func() Step {
				in := d.input(store.ClassRules)
				in.Read = nil
				return d.look(in, good)
			}
			price, _ := sent(record())
			if tt.verdict != nil {
				tt.verdict(d)
				price, _ = sent(record())
			}
			if price != tt.want || d.e.Record.State != tt.state {
				r := d.e.Record
				t.Errorf("got %q and %s, want %q and %s: %s", price, r.State, tt.want, tt.state, r.Problem.Message)
			}
		})
	}
}

// An outcome is applied to the record as it is now, by the attempt that made it, and what came
// meanwhile stays.
func TestEnded(t *testing.T) {
	begun := func(t *testing.T) (*desk, Step, uint64) {
		d := newDesk(t)
		d.run()
		d.supply("60.00", 12)
		d.run()
		d.supply("60.00", 9)
		st := d.set.Decide(d.input(store.ClassSweep))
		attempt, err := d.set.Begun(&d.e, st, nil, d.now.Add(time.Minute), d.now)
		if err != nil {
			t.Fatal(err)
		}
		return d, st, attempt
	}
	t.Run("an approval that came meanwhile leads to another look", func(t *testing.T) {
		d, st, attempt := begun(t)
		Approve(&d.e, Choice{}, store.ClassAsked, "Ann", d.now)
		d.set.Ended(&d.e, attempt, st, good(st), d.now.Add(time.Second))
		if h := d.e.Record.Holds; len(h) != 1 || h[0].Verdict != store.Approved || d.e.Mark.Class != store.ClassAsked {
			t.Fatalf("got %+v and %+v", h, d.e.Mark)
		}
		if price, _ := sent(d.look(d.input(store.ClassAsked), good)); price != "60.00" || len(d.e.Record.Holds) != 0 {
			t.Errorf("got %s and %+v", price, d.e.Record.Holds)
		}
	})
	t.Run("texts that are given back meanwhile are written next", func(t *testing.T) {
		d, st, attempt := begun(t)
		Retry(&d.e, store.ClassAsked, true, "Ann", d.now)
		d.set.Ended(&d.e, attempt, st, good(st), d.now.Add(time.Second))
		if !d.e.Record.Reset.Has(shopadapter.FieldTitle) || d.e.Mark.Class != store.ClassAsked {
			t.Errorf("got %v and %+v", d.e.Record.Reset, d.e.Mark)
		}
	})
	t.Run("an older attempt knows nothing of a later one", func(t *testing.T) {
		d, st, attempt := begun(t)
		again := d.set.Decide(d.input(store.ClassSweep))
		if _, err := d.set.Begun(&d.e, again, nil, d.now.Add(time.Minute), d.now); err != nil {
			t.Fatal(err)
		}
		d.set.Ended(&d.e, attempt, st, good(st), d.now)
		if d.e.Record.Attempt.Until == 0 || !d.e.Record.Open() {
			t.Errorf("got %+v, want the later attempt open", d.e.Record.Attempt)
		}
	})
	t.Run("after a kill the same groups are written again", func(t *testing.T) {
		d, st, _ := begun(t)
		if again := d.set.Decide(d.input(store.ClassSweep)); !again.Changed.Has(st.Changed) || again.Ref.OnSale {
			t.Errorf("got %v, want %v", again.Changed, st.Changed)
		}
	})
	t.Run("another publication took the SKU", func(t *testing.T) {
		d := newDesk(t)
		st := d.set.Decide(d.input(store.ClassNew))
		_, err := d.set.Begun(&d.e, st, map[string]string{"lamp-rs": "other"}, d.now, d.now)
		if !errors.Is(err, ErrTaken) {
			t.Fatalf("got %v", err)
		}
		in := d.input(store.ClassNew)
		in.Owners = map[string]string{"lamp-rs": "other"}
		if sku := d.set.Decide(in).Product.Variants[0].SKU; !strings.HasPrefix(sku, "LAMP-RS-") {
			t.Errorf("got %q", sku)
		}
	})
	t.Run("failed is reported once what may be on sale is out", func(t *testing.T) {
		d := newDesk(t)
		d.look(d.input(store.ClassNew), func(Step) Outcome { return Outcome{Err: shopadapter.Retry("no answer")} })
		d.look(d.input(store.ClassNew), func(Step) Outcome { return Outcome{Err: shopadapter.Reject("rude")} })
		if d.e.Owed != nil || d.e.Mark.Class != store.ClassHook {
			t.Fatalf("got %+v owed, next %+v", d.e.Owed, d.e.Mark)
		}
		if st := d.run(); st.Do != Offline || d.e.Owed == nil || d.e.Owed.Status != store.StatusFailed {
			t.Errorf("got %v and %+v owed", st.Do, d.e.Owed)
		}
	})
}

// A change of one hundred thousand variants takes no search within a loop.
func BenchmarkManyVariants(b *testing.B) {
	pub := lamp()
	one := pub.Listing.Variants[0]
	for i := range 100_000 {
		one.ID = "v" + time.Duration(i).String()
		one.SKU = one.ID
		pub.Listing.Variants = append(pub.Listing.Variants, one)
	}
	set := &Settings{Rules: Rules{Languages: []string{"en"}, Price: PriceRule{Base: BaseMSRP}}}
	for b.Loop() {
		e := store.Entry{Record: store.Record{ID: pub.ID}}
		st := set.Decide(Input{Rec: e.Record, Read: pub, Now: time.Unix(1, 0)})
		if _, err := set.Begun(&e, st, nil, time.Unix(2, 0), time.Unix(1, 0)); err != nil {
			b.Fatal(err)
		}
	}
}

// An echo answers the list that announced it, and nobody who has asked for a look since the content was read.
func TestAnEchoAnswersOnlyItsList(t *testing.T) {
	d := newDesk(t)
	d.run()
	d.e.Record.Echo = "2026-11-02T08:00:05Z"
	listed := store.Mark{Class: store.ClassSweep, Seen: d.e.Record.Echo, At: store.At(d.now)}
	asked := store.Mark{Class: store.ClassSweep, At: store.At(d.now.Add(time.Second))}
	read := d.e.Record.ReadAt
	variant := store.Mark{Class: store.ClassSweep, At: read, Seen: d.e.Record.UpdatedAt, Since: read} // it changed before
	for _, tt := range []struct {
		mark store.Mark
		want bool
	}{
		{listed, true},
		{listed.Merge(variant), true},
		{listed.Merge(asked), false},
		{asked.Merge(listed), false},
	} {
		if got := RecordAnswers(d.e.Record, tt.mark, d.now); got != tt.want {
			t.Errorf("%+v: got %t, want %t", tt.mark, got, tt.want)
		}
	}
}

// What was read in the second of its updatedAt is read once more when that is over, where updatedAt is of whole
// seconds: a later change of that second does not show in it.
func TestAChangeInTheSecondOfTheReading(t *testing.T) {
	d := newDesk(t)
	d.supply("20.00", 5)
	read := d.now
	d.run()
	for _, again := range []bool{true, false} {
		soon := d.e.Mark.Class == store.ClassSweep && d.e.Mark.At == store.At(read.Add(2*time.Second))
		if soon != again {
			t.Errorf("got %+v, want another look in two seconds: %t", *d.e.Mark, again)
		}
		if again && RecordAnswers(d.e.Record, *d.e.Mark, d.now) {
			t.Error("that look reads nothing, want the content")
		}
		d.now = read.Add(2 * time.Second)
		d.run()
	}
}

// While other rules are held, a supplier's mistake is held as such: who approves the rules has not seen it.
func TestASuppliersMistakeIsNotApprovedWithTheRules(t *testing.T) {
	d := newDesk(t)
	d.run()
	d.set.Price.Add, d.ruled = decimal.NewFromInt(1), true
	d.now = d.now.Add(time.Hour)
	d.supply("200.00", 12)
	d.run()
	Approve(&d.e, Choice{Kind: store.HoldRules}, store.ClassSweep, "a person", d.now)
	price, _ := sent(d.run())
	if holds := d.e.Record.Holds; price != "" || len(holds) != 1 || holds[0].Kind != store.HoldPrice {
		t.Errorf("sent %q, holds %+v, want nothing and the price", price, holds)
	}
}

// A hold of an attempt that a kill ended is told in the history once.
func TestAHoldIsToldThoughItsAttemptIsKilled(t *testing.T) {
	d := newDesk(t)
	d.run()
	d.supply("60.00", 9)
	st := d.set.Decide(d.input(store.ClassSweep))
	if _, err := d.set.Begun(&d.e, st, nil, d.now.Add(time.Minute), d.now); err != nil {
		t.Fatal(err)
	}
	d.now = d.now.Add(time.Hour)
	d.run()
	told := slices.DeleteFunc(slices.Clone(d.e.News), func(n store.Event) bool { return n.What != store.WhatHeld })
	if len(told) != 1 {
		t.Errorf("told %+v, want one hold", told)
	}
}

// An approval is carried out though its publication was read after the approval of all began.
func TestApprovalOfManyAfterALook(t *testing.T) {
	d := newDesk(t)
	d.run()
	d.now = d.now.Add(time.Hour)
	began := d.now
	d.supply("60.00", 9)
	d.pub.UpdatedAt = began.Add(-time.Minute).Format(time.RFC3339)
	d.now = d.now.Add(time.Second)
	d.run()
	Approve(&d.e, Choice{}, Together(d.e.Record), "Ann", began)
	if RecordAnswers(d.e.Record, *d.e.Mark, d.now) {
		t.Error("the look reads nothing, want the content")
	}
}

// After a backup was put back, a quantity that the shop does not tell stays as it was written, and the merchant's
// reduction is no price of ours.
func TestTakeOverOfWhatIsKnown(t *testing.T) {
	for name, tt := range map[string]struct {
		in       shopadapter.ListedVariant
		untold   shopadapter.Fields
		price    string
		quantity int
	}{
		"sold":         {shopadapter.ListedVariant{Price: "19.95", Quantity: 8}, 0, "19.95", 8},
		"untold stock": {shopadapter.ListedVariant{Price: "19.95"}, shopadapter.FieldStock, "19.95", 12},
		"not counted":  {shopadapter.ListedVariant{Price: "19.95", Uncounted: true}, 0, "19.95", 12},
		"reduced":      {shopadapter.ListedVariant{Price: "8.00", CompareAt: "19.95", Quantity: 12}, 0, "19.95", 12},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.run()
			tt.in.OnSale = true
			Suspect(&d.e, d.now)
			l := shopadapter.Listing{ID: "42", OnSale: true, Untold: tt.untold}
			o := Shown{Listed: shopadapter.Listed{Listing: l}}
			tt.in.ID = "v1"
			o.Variants = []shopadapter.ListedVariant{tt.in}
			if !TakeOver(&d.e, o, d.now) {
				t.Fatal("it is not taken over")
			}
			price, quantity := sent(d.run())
			if holds := d.e.Record.Holds; price != tt.price || quantity != tt.quantity || len(holds) > 0 {
				t.Errorf("sent %s and %d, holds %+v, want %s and %d", price, quantity, holds, tt.price, tt.quantity)
			}
		})
	}
}

// What a person has made anew that was deleted by hand is made by a later try, where the shop did not answer the first.
func TestARetryOfWhatWasDeletedIsTriedAgain(t *testing.T) {
	d := newDesk(t)
	d.run()
	d.supply("21.00", 9)
	d.look(d.input(store.ClassSweep), func(Step) Outcome { return Outcome{Err: shopadapter.ErrGone} })
	Retry(&d.e, store.ClassAsked, false, "Ann", d.now)
	for range 3 {
		in := d.input(d.e.Mark.Class)
		st := d.look(in, func(Step) Outcome { return Outcome{Err: shopadapter.Retry("no answer")} })
		if !st.Ref.Asked || st.Ref.Listing != "" {
			t.Errorf("called with %+v, want it asked for", st.Ref)
		}
	}
}

func TestExplainTellsNoWriteThatWasNotMade(t *testing.T) {
	v := store.Variant{ID: "v1", Supply: store.Supply{Known: true, Cost: "10.00", MSRP: "19.95", Quantity: 5}}
	_, stock := (&Settings{Rules: Rules{Price: PriceRule{Base: BaseMSRP}}}).Explain(store.Record{ID: "p"}, v)
	if want := []string{"offered 5 - 0 kept back = 5"}; !slices.Equal(stock, want) {
		t.Errorf("got %q, want %q", stock, want)
	}
}
