package worker_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A muteShop does what it is asked, and while it is mute nobody hears of it. It takes nothing
// with a forbidden title.
type muteShop struct {
	*harness.Shop
	mute bool
}

func (s *muteShop) Publish(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	if strings.HasPrefix(p.Title, "Forbidden") {
		return shopadapter.Listing{}, shopadapter.Reject("such things are not sold here")
	}
	l, err := s.Shop.Publish(ctx, ref, p, changed)
	if s.mute {
		return shopadapter.Listing{}, shopadapter.Retry("no answer")
	}
	return l, err
}

// A product that is reported failed is not on sale, even where an earlier attempt published it and
// its answer was lost.
func TestARejectedProductIsNotOnSaleByAnAttemptThatNobodyHeardOf(t *testing.T) {
	title := func(to string) func(*sandbox.Listing) {
		return func(l *sandbox.Listing) { l.Texts = map[string]sandbox.Text{"en": {Title: to}} }
	}
	tests := []struct {
		name        string
		first, last func(*sandbox.Listing)
		busy        bool          // the shop cannot take anything out of sale at first
		wait        time.Duration // until it is rejected
	}{
		{name: "the shop refuses it", last: title("Forbidden")},
		{name: "our rules refuse it", last: func(l *sandbox.Listing) {
			for i := range l.Variants {
				l.Variants[i].MSRP = ""
			}
		}},
		{name: "it is not translated in time", last: title(""), wait: 24 * time.Hour},
		{name: "it is again what the shop refused before", first: title("Forbidden"), last: title("Forbidden")},
		{name: "and the shop is busy", last: title("Forbidden"), busy: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				shop := &muteShop{Shop: b.Shop}
				b.Tune = func(o *connector.Options) { o.Shop = shop }
				id := b.Market.AddSound(1)[0]
				update := func(f func(*sandbox.Listing)) {
					if err := b.Market.Update(id, f); err != nil {
						t.Fatal(err)
					}
				}
				if tt.first != nil {
					update(tt.first)
					b.Once(false)
				}
				update(title("A lamp"))
				shop.mute = true
				b.Once(false)
				if _, onSale := b.Shop.Get(id); !onSale {
					t.Fatal("the attempt that nobody hears of has no effect: want it on sale")
				}
				shop.mute = false
				update(tt.last)
				busy := tt.busy
				b.Shop.Refuse = func(c harness.Call) error {
					if c.Method == "unpublish" && busy {
						busy = false
						return shopadapter.Retry("busy")
					}
					return nil
				}
				b.Market.OnReport(func(string) {
					if _, onSale := b.Shop.Get(id); onSale {
						t.Error("it is reported while it is on sale, want it out of sale first")
					}
				})
				b.Once(false)
				if tt.wait > 0 {
					time.Sleep(tt.wait)
					b.Once(false)
				}
				if p, _ := b.Market.Publication(id); p.Status != "failed" || b.State(id) != store.StateRejected {
					t.Errorf(
						"it is %s, and reported %s, want Status failed and state %v",
						b.State(id),
						p.Status,
						store.StateRejected,
					)
				}
				if _, onSale := b.Shop.Get(id); onSale {
					t.Error("it is on sale, want it out of sale")
				}
				n := b.Shop.Count("unpublish")
				update(title("Forbidden once more"))
				b.Once(false)
				if got := b.Shop.Count("unpublish"); got != n {
					t.Errorf("what is known to be out of sale is taken out again: got %d calls, want %d", got, n)
				}
			})
		})
	}
}

func (s *muteShop) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) error {
	err := s.Shop.Unpublish(ctx, ref, how)
	if s.mute {
		return shopadapter.Retry("no answer")
	}
	return err
}

// A publication that is listed again is on sale again, even where the answer to its withdrawal was
// lost.
func TestWhatIsListedAgainAfterARemovalThatNobodyHeardOfIsOnSale(t *testing.T) {
	for name, how := range map[string]publication.OnRemoved{
		"unpublished": publication.RemovedUnpublish,
		"deleted":     publication.RemovedDelete,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				shop := &muteShop{Shop: b.Shop}
				b.Tune = func(o *connector.Options) { o.Shop, o.OnRemoved = shop, how }
				id := b.Market.AddSound(3)[0]
				b.Once(false)
				b.Market.Remove(id)
				shop.mute = true
				b.Once(true)
				if _, onSale := b.Shop.Get(id); onSale {
					t.Fatal("the removal that nobody hears of has no effect: want it out of sale")
				}
				shop.mute = false
				b.Market.Restore(id)
				b.Market.OnReport(func(reported string) {
					if _, onSale := b.Shop.Get(reported); !onSale {
						t.Error("it is reported while it is not on sale, want it on sale first")
					}
				})
				if s := b.Once(false); s.Exit != 0 || s.Reported != 1 {
					t.Errorf("the run: got %+v, want Exit 0 and Reported 1", s)
				}
				if _, onSale := b.Shop.Get(id); !onSale || b.State(id) != store.StateLive {
					t.Errorf(
						"on sale is %t, the state %s, want on sale true and state %v",
						onSale,
						b.State(id),
						store.StateLive,
					)
				}
				if p, _ := b.Market.Publication(id); p.Status != "success" {
					t.Errorf("it is reported %s, want success", p.Status)
				}
			})
		})
	}
}

// A sweep that sees what may have been taken out leaves it to the look: until all of it is written
// again there is nothing to report.
func TestASweepLeavesARemovalThatWasBegunToTheLook(t *testing.T) {
	now := time.UnixMilli(2000)
	page := marketplace.Page{
		Entries:  []marketplace.Entry{{ID: "a", UpdatedAt: "2026-11-01T08:00:00Z", Status: "syncing"}},
		Asked:    now,
		Answered: now,
	}
	for _, begun := range []bool{false, true} {
		s := store.Settlement{Record: store.Record{
			ID: "a", OnSale: true, ShopID: "shop-1", Reported: store.StatusSuccess,
			Removal: store.Removal{Reason: store.RemovalAbsent, At: 1000, Go: true, Begun: begun},
		}}
		if !(publication.Listed{Page: page}).Apply(&s, true, nil, now) {
			t.Errorf("begun %t: got nothing to settle, want a mark", begun)
		}
		if s.Next == nil || s.Next.Cause != store.CauseRead {
			t.Errorf("begun %t: what is listed again gets the mark %+v, want %v", begun, s.Next, store.CauseRead)
		}
		if kept := s.Record.Removal.Reason != ""; kept != begun {
			t.Errorf("begun %t: the removal is kept: %t, want %v", begun, kept, begun)
		}
		if publication.Owe(&s, nil, time.UnixMilli(2000)); begun && s.Report != nil {
			t.Errorf("a report is owed of what may not be on sale: %+v, want none", s.Report)
		}
	}
}
