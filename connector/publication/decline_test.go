package publication

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// declined is a record after a person declined all that is held of it.
func declined(t *testing.T, r store.Record) store.Record {
	t.Helper()
	s := store.Settlement{Record: r}
	if !Decline(&s, nil, Choice{}, store.ClassSweep, "anna", tableNow.Add(time.Minute)) {
		t.Fatalf("nothing to decline in %+v, want a hold", r.Holds)
	}
	if len(s.Record.Holds) != 0 {
		t.Errorf("still held: %+v, want nothing", s.Record.Holds)
	}
	return s.Record
}

// retried is a record after a person asked for another try of it.
func retried(r store.Record) store.Record {
	s := store.Settlement{Record: r}
	Retry(&s, store.ClassAsked, false, "anna", tableNow.Add(2*time.Minute))
	return s.Record
}

func msrp(amount string) func(*marketplace.Publication) {
	return func(p *marketplace.Publication) { p.Listing.Variants[0].MSRP = amount }
}

func isIn(t *testing.T, when string, r store.Record, want store.State) {
	t.Helper()
	if r.State != want {
		t.Errorf("%s: got %s with %+v, %+v, want %s", when, r.State, r.Holds, r.Problem, want)
	}
}

// A declined price stays as it is, and is not asked again, until the supplier moves it. Then it is
// judged by the price that stands.
func TestADeclinedPrice(t *testing.T) {
	by := tableDecider(t, nil)
	_, made := look(by, store.Record{ID: "p1"}, bench(msrp("20.00")))
	_, held := look(by, made, bench(msrp("40.00")))
	isIn(t, "twice the price", held, store.StateHeld)
	if got := GroupOf(held, held.Holds[0]); got != "price/supplier-up" {
		t.Errorf("got group %s, want price/supplier-up", got)
	}
	r := declined(t, held)
	isIn(t, "declined", r, store.StateLive)
	if got, want := Tell(r.History[len(r.History)-1], r), "declined by anna: price of v1 20.00 -> 40.00"; got != want {
		t.Errorf("history tells %q, want %q", got, want)
	}
	for range 2 { // at each look
		var steps []string
		steps, r = look(by, r, bench(msrp("40.00")))
		isIn(t, "the same price again", r, store.StateLive)
		if len(steps) != 0 || r.Variants[0].Price != "20.00" {
			t.Errorf("got %v and %s, want no step and 20.00", steps, r.Variants[0].Price)
		}
	}
	if steps := by.Rules.PriceSteps(r, r.Variants[0]); !strings.Contains(
		strings.Join(steps, "\n"),
		"40.00 was declined",
	) {
		t.Errorf("explained as %q, want the declined price", steps)
	}
	if _, other := look(by, r, bench(msrp("41.00"))); other.State != store.StateHeld || len(other.Declined) != 0 {
		t.Errorf("another price as far off: got %s, %+v, want held, nothing declined", other.State, other.Declined)
	}
	if _, other := look(by, r, bench(msrp("22.00"))); other.State != store.StateLive ||
		other.Variants[0].Price != "22.00" {
		t.Errorf("a price near by: got %s at %s, want live at 22.00", other.State, other.Variants[0].Price)
	}
	// Once it was another one it is asked again.
	_, back := look(by, r, bench(msrp("22.00")))
	_, back = look(by, back, bench(msrp("40.00")))
	isIn(t, "the same price after another one", back, store.StateHeld)
	_, again := look(by, retried(r), bench(msrp("40.00")))
	isIn(t, "asked for", again, store.StateHeld)
}

