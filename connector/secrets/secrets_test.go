package secrets

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/shopadapter"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A token is the marketplace's client as far as a Keeper knows it.
type token struct{ now string }

func (k *token) SetToken(t string) bool {
	changed := t != "" && t != k.now
	if changed {
		k.now = t
	}
	return changed
}

// A source gives each of its sets once, and counts the readings.
type source struct {
	sets  []Set
	reads []time.Time
}

func (s *source) read() (fresh Set) {
	s.reads = append(s.reads, time.Now())
	if len(s.sets) > 0 {
		fresh, s.sets = s.sets[0], s.sets[1:]
	}
	return fresh
}

type adapter struct{ shopadapter.Adapter }

func newKeeper(first Set, s *source) (k *Keeper, market, shop *breaker.Breaker, renewed *[]string) {
	renewed = &[]string{}
	o := breaker.Options{
		Side: breaker.Marketplace, Log: slog.New(slog.DiscardHandler),
		Most:   func() time.Duration { return breaker.MaxPause },
		Failed: func(string, string) {}, Mended: func(...string) {},
	}
	market = breaker.New(o)
	o.Side, o.Checked = breaker.Shop, true
	shop = breaker.New(o)
	return New(Options{
		First: first, Read: s.read, Market: &token{"old"}, BeforeMarketplace: market, BeforeShop: shop,
		Log:          slog.New(slog.DiscardHandler),
		ShopRenewed:  func(context.Context) { *renewed = append(*renewed, "shop") },
		TokenRenewed: func(context.Context) { *renewed = append(*renewed, "token") },
	}), market, shop, renewed
}

// A listener takes a new secret in the place of an old one, and none where it had none: its paths
// are opened at the start.
func TestListenersTakeNewSecrets(t *testing.T) {
	s := &source{sets: []Set{{WebhookSecret: "new", PathToken: "new", AdminToken: "new"}, {}}}
	k, _, _, _ := newKeeper(Set{WebhookSecret: "old", AdminToken: "old"}, s)
	for range 2 {
		k.Reread(t.Context())
		if got := k.Get(); got.WebhookSecret != "new" || got.AdminToken != "new" || got.PathToken != "" {
			t.Errorf("got %+v, want the new webhook secret and admin token, and no path token", got)
		}
	}
}

// New credentials end the pause of the side that refused the old ones, and of no other.
func TestNewCredentialsEndTheirPause(t *testing.T) {
	refusal := breaker.Verdict{Wide: true, Refused: true, Reason: "refused"}
	for _, tt := range []struct {
		name         string
		fresh        Set
		market, shop bool // open afterwards
		renewed      string
	}{
		{"nothing", Set{}, true, true, ""},
		{"the token in use", Set{MarketplaceToken: "old"}, true, true, ""},
		{"a token", Set{MarketplaceToken: "new"}, false, true, "token"},
		{"a shop", Set{Shop: &adapter{}}, true, false, "shop"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k, market, shop, renewed := newKeeper(Set{Shop: &adapter{}}, &source{sets: []Set{tt.fresh}})
				market.Judge("", refusal)
				shop.Judge("", refusal)
				raised := k.Renewed().Raised()
				if got := k.Reread(t.Context()); got != (tt.renewed == "token") {
					t.Errorf("got a new token %t, want %t", got, tt.renewed == "token")
				}
				if m, s := market.Status(time.Now()).Open, shop.Status(time.Now()).Open; m != tt.market ||
					s != tt.shop {
					t.Errorf("got marketplace open %t, shop open %t, want %t, %t", m, s, tt.market, tt.shop)
				}
				if tt.renewed == "" && len(*renewed) > 0 ||
					tt.renewed != "" && (len(*renewed) != 1 || (*renewed)[0] != tt.renewed) {
					t.Errorf("got %q called, want %q", *renewed, tt.renewed)
				}
				select {
				case <-raised:
					if tt.renewed != "token" {
						t.Error("got the signal of a new token, want none")
					}
				default:
					if tt.renewed == "token" {
						t.Error("got no signal of a new token, want one")
					}
				}
				if tt.fresh.Shop != nil && k.Shop() != tt.fresh.Shop {
					t.Error("got the old adapter, want the new one")
				}
			})
		})
	}
}
