package secrets

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/shopadapter"
)

// However readings overlap, what the last one read is taken into use last; a plugin that panics as it is
// opened keeps no later reading out.
func TestReadingsOverlap(t *testing.T) {
	reads, used, done := 0, 0, make(chan struct{})
	var k *Keeper
	k = New(Set{}, func() Set {
		if reads++; reads == 1 {
			panic("a plugin's Open")
		}
		return Set{}
	}, func(context.Context, Set) bool {
		read := reads
		if read == 2 { // the next reading begins before this one's secrets are in use
			go func() { defer close(done); k.Reread(t.Context()) }()
			select {
			case <-done:
			case <-time.After(20 * time.Millisecond):
			}
		}
		used = read
		return true
	})
	func() {
		defer func() { _ = recover() }() //nolint:errcheck // the panic is the test's own
		k.Reread(t.Context())
	}()
	k.Reread(t.Context())
	if <-done; reads != 3 || used != 3 {
		t.Errorf("got the secrets of reading %d in use after %d, want those of the third", used, reads)
	}
}

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
