package publication

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// mend makes the looks that a comparison asks for, by the record alone. It reports whether figures
// reached the shop.
func (s *till) mend(by *Decider) (sent bool) {
	s.t.Helper()
	s.now = s.now.Add(time.Hour)
	m := store.Mark{ID: "p1", Class: store.ClassRules, Cause: store.CauseDrift}
	d, ok := by.Reprice(s.r, m, s.now)
	if !ok {
		return false
	}
	_, end := drive(d, func(d Decision) Outcome {
		if s.fails != nil {
			return Outcome{Err: s.fails}
		}
		sent = true
		for _, v := range d.Sends().Variants {
			if d.Changed.Has(shopadapter.FieldPrice) {
				s.price = v.Price
			}
			if d.Changed.Has(shopadapter.FieldStock) {
				s.quantity = v.Quantity
			}
		}
		return takes(d)
	})
	s.r, s.next = end.Record, end.Next
	return sent
}

// What the supplier has now is refused, and an earlier version stays on sale. A figure that somebody
// changed in the shop is put right by what was written last, and nothing else of the record moves.
func TestAStaleListingIsPutRight(t *testing.T) {
	by := tableDecider(t, nil)
	const offered = 7
	renamed := func(p *marketplace.Publication) {
		p.Listing.Translations["en"] = marketplace.Translation{Title: "Long bench"}
		p.Listing.Variants[0].MSRP = "22.00"
	}
	refuse := func(err error) func(*till) {
		return func(s *till) {
			s.fails = err
			s.look(by, offered, renamed)
		}
	}
	for _, tt := range []struct {
		name     string
		make     func(*till) // stale
		state    store.State
		by       func(*till) // hand
		price    string
		quantity int
		sent     bool
	}{
		{
			"rejected by the shop", refuse(shopadapter.Reject("no")), store.StateRejected,
			func(s *till) { s.price = "5.00" }, "20.00", 7, true,
		},
		{
			"blocked in the shop", refuse(shopadapter.Block("no")), store.StateBlocked,
			func(s *till) { s.price = "5.00" }, "20.00", 7, true,
		},
		{
			"blocked, and the new price may be there", refuse(shopadapter.Block("no")), store.StateBlocked,
			func(s *till) { s.price = "22.00" }, "22.00", 7, false,
		},
		{"rejected by a rule", func(s *till) {
			s.look(by, offered, func(p *marketplace.Publication) { p.Listing.Variants[0].MSRP = "" })
		}, store.StateRejected, func(s *till) { s.price = "5.00" }, "20.00", 7, true},
		{"a removal that waits", func(s *till) {
			_, end := drive(by.Decide(s.r, store.Mark{ID: "p1"}, Seen{At: s.now}), takes)
			s.r = end.Record
			s.r.Holds = []store.Hold{{Kind: store.HoldRemoval}}
			s.r.State = StateOf(s.r)
		}, store.StateHeld, func(s *till) { s.price = "5.00" }, "20.00", 7, true},
		{
			"a quantity", refuse(shopadapter.Reject("no")), store.StateRejected,
			func(s *till) { s.quantity = 999 }, "20.00", 7, true,
		},
		{"a quantity of which some are sold", func(s *till) {
			s.quantity -= 2
			s.compare(by)
			refuse(shopadapter.Reject("no"))(s)
		}, store.StateRejected, func(s *till) { s.quantity = 999 }, "20.00", 5, true},
		{
			"the merchant's reduction of nothing", refuse(shopadapter.Reject("no")), store.StateRejected,
			func(*till) {}, "20.00", 7, false,
		},
		{
			"the shop is away as a whole", refuse(shopadapter.Block("no").Everywhere()), store.StateBlocked,
			func(s *till) { s.price = "5.00" }, "5.00", 7, false,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &till{t: t, r: store.Record{ID: "p1"}, now: tableNow}
			s.look(by, offered, nil)
			tt.make(s)
			if s.r.State != tt.state {
				t.Fatalf("%s, want %s", s.r.State, tt.state)
			}
			before := s.r
			tt.by(s)
			s.compare(by)
			if sent := s.mend(by); sent != tt.sent {
				t.Errorf("figures were sent: %t, want %t", sent, tt.sent)
			}
			if s.price != tt.price || s.quantity != tt.quantity {
				t.Errorf("the shop has %d at %s, want %d at %s", s.quantity, s.price, tt.quantity, tt.price)
			}
			told := strings.Contains(historyText(s.r), "put back to")
			if told != tt.sent {
				t.Errorf("told: %t, want %t:\n%s", told, tt.sent, historyText(s.r))
			}
			after := s.r
			after.History, after.Drift, after.Corrections = before.History, before.Drift, before.Corrections
			after.WrittenAt, after.Sent = before.WrittenAt, before.Sent
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the record (-before +after):\n%s", diff)
			}
			s.compare(by)
			if tt.sent && Recurs(s.r) || len(s.r.Drift) > len(before.Drift) && tt.sent {
				t.Errorf("drift is left: %+v", s.r.Drift)
			}
		})
	}
}

