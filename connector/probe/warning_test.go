package probe_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// A closedShop is a shelf that may show visitors something else.
type closedShop struct {
	*harness.Shop
	shows atomic.Value // a string
	asked atomic.Int64
}

func (s *closedShop) Warning(context.Context) (string, error) {
	s.asked.Add(1)
	text, _ := s.shows.Load().(string)
	return text, nil
}

// A shop that accepts products and hides them from visitors is shown as such until it is mended, by
// a worker and after a single run. Its products are live, and reported as a success.
func TestAShopThatVisitorsDoNotSee(t *testing.T) {
	for _, single := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{RestoreRate: 2000})
			shop := &closedShop{Shop: b.Shop}
			b.Tune = func(o *connector.Options) { o.Shop = shop }
			shop.shows.Store("coming soon")
			id := b.Market.AddSound(1)[0]
			warning := func() string {
				s, err := harness.StatusOf(b.Store)
				if err != nil {
					t.Fatal(err)
				}
				return s.Shop.Warning
			}
			again := func() { b.Once(false) }
			if again(); !single {
				c, stop := b.Start()
				defer stop()
				again = func() {}
				warning = func() string {
					s, err := harness.Status(c)
					if err != nil {
						t.Fatal(err)
					}
					return s.Shop.Warning
				}
				time.Sleep(time.Minute)
			}
			if got := warning(); got != "coming soon" {
				t.Errorf("single runs %t: got the warning %q, want coming soon", single, got)
			}
			if got := b.State(id); got != store.StateLive {
				t.Errorf("single runs %t: the publication is %s, want live", single, got)
			}
			if p, _ := b.Market.Publication(id); p.Status != string(store.StatusSuccess) {
				t.Errorf("single runs %t: reported %s, want success", single, p.Status)
			}
			shop.shows.Store("")
			time.Sleep(6 * time.Minute)
			again()
			if got := warning(); got != "" {
				t.Errorf("single runs %t: mended, and yet the warning %q, want none", single, got)
			}
			asked := shop.asked.Load()
			for range 5 {
				time.Sleep(5 * time.Minute)
				again()
			}
			if got := shop.asked.Load(); got != asked {
				t.Errorf(
					"single runs %t: a shop without a warning was asked %d times in 25 minutes, want none",
					single,
					got-asked,
				)
			}
		})
	}
}