// A declined price below which the cost has risen is not sold at a loss, and somebody is told until the supplier moves
// it or a person approves.
func TestADeclinedPriceBelowTheCost(t *testing.T) {
	by := tableDecider(t, nil)
	_, made := look(by, store.Record{ID: "p1"}, bench(msrp("20.00")))
	costs := func(p *marketplace.Publication) { p.Listing.Variants[0].Cost = "35.00" }
	_, held := look(by, made, bench(costs))
	s := store.Settlement{Record: held}
	Decline(&s, nil, Choice{}, store.ClassSweep, "anna", tableNow.Add(time.Minute))
	isIn(t, "declined", s.Record, store.StateHeld)
	_, r := look(by, s.Record, bench(costs))
	if v := r.Variants[0]; v.Price != "20.00" || v.Quantity != 0 {
		t.Errorf("got %+v, want it sold out at 20.00", v)
	}
	isIn(t, "looked at again", r, store.StateHeld)
	if got, want := r.Holds[0].Reason, "sold out: 20.00 is below its cost with VAT, 35.00"; got != want {
		t.Errorf("held since %q, want %q", got, want)
	}
	_, cheaper := look(by, r, bench(msrp("20.00")))
	isIn(t, "the supplier takes it back", cheaper, store.StateLive)
	s = store.Settlement{Record: r}
	Approve(&s, Choice{}, store.ClassAsked, "anna", tableNow.Add(time.Hour))
	_, dear := look(by, s.Record, bench(costs))
	isIn(t, "approved after all", dear, store.StateLive)
	if v := dear.Variants[0]; v.Price != "35.00" || v.Quantity == 0 {
		t.Errorf("got %+v, want it on sale at 35.00", v)
	}
}

// A declined first price keeps the product out, or the variant of what is on sale, until its price
// is another one or it is asked for.
func TestADeclinedFirstPrice(t *testing.T) {
	by := withFirst(t)
	_, held := look(by, store.Record{ID: "p1"}, bench(dear))
	if got := GroupOf(held, held.Holds[0]); got != "first-price/high" {
		t.Errorf("got group %s, want first-price/high", got)
	}
	r := declined(t, held)
	isIn(t, "declined", r, store.StateRejected)
	steps, r := look(by, r, bench(dear))
	isIn(t, "looked at again", r, store.StateRejected)
	if len(steps) != 0 || !strings.Contains(r.Problem.Message, "as you decided") {
		t.Errorf("got %v, %q, want no step and the decision", steps, r.Problem.Message)
	}
	if _, fair := look(by, r, bench(msrp("20.00"))); fair.State != store.StateLive || len(fair.Declined) != 0 {
		t.Errorf("a usual price: got %s, %+v, want live, nothing declined", fair.State, fair.Declined)
	}
	_, again := look(by, retried(r), bench(dear))
	isIn(t, "asked for", again, store.StateHeld)
	if all := (store.Settlement{Record: r}); !RetryFailed(&all, nil, "anna", tableNow) || len(all.Record.Declined) != 1 {
		t.Errorf("a retry of all that failed: %+v, want it declined still", all.Record.Declined)
	}

	// Of several variants one keeps a new product out, and what is on sale goes on without it.
	two := bench(second("95.00", "20.00"))
	_, held = look(by, store.Record{ID: "p1"}, two)
	_, r = look(by, declined(t, held), two)
	isIn(t, "one of two variants", r, store.StateRejected)
	_, made := look(by, store.Record{ID: "p1"}, bench(msrp("20.00")))
	_, held = look(by, made, two)
	isIn(t, "a further variant", held, store.StateHeld)
	_, r = look(by, declined(t, held), two)
	isIn(t, "a further variant, declined", r, store.StatePartial)
	if steps, r = look(by, r, two); len(steps) != 0 || r.State != store.StatePartial {
		t.Errorf("looked at again: got %v, %s, want no step, partial", steps, r.State)
	}
}

