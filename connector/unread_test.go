package connector

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// odd has the marketplace give all that is not essential in another shape, and change one price at
// the same time.
func (b *bench) odd(ids ...string) {
	b.box.Inject(sandbox.Fault{
		Kind: sandbox.OddShape, Probability: 1, On: []sandbox.Kind{sandbox.KindContent},
		Fields: []string{"images", "category", "dropshippingShippingDetails", "dropshippingReturns", "ean"},
	})
	b.reprice(ids)
}

// What cannot be read of a listing costs nothing but itself: the price follows, what the shop has
// of it stays, and what changed meanwhile comes with the first reading that shows it.
func TestWhatCannotBeReadStays(t *testing.T) {
	const groups = shopadapter.FieldImages | shopadapter.FieldCategory | shopadapter.FieldShipping | shopadapter.FieldVariants
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		ids := b.box.AddSound(5)
		id := ids[0]
		b.once(false)
		b.odd(id)
		calls := len(b.shop.since(0))
		if s := b.once(false); s.Exit != desk.ExitOK || s.Updated != 1 || b.state(id) != store.StateLive {
			t.Fatalf("%+v, %s: %s", s, b.state(id), b.record(id).Problem.Message)
		}
		for _, c := range b.shop.since(calls) {
			if c.changed.Any(groups) || !c.changed.Has(shopadapter.FieldPrice) || c.product.Unknown&groups != groups {
				t.Errorf("changed %s, unknown %s", c.changed, c.product.Unknown)
			}
		}
		r := b.record(id)
		if !strings.Contains(r.Unread, "images") || !strings.Contains(r.Unread, "returns") ||
			!slices.ContainsFunc(r.History, func(e store.Event) bool {
				return strings.Contains(e.What, "cannot be read: ")
			}) {
			t.Errorf("unread %q, history %v", r.Unread, r.History)
		}
		// Nothing is written again and again, and a picture that came meanwhile is written once it
		// can be read.
		if s := b.once(true); s.Updated != 0 || s.Unchanged == 0 {
			t.Errorf("a full run: %+v", s)
		}
		if err := b.box.Update(id, func(l *sandbox.Listing) { l.Pictures = l.Pictures[:1] }); err != nil {
			t.Fatal(err)
		}
		b.once(false)
		b.box.Heal()
		calls = len(b.shop.since(0))
		b.once(true)
		after := b.shop.since(calls)
		if len(after) != 1 || after[0].changed != shopadapter.FieldImages || after[0].product.Unknown != 0 ||
			b.record(id).Unread != "" {
			t.Errorf("%+v, unread %q", after, b.record(id).Unread)
		}
	})
}

// A new product is made without what cannot be read, and gets it later; one that is listed again
// keeps what the shop has of it, and is written whole later.
func TestWhatCannotBeReadComesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		ids := b.box.AddSound(5)
		back := ids[0]
		b.once(false)
		b.box.Remove(back)
		b.once(true)
		b.odd()
		b.box.Restore(back)
		fresh := b.box.AddSound(1)[0]
		if s := b.once(false); s.Exit != desk.ExitOK || s.Created != 1 || s.Updated != 1 {
			t.Fatalf("%+v", s)
		}
		made, _ := b.shop.get(fresh)
		if len(made.Images) != 0 || made.Unknown != 0 {
			t.Errorf("made with %v, unknown %s", made.Images, made.Unknown)
		}
		if b.status(fresh) != "success" || b.status(back) != "success" {
			t.Errorf("reported %s and %s", b.status(fresh), b.status(back))
		}
		b.box.Heal()
		calls := len(b.shop.since(0))
		b.once(true)
		for _, c := range b.shop.since(calls) {
			if id := string(c.id); id != fresh && id != back || !c.changed.Has(shopadapter.FieldImages) {
				t.Errorf("%s of %s: %s", c.method, c.id, c.changed)
			}
		}
		for _, id := range []string{fresh, back} {
			if p, _ := b.shop.get(id); len(p.Images) == 0 || p.Unknown != 0 {
				t.Errorf("%s has %v, unknown %s", id, p.Images, p.Unknown)
			}
			if r := b.record(id); r.Attempted != 0 || r.Unread != "" {
				t.Errorf("%s: attempted %s, unread %q", id, r.Attempted, r.Unread)
			}
		}
	})
}

// Shipping is read as a list and as one object, whether or not the schema can be read.
func TestShippingIsAListOrOne(t *testing.T) {
	for name, o := range map[string]sandbox.Options{
		"a list": {}, "one": {OneShipping: true}, "one, and no schema": {OneShipping: true, NoIntrospection: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, o)
				l := oneVariant("10.00", "20.00", 5)
				l.Shipping = []sandbox.Shipping{
					{CountryGroup: "NL", FixedCosts: "4.95", VariableCosts: "0.50", Days: 3},
				}
				id := b.box.Add(sandbox.Publication{Listing: l})[0]
				if s := b.once(false); s.Exit != desk.ExitOK {
					t.Fatalf("%+v", s)
				}
				p, _ := b.shop.get(id)
				want := shopadapter.Shipping{
					CountryGroup:  "NL",
					FixedCosts:    "4.95",
					VariableCosts: "0.50",
					EstimatedDays: "3",
				}
				if len(p.Shipping) != 1 || p.Shipping[0] != want || b.record(id).Unread != "" {
					t.Errorf("%+v, unread %q", p.Shipping, b.record(id).Unread)
				}
			})
		})
	}
}
