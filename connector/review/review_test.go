package review_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A pickyShop is a shop whose categories are named by a setting and made by its merchant: a
// listing remembers in which it was put.
type pickyShop struct {
	*harness.Shop
	settings string                         // the digest
	holds    func(category string) string   // the shop's category for one of the marketplace's
	fails    error                          // of a review
	reviews  *int                           //
	asked    *bool                          // what the last review said
	kept     map[shopadapter.ListingID]bool // the merchant has put it elsewhere
}

func (s pickyShop) Publish(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	l, err := s.Shop.Publish(ctx, ref, p, changed)
	l.State = ref.State
	if changed.Has(shopadapter.FieldCategory) {
		l.State = []byte("in " + s.holds(p.Category.Name))
		if s.kept[l.ID] {
			l.Kept = shopadapter.FieldCategory
		}
	}
	return l, err
}

func (s pickyShop) Review(_ context.Context, ref shopadapter.Ref) (shopadapter.Fields, error) {
	*s.reviews++
	*s.asked = ref.Asked
	if s.fails != nil {
		return shopadapter.FieldCategory, s.fails
	}
	if string(ref.State) != "in "+s.holds("") {
		return shopadapter.FieldCategory, nil
	}
	return shopadapter.NoFields, nil
}

func (s pickyShop) ReviewedBy() string { return s.settings }

// pickyBench is a bench with a live publication of a category that the shop lacks.
func pickyBench(t *testing.T) (b *harness.Bench, shop *pickyShop, id string) {
	b = harness.New(t, sandbox.Options{})
	shop = &pickyShop{
		Shop: b.Shop, holds: func(string) string { return "none" }, reviews: new(int), asked: new(bool),
		kept: map[shopadapter.ListingID]bool{},
	}
	b.Tune = func(o *connector.Options) { o.Shop = *shop }
	id = b.Market.AddSound(1)[0]
	if s := b.Once(false); s.Created != 1 || b.State(id) != store.StateLive {
		t.Fatalf("got %+v, %s, want Created 1 and state %v", s, b.State(id), store.StateLive)
	}
	return b, shop, id
}

// Advice such as "make a category of this name, or map it" works: what is on sale moves by a retry,
// by a full run and by a changed setting alone, and a plan says so before.
func TestAdviceMovesWhatIsOnSale(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		settings string // other than before
		ask      func(b *harness.Bench, id string)
		full     bool
		want     bool // it moves
		asked    bool // the review may not trust what is known of the shop
	}{
		{name: "nobody asks"},
		{name: "a retry", ask: func(b *harness.Bench, id string) {
			if err := harness.Retry(b.Store, id, false); err != nil {
				b.T.Error(err)
			}
		}, want: true, asked: true},
		{name: "a full run", full: true, want: true, asked: true},
		{name: "a changed setting alone", settings: "mapped", want: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b, shop, id := pickyBench(t)
				b.Once(false)
				shop.holds = func(string) string { return "lighting" }
				shop.settings = tt.settings
				if tt.ask != nil {
					tt.ask(b, id)
				}
				var want []publication.Change
				if tt.want {
					want = []publication.Change{{ID: id, Field: "category", Title: "Hand trowel with ash handle"}}
				}
				p, err := b.Connector().Planner(time.Minute).Plan(t.Context(), tt.full)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, append([]publication.Change(nil), p.Change...)); diff != "" {
					t.Errorf("the plan (-want +got):\n%s", diff)
				}
				if tt.want && *shop.asked != tt.asked {
					t.Errorf("the plan: asked is %t, want %t", *shop.asked, tt.asked)
				}
				before := len(b.Shop.Since(0))
				s := b.Once(tt.full)
				calls := b.Shop.Since(before)
				if moved := len(calls) == 1 && calls[0].Changed == shopadapter.FieldCategory; moved != tt.want {
					t.Errorf("the calls are %+v, want one of the category: %t", calls, tt.want)
				}
				if len(calls) > 1 {
					t.Errorf("the calls are %+v, want at most one", calls)
				}
				if s.Updated != int64(len(calls)) {
					t.Errorf("%d are counted as updated, want %d", s.Updated, len(calls))
				}
				if tt.want && *shop.asked != tt.asked {
					t.Errorf("asked is %t, want %t", *shop.asked, tt.asked)
				}
				reviews := *shop.reviews
				if s = b.Once(false); s.Updated != 0 || *shop.reviews != reviews {
					t.Errorf(
						"the next run updates %d, after %d reviews, want 0 and 0",
						s.Updated,
						*shop.reviews-reviews,
					)
				}
				if s = b.Once(true); (s.Updated != 0) == tt.want {
					t.Errorf("the next full run updates %d, want some: %t", s.Updated, !tt.want)
				}
			})
		})
	}
}

// A category that is the merchant's by the settings is not reviewed into the shop, and one that was
// moved by hand is asked about once.
func TestReviewLeavesWhatIsTheMerchants(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, shop, id := pickyBench(t)
		shop.kept[shopadapter.ListingID(b.Record(id).ShopID)] = true
		shop.holds = func(string) string { return "lighting" }
		if s := b.Once(true); s.Updated != 1 || b.Record(id).Kept != shopadapter.FieldCategory {
			t.Errorf(
				"%d updates, kept %s, want Updated 1 and Kept %v",
				s.Updated,
				b.Record(id).Kept,
				shopadapter.FieldCategory,
			)
		}
		if s := b.Once(true); s.Updated != 0 {
			t.Errorf("the next full run updates %d, want 0", s.Updated)
		}
		shop.holds = func(string) string { return "lamps" }
		b.Tune = func(o *connector.Options) { o.Shop, o.Rules.Keep = *shop, shopadapter.FieldCategory }
		if s := b.Once(true); s.Updated != 0 {
			t.Errorf("a full run updates %d of what is the merchant's, want 0", s.Updated)
		}
	})
}

// A shop that cannot tell is no reason to call a listing anything but live, unless a person waits.
func TestReviewFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, shop, id := pickyBench(t)
		shop.fails, shop.settings = errors.New("no answer"), "mapped"
		shop.holds = func(string) string { return "lighting" }
		if err := b.Market.Update(id, func(l *sandbox.Listing) { l.Variants[0].Quantity++ }); err != nil {
			t.Fatal(err)
		}
		p, err := b.Connector().Planner(time.Minute).Plan(t.Context(), true)
		if err != nil ||
			!slices.ContainsFunc(p.Change, func(c publication.Change) bool { return c.Field == "quantity" }) {
			t.Errorf("the plan is %+v, %v, want a change of the quantity and no error", p, err)
		}
		if s := b.Once(false); s.Updated != 1 || b.State(id) != store.StateLive {
			t.Errorf("%d updates, %s, want Updated 1 and state %v", s.Updated, b.State(id), store.StateLive)
		}
		if s := b.Once(true); s.Updated != 0 || b.State(id) != store.StateLive {
			t.Errorf("a full run: %d updates, %s, want Updated 0 and state %v", s.Updated, b.State(id), store.StateLive)
		}
		if err := harness.Retry(b.Store, id, false); err != nil {
			t.Fatal(err)
		}
		if s := b.Once(false); s.Pending != 1 {
			t.Errorf("asked for: %d are pending, it is %s, want 1", s.Pending, b.State(id))
		}
		shop.fails = nil
		if s := b.Once(false); s.Updated != 1 || b.State(id) != store.StateLive {
			t.Errorf(
				"the shop is back: %d updates, %s, want Updated 1 and state %v",
				s.Updated,
				b.State(id),
				store.StateLive,
			)
		}
	})
}