// A declined removal leaves the listing on sale until the entry is listed anew, or until it would
// go for another reason.
func TestADeclinedRemoval(t *testing.T) {
	by := tableDecider(t, nil)
	_, made := look(by, store.Record{ID: "p1"}, bench(msrp("20.00")))
	s := store.Settlement{Record: made}
	Absent(&s, tableNow)
	Verdict{Held: true, Reason: "many"}.Apply(&s, tableNow)
	isIn(t, "a mass removal", s.Record, store.StateHeld)
	r := declined(t, s.Record)
	isIn(t, "declined", r, store.StateLive)
	s = store.Settlement{Record: r}
	if Absent(&s, tableNow.Add(time.Hour)) || Listable(r, store.At(tableNow.Add(time.Hour)), tableNow.Add(time.Hour)) {
		t.Error("an enumeration asks again, want it to know")
	}
	d := by.Decide(r, store.Mark{ID: "p1"}, Seen{At: tableNow.Add(time.Hour)})
	steps, end := drive(d, takes)
	if len(steps) != 0 || d.FoundRemoval() || end.Record.State != store.StateLive || end.Next == nil {
		t.Errorf(
			"a look at it: %v, removal %t, %+v, want it live and nothing done",
			steps,
			d.FoundRemoval(),
			end.Record,
		)
	}
	if keys := store.Keys(r); slices.ContainsFunc(
		keys,
		func(k store.Indexed) bool { return k.Key == store.KeyLeaving() },
	) {
		t.Errorf("got %v, want it not to count as leaving", keys)
	}
	// Without a listing is another reason: the brake judges it.
	d = by.Decide(r, store.Mark{ID: "p1"}, Seen{Publication: &marketplace.Publication{ID: "p1"}, At: tableNow})
	if _, end = drive(d, takes); end.Record.Removal.Reason != store.RemovalNoListing || len(end.Record.Declined) != 0 {
		t.Errorf("without a listing: %+v, %+v, want it found anew", end.Record.Removal, end.Record.Declined)
	}
	// A page of before the decision says nothing; one of later lists it anew.
	page := marketplace.Page{
		Entries: []marketplace.Entry{{ID: "p1", UpdatedAt: r.UpdatedAt}}, Asked: tableNow, Answered: tableNow,
	}
	if s = (store.Settlement{Record: r}); (Listed{Page: page}).Apply(&s, true, nil, tableNow.Add(time.Hour)) {
		t.Errorf("a page of before: %+v, want nothing", s.Record.Declined)
	}
	page.Asked, page.Answered = tableNow.Add(time.Hour), tableNow.Add(time.Hour)
	s = store.Settlement{Record: r}
	if !(Listed{Page: page}).Apply(&s, true, nil, tableNow.Add(time.Hour)) || len(s.Record.Declined) != 0 ||
		s.Next == nil {
		t.Errorf("a later page: %+v, %v, want it forgotten, and a look", s.Record.Declined, s.Next)
	}
	// A person who asks for it is asked again, whatever the brake says of one removal.
	again := retried(r)
	isIn(t, "asked for", again, store.StateHeld)
	s = store.Settlement{Record: again}
	if (Verdict{}).Apply(&s, tableNow) {
		t.Error("the brake lets it go, want it to wait for the person")
	}
}

// What another tool made and a person left to it stays that tool's, whatever the marketplace says
// of it, and is not reported on.
func TestADeclinedForeignEntry(t *testing.T) {
	by := tableDecider(t, nil)
	taken := func(p *marketplace.Publication) { p.Status = string(store.StatusSuccess) }
	_, held := look(by, store.Record{ID: "p1"}, bench(taken))
	isIn(t, "another tool's", held, store.StateHeld)
	if ways := Ways(held, held.Holds[0]); len(ways) != 2 || !strings.Contains(ways[0], "pubsync decline p1") {
		t.Errorf("got %q, want two ways with a command each", ways)
	}
	r := declined(t, held)
	for name, status := range map[string]string{"success": "success", "failed": "failed", "pending": "pending"} {
		d := by.Decide(r, store.Mark{ID: "p1"}, Seen{
			Publication: bench(func(p *marketplace.Publication) { p.Status = status }), At: tableNow,
		})
		steps, end := drive(d, takes)
		end.Merge(r, nil, &end)
		isIn(t, name, end.Record, store.StateRejected)
		if len(steps) != 0 || end.Report != nil {
			t.Errorf("%s: got %v, report %+v, want neither", name, steps, end.Report)
		}
	}
	_, again := look(by, retried(r), bench(taken))
	isIn(t, "asked for", again, store.StateHeld)
}