// A correction that fails is made again where time mends that, and else is not tried at each
// comparison.
func TestAStaleListingThatCannotBePutRight(t *testing.T) {
	by := tableDecider(t, nil)
	for _, tt := range []struct {
		name  string
		err   error
		again bool
	}{
		{"the shop is away", shopadapter.Retry("away"), true},
		{"it accepts no figures alone", shopadapter.ErrWhole, false},
		{"it refuses them", shopadapter.Reject("no"), false},
		{"it was taken out of sale", shopadapter.ErrHidden, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &till{t: t, r: store.Record{ID: "p1"}, now: tableNow}
			s.look(by, 7, nil)
			s.fails = shopadapter.Reject("no")
			s.look(by, 7, func(p *marketplace.Publication) { p.Listing.Variants[0].SKU = "B-2" })
			s.price = "5.00"
			s.compare(by)
			s.fails = tt.err
			s.mend(by)
			if s.r.State != store.StateRejected || s.r.Open {
				t.Errorf("%s, open %t, want rejected", s.r.State, s.r.Open)
			}
			if again := s.next != nil && Reprices(*s.next); again != tt.again {
				t.Errorf("tried again: %t, want %t: %+v", again, tt.again, s.next)
			}
			end := store.Settlement{Record: s.r}
			by.Observed(&end, s.observed(), Group{}, s.now)
			if end.Next != nil {
				t.Errorf("due at the next comparison too: %+v", end.Next)
			}
		})
	}
}

// A person who asks for what is refused has it tried again, and where it is refused again the wrong
// figures are put right all the same.
func TestARetryOfAStaleListing(t *testing.T) {
	for _, refused := range []bool{true, false} {
		by := tableDecider(t, nil)
		s := &till{t: t, r: store.Record{ID: "p1"}, now: tableNow}
		s.look(by, 7, nil)
		s.fails = shopadapter.Reject("no")
		renamed := func(p *marketplace.Publication) {
			p.Listing.Translations["en"] = marketplace.Translation{Title: "Long bench"}
		}
		s.look(by, 7, renamed)
		s.price = "5.00"
		seven := 7
		pub := bench(func(p *marketplace.Publication) { renamed(p); p.Listing.Variants[0].Quantity = &seven })
		d := by.Decide(s.r, store.Mark{ID: "p1", Cause: store.CauseAsked}, Seen{Publication: pub, At: s.now})
		if !d.Observable() {
			t.Fatal("the listing is not observed, want it to be")
		}
		seen := s.observed()
		seen.OnSale = true
		var steps []Step
		_, wishes := d.Wishes()
		for d = d.Compared(Facts{SKUs: wishes, Observed: &Observation{Observed: seen}}); d.Step != Settle; {
			steps = append(steps, d.Step)
			a, _ := d.Attempt()
			d = d.Attempted(a.Assign(nil))
			switch {
			case d.Step == Publish && refused:
				d = d.Concluded(Outcome{Err: shopadapter.Reject("no")}, s.now)
			default:
				s.price = d.Sends().Variants[0].Price
				d = d.Concluded(takes(d), s.now)
			}
		}
		end := d.Settlement(s.now)
		end.Merge(s.r, nil, &end)
		if s.price != "20.00" {
			t.Errorf("refused %t: the shop has %s, want 20.00: %v", refused, s.price, steps)
		}
		want := store.StateLive
		if refused {
			want = store.StateRejected
		}
		if end.Record.State != want {
			t.Errorf("refused %t: %s, want %s", refused, end.Record.State, want)
		}
		if owed := end.Record.Attempted.Has(shopadapter.FieldTitle); owed != refused {
			t.Errorf("refused %t: the title is owed: %t", refused, owed)
		}
		if len(end.Record.Drift) != 0 {
			t.Errorf("refused %t: drift is left: %+v", refused, end.Record.Drift)
		}
	}
}

func historyText(r store.Record) string {
	lines := make([]string, len(r.History))
	for i, e := range r.History {
		lines[i] = e.What
	}
	return strings.Join(lines, "\n")
}
