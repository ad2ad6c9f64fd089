package worker_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// What cannot be read of a listing costs nothing but itself: the price follows, what the shop has
// of it stays, and what changed meanwhile comes with the first reading that shows it.
func TestWhatCannotBeReadStays(t *testing.T) {
	const groups = shopadapter.FieldImages | shopadapter.FieldCategory |
		shopadapter.FieldShipping | shopadapter.FieldVariants
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		ids := b.Market.AddSound(5)
		id := ids[0]
		b.Once(false)
		b.OddShapes(id)
		calls := len(b.Shop.Since(0))
		if s := b.Once(false); s.Exit != desk.ExitOK || s.Updated != 1 || b.State(id) != store.StateLive {
			t.Fatalf(
				"got %+v, %s: %s, want Exit %v, Updated 1 and state %v",
				s,
				b.State(id),
				b.Record(id).Problem.Message,
				desk.ExitOK,
				store.StateLive,
			)
		}
		for _, c := range b.Shop.Since(calls) {
			if c.Changed.Any(groups) || !c.Changed.Has(shopadapter.FieldPrice) || c.Product.Unknown&groups != groups {
				t.Errorf(
					"changed %s, unknown %s, want the price without %s, and these unknown",
					c.Changed,
					c.Product.Unknown,
					groups,
				)
			}
		}
		r := b.Record(id)
		if !strings.Contains(r.Unread, "images") || !strings.Contains(r.Unread, "returns") ||
			!slices.ContainsFunc(r.History, func(e store.Event) bool {
				return strings.Contains(e.What, "cannot be read: ")
			}) {
			t.Errorf(
				"unread %q, history %v, want images and returns, and that they cannot be read",
				r.Unread,
				r.History,
			)
		}
		// Nothing is written again and again, and a picture that came meanwhile is written once it
		// can be read.
		if s := b.Once(true); s.Updated != 0 || s.Unchanged == 0 {
			t.Errorf("a full run: got %+v, want Updated 0 and some Unchanged", s)
		}
		if err := b.Market.Update(id, func(l *sandbox.Listing) { l.Pictures = l.Pictures[:1] }); err != nil {
			t.Fatal(err)
		}
		b.Once(false)
		b.Market.Heal()
		calls = len(b.Shop.Since(0))
		b.Once(true)
		after := b.Shop.Since(calls)
		if len(after) != 1 || after[0].Changed != shopadapter.FieldImages || after[0].Product.Unknown != 0 ||
			b.Record(id).Unread != "" {
			t.Errorf(
				"%+v, unread %q, want one call for the images, with all known, and nothing unread",
				after,
				b.Record(id).Unread,
			)
		}
	})
}

// A new product is made without what cannot be read, and gets it later; one that is listed again
// keeps what the shop has of it, and is written whole later.
func TestWhatCannotBeReadComesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		ids := b.Market.AddSound(5)
		back := ids[0]
		b.Once(false)
		b.Market.Remove(back)
		b.Once(true)
		b.OddShapes()
		b.Market.Restore(back)
		fresh := b.Market.AddSound(1)[0]
		if s := b.Once(false); s.Exit != desk.ExitOK || s.Created != 1 || s.Updated != 1 {
			t.Fatalf("got %+v, want Exit %v, Created 1 and Updated 1", s, desk.ExitOK)
		}
		made, _ := b.Shop.Get(fresh)
		if len(made.Images) != 0 || made.Unknown != 0 {
			t.Errorf("made with %v, unknown %s, want no images and nothing unknown", made.Images, made.Unknown)
		}
		if b.Status(fresh) != "success" || b.Status(back) != "success" {
			t.Errorf("reported %s and %s, want status success and status success", b.Status(fresh), b.Status(back))
		}
		b.Market.Heal()
		calls := len(b.Shop.Since(0))
		b.Once(true)
		for _, c := range b.Shop.Since(calls) {
			if id := string(c.ID); id != fresh && id != back {
				t.Errorf("%s of %s, want calls of %s and %s alone", c.Method, id, fresh, back)
			}
			if !c.Changed.Has(shopadapter.FieldImages) {
				t.Errorf("%s of %s: changed %s, want %s", c.Method, c.ID, c.Changed, shopadapter.FieldImages)
			}
		}
		for _, id := range []string{fresh, back} {
			if p, _ := b.Shop.Get(id); len(p.Images) == 0 || p.Unknown != 0 {
				t.Errorf("%s has %v, unknown %s, want images and nothing unknown", id, p.Images, p.Unknown)
			}
			if r := b.Record(id); r.Attempted != 0 || r.Unread != "" {
				t.Errorf("%s: attempted %s, unread %q, want neither", id, r.Attempted, r.Unread)
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
				b := harness.New(t, o)
				l := harness.OneVariant("10.00", "20.00", 5)
				l.Shipping = []sandbox.Shipping{
					{CountryGroup: "NL", FixedCosts: "4.95", VariableCosts: "0.50", Days: 3},
				}
				id := b.Market.Add(sandbox.Publication{Listing: l})[0]
				if s := b.Once(false); s.Exit != desk.ExitOK {
					t.Fatalf("got %+v, want Exit %v", s, desk.ExitOK)
				}
				p, _ := b.Shop.Get(id)
				want := shopadapter.Shipping{
					CountryGroup:  "NL",
					FixedCosts:    "4.95",
					VariableCosts: "0.50",
					EstimatedDays: "3",
				}
				if len(p.Shipping) != 1 || p.Shipping[0] != want || b.Record(id).Unread != "" {
					t.Errorf("%+v, unread %q, want %+v and nothing unread", p.Shipping, b.Record(id).Unread, want)
				}
			})
		})
	}
}
