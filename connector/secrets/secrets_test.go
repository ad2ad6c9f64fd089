package secrets

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A listener takes a new secret in the place of an old one, and none where it had none: its paths
// are opened at the start. A new adapter of the shop takes the place of the old one.
func TestReread(t *testing.T) {
	type adapter struct{ shopadapter.Adapter }
	shop := &adapter{}
	for _, fresh := range []Set{
		{WebhookSecret: "new", PathToken: "new", AdminToken: "new"}, {}, {MarketplaceToken: "new"}, {Shop: shop},
	} {
		k := New(Set{WebhookSecret: "old", AdminToken: "old", Shop: &adapter{}}, func() Set { return fresh },
			func(_ context.Context, got Set) bool { return got == fresh && got.MarketplaceToken != "" })
		want := "old"
		if fresh.WebhookSecret != "" {
			want = "new"
		}
		if token := k.Reread(t.Context()); token != (fresh.MarketplaceToken != "") {
			t.Errorf("%+v: a new token: got %t", fresh, token)
		}
		if got := k.Get(); got.WebhookSecret != want || got.AdminToken != want || got.PathToken != "" ||
			(fresh.Shop != nil) != (got.Shop == fresh.Shop) {
			t.Errorf("%+v: got %+v in use, want %s secrets and no path token", fresh, got, want)
		}
	}
}
