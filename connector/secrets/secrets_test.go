package secrets

import (
	"context"
	"log/slog"
	"slices"
	"testing"

	"go.uber.org/goleak"

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

// A source gives each of its sets once.
type source struct{ sets []Set }

func (s *source) read() (fresh Set) {
	if len(s.sets) > 0 {
		fresh, s.sets = s.sets[0], s.sets[1:]
	}
	return fresh
}

type adapter struct{ shopadapter.Adapter }

func newKeeper(first Set, s *source) (k *Keeper, renewed *[]string) {
	renewed = &[]string{}
	return New(Options{
		First: first, Read: s.read, Market: &token{"old"}, Log: slog.New(slog.DiscardHandler),
		ShopRenewed:  func(context.Context) { *renewed = append(*renewed, "shop") },
		TokenRenewed: func(context.Context) { *renewed = append(*renewed, "token") },
	}), renewed
}

// A listener takes a new secret in the place of an old one, and none where it had none: its paths
// are opened at the start.
func TestListenersTakeNewSecrets(t *testing.T) {
	s := &source{sets: []Set{{WebhookSecret: "new", PathToken: "new", AdminToken: "new"}, {}}}
	k, _ := newKeeper(Set{WebhookSecret: "old", AdminToken: "old"}, s)
	for range 2 {
		k.Reread(t.Context())
		if got := k.Get(); got.WebhookSecret != "new" || got.AdminToken != "new" || got.PathToken != "" {
			t.Errorf("got %+v, want the new webhook secret and admin token, and no path token", got)
		}
	}
}

// New credentials are told of, and no others.
func TestNewCredentials(t *testing.T) {
	for _, tt := range []struct {
		name    string
		fresh   Set
		renewed []string
	}{
		{"nothing", Set{}, nil},
		{"the token in use", Set{MarketplaceToken: "old"}, nil},
		{"a token", Set{MarketplaceToken: "new"}, []string{"token"}},
		{"a shop", Set{Shop: &adapter{}}, []string{"shop"}},
	} {
		k, renewed := newKeeper(Set{Shop: &adapter{}}, &source{sets: []Set{tt.fresh}})
		if got := k.Reread(t.Context()); got != (tt.name == "a token") || !slices.Equal(*renewed, tt.renewed) {
			t.Errorf("%s: got a new token %t, and %q called, want %q", tt.name, got, *renewed, tt.renewed)
		}
		if tt.fresh.Shop != nil && k.Get().Shop != tt.fresh.Shop {
			t.Errorf("%s: got the old adapter, want the new one", tt.name)
		}
	}
}
