package worker_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A lastShop does what it is asked, and while it has a process to end it ends that before its
// answer.
type lastShop struct {
	harness.RestockingShop
	kill context.CancelFunc // nil: nothing ends
	deaf bool               // it does nothing before that
}

func (s *lastShop) end(ctx context.Context, l shopadapter.Listing, err error) (shopadapter.Listing, error) {
	if s.kill == nil {
		return l, err
	}
	s.kill()
	<-ctx.Done()
	return shopadapter.Listing{}, ctx.Err()
}

func (s *lastShop) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (l shopadapter.Listing, err error) {
	if !s.deaf {
		l, err = s.RestockingShop.Publish(ctx, ref, p, changed)
	}
	return s.end(ctx, l, err)
}

func (s *lastShop) Restock(
	ctx context.Context, ref shopadapter.Ref, figures []shopadapter.Figures, changed shopadapter.Fields,
) (l shopadapter.Listing, err error) {
	if !s.deaf {
		l, err = s.RestockingShop.Restock(ctx, ref, figures, changed)
	}
	return s.end(ctx, l, err)
}

// A price is judged by the one last settled and by the one of an attempt whose answer was lost with
// the process, and what stays while it is held is the price of that attempt, whichever of the two
// the shop shows.
func TestThePriceBrakeKnowsAnOpenAttempt(t *testing.T) {
	for _, tt := range []struct {
		name         string
		first        string // settled; "" for a product whose first attempt is the lost one
		sent, then   string
		held         bool
		shown        string // after the run that meets then
		from, reason string
	}{
		{
			"too far from the settled one", "20.00", "26.00", "32.00", true, "26.00", "20.00",
			"26.00 was let through before, and stays",
		},
		{"too far from the one sent", "20.00", "11.00", "30.00", true, "11.00", "11.00", "from 11.00 to 30.00"},
		{"too far from both", "20.00", "26.00", "90.00", true, "26.00", "26.00", "from 26.00 to 90.00"},
		{"near both", "20.00", "26.00", "28.00", false, "28.00", "", ""},
		{"taken back", "20.00", "26.00", "20.00", false, "20.00", "", ""},
		{"as it was sent", "20.00", "26.00", "26.00", false, "26.00", "", ""},
		{"the first one, and far from that", "", "20.00", "31.00", true, "20.00", "20.00", "from 20.00 to 31.00"},
	} {
		for name, o := range map[string]struct{ figures, deaf bool }{
			"": {}, ", by figures": {figures: true}, ", which the shop never had": {deaf: true},
		} {
			if o.figures && tt.first == "" {
				continue // figures are of what is on sale
			}
			t.Run(tt.name+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					b := harness.New(t, sandbox.Options{RestoreRate: 2000})
					shop := &lastShop{RestockingShop: harness.RestockingShop{Shop: b.Shop}}
					b.Tune = func(p *connector.Options) { p.Shop, p.Scarce = shop, func() bool { return o.figures } }
					set := func(id, msrp string) {
						if err := b.Market.SetPrice(id, "", "5.00", msrp); err != nil {
							t.Fatal(err)
						}
					}
					id := b.Market.Add(sandbox.Publication{Listing: harness.OneVariant("5.00", tt.sent, 5)})[0]
					if tt.first != "" {
						set(id, tt.first)
						b.Once(false)
						set(id, tt.sent)
					}
					ctx, kill := context.WithCancel(t.Context())
					shop.kill, shop.deaf = kill, o.deaf
					time.Sleep(time.Second)
					if _, err := b.Connector().Once(ctx, desk.RunOptions{Patience: time.Minute}); err == nil {
						t.Fatal("the process did not end: got no error, want one")
					}
					shop.kill, shop.deaf = nil, false
					if r := b.Record(id); !r.Open || len(r.Sent) != 1 || r.Sent[0].Price != tt.sent {
						t.Fatalf("the record knows of %+v, want the attempt at %s", r.Sent, tt.sent)
					}
					if restocked := b.Shop.Count("restock") > 0; restocked != o.figures {
						t.Fatalf("written by figures: %t, want %t", restocked, o.figures)
					}
					e, err := harness.Explain(b.Store, publication.Rules{}, id)
					if err != nil {
						t.Fatal(err)
					}
					if tt.first != "" {
						steps, was := strings.Join(e.Variants[0].Steps, "\n"), tt.sent+" was sent since"
						if !strings.Contains(steps, was) {
							t.Errorf("explain tells %q, want %q", steps, was)
						}
					}

					set(id, tt.then)
					for _, how := range []string{"a run", "the next look"} {
						if wrong := harness.PlanLaw(t.Context(), b, how == "the next look"); wrong != "" {
							t.Error(wrong)
						}
						r, state := b.Record(id), store.StateLive
						if tt.held {
							state = store.StateHeld
						}
						if p, _ := b.Shop.Get(id); len(p.Variants) != 1 || p.Variants[0].Price != tt.shown {
							t.Fatalf("%s: shown is %+v, want one variant at %s", how, p.Variants, tt.shown)
						}
						if r.State != state {
							t.Fatalf("%s: it is %s, want %s", how, r.State, state)
						}
						if len(r.Sent) > 0 || r.Open {
							t.Fatalf("%s: sent %+v, open %t, want no attempt open", how, r.Sent, r.Open)
						}
						if tt.held && (r.Holds[0].Old != tt.from || r.Holds[0].New != tt.then ||
							!strings.Contains(r.Holds[0].Reason, tt.reason)) {
							t.Errorf("%s: held is %+v, want from %s", how, r.Holds, tt.from)
						}
					}
					if !tt.held {
						return
					}
					if err := harness.Approve(b.Store, id); err != nil {
						t.Fatal(err)
					}
					b.Once(false)
					if p, _ := b.Shop.Get(id); p.Variants[0].Price != tt.then || b.State(id) != store.StateLive {
						t.Errorf(
							"approved: %s at %s, want %v and state %v",
							b.State(id),
							p.Variants[0].Price,
							tt.then,
							store.StateLive,
						)
					}
				})
			})
		}
	}
}