// A price that was changed in the shop, and that a person declined to have put back, is the
// merchant's: each further change of theirs too, until ours moves.
func TestADeclinedDrift(t *testing.T) {
	by := tableDecider(t, nil)
	_, made := look(by, store.Record{ID: "p1"}, bench(msrp("20.00")))
	made.WrittenAt -= 1000
	seen := func(r store.Record, price string, held bool) store.Settlement {
		s := store.Settlement{Record: r}
		by.Observed(&s, Observation{Listing: shopadapter.Listing{
			Variants: []shopadapter.ListedVariant{{ID: "v1", Price: price, Quantity: 5, OnSale: true}}, Images: -1,
		}}, Group{Held: held, Differing: 12, Products: 30}, tableNow)
		return s
	}
	held := seen(made, "15", true).Record
	isIn(t, "many prices were changed", held, store.StateHeld)
	r := declined(t, held)
	isIn(t, "declined", r, store.StateLive)
	steps, r := look(by, r, bench(msrp("20.00")))
	if len(steps) != 0 || r.Variants[0].Price != "15.00" || len(r.Drift) != 0 {
		t.Errorf("a look: %v, %+v, %+v, want nothing written and 15.00", steps, r.Variants[0], r.Drift)
	}
	s := seen(r, "16.00", false)
	if s.Next != nil || s.Record.Variants[0].Price != "16.00" || len(s.Record.Holds) != 0 {
		t.Errorf("changed once more: %v, %+v, want the merchant's 16.00, and no look", s.Next, s.Record.Variants[0])
	}
	if _, moved := look(by, s.Record, bench(msrp("21.00"))); moved.Variants[0].Price != "21.00" ||
		len(moved.Declined) != 0 {
		t.Errorf("the supplier moves it: got %s, %+v, want 21.00", moved.Variants[0].Price, moved.Declined)
	}
	s = seen(made, "16.00", false) // and of what nobody declined it is put right
	if s.Next == nil {
		t.Error("a change that was not declined leads to no look, want one")
	}
}

// A person may decline, or ask again, while a look is under way: both are in the record after it.
func TestADeclineDuringALook(t *testing.T) {
	by := tableDecider(t, nil)
	_, made := look(by, store.Record{ID: "p1"}, bench(msrp("20.00")))
	_, held := look(by, made, bench(msrp("40.00")))
	during := func(start, cur store.Record) store.Record {
		_, s := drive(
			by.Decide(start, store.Mark{ID: "p1"}, Seen{Publication: bench(msrp("40.00")), At: tableNow}),
			takes,
		)
		s.Merge(cur, nil, &s)
		return s.Record
	}
	no := declined(t, held)
	r := during(held, no)
	isIn(t, "declined", r, store.StateLive)
	if len(r.Declined) != 1 {
		t.Errorf("got %+v, want the decline", r.Declined)
	}
	if r = during(no, retried(no)); len(r.Declined) != 0 {
		t.Errorf("asked again: got %+v, want nothing declined", r.Declined)
	}
	// A decline takes an approval back that no look has met yet.
	s := store.Settlement{Record: held}
	Approve(&s, Choice{}, store.ClassSweep, "anna", tableNow)
	if r = declined(t, s.Record); len(r.Approved) != 0 {
		t.Errorf("got %+v approved, want nothing", r.Approved)
	}
}

// An answer is for what was shown: what is held since is not meant, and no other group is.
func TestAChoice(t *testing.T) {
	r := store.Record{OnSale: true, Holds: []store.Hold{
		{Kind: store.HoldPrice, Variant: "a", Old: "1", New: "9", Cause: causeSupplier, Since: 5},
		{Kind: store.HoldPrice, Variant: "b", Old: "9", New: "1", Cause: causeSupplier, Since: 7},
		{Kind: store.HoldFirstPrice, Variant: "c", New: "1", Since: 7},
	}}
	for name, tt := range map[string]struct {
		Choice

		want string
	}{
		"all": {Choice{}, "abc"}, "a kind": {Choice{Group: "price"}, "ab"}, "another": {Choice{Group: "first-price"}, "c"},
		"a group": {Choice{Group: "price/supplier-down"}, "b"}, "a part of a name": {Choice{Group: "price/supplier"}, ""},
		"as shown": {Choice{Until: 6}, "a"},
	} {
		got := ""
		for _, h := range r.Holds {
			if tt.Has(r, h) {
				got += h.Variant
			}
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
