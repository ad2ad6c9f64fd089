package connector_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// A token of another account ends the worker: the store belongs to one.
func TestATokenOfAnotherAccountEndsTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		b.Market.AddSound(1)
		other := sandbox.New(sandbox.Options{Token: "another-account", Account: "another-retailer"})
		defer other.Close()
		other.AddSound(1)
		files := make(chan connector.Secrets, 1)
		b.Tune = func(o *connector.Options) {
			o.Reread = func() (fresh connector.Secrets) {
				select {
				case fresh = <-files:
				default:
				}
				return fresh
			}
			o.Marketplace = harness.Client(either{b.Market.Transport(), other.Transport()})
		}
		c := b.Connector()
		done := make(chan error, 1)
		go func() { done <- c.Run(context.WithoutCancel(t.Context()), connector.Listeners{}) }()
		time.Sleep(time.Minute)
		files <- connector.Secrets{MarketplaceToken: "another-account"}
		time.Sleep(5 * time.Minute)
		if err := <-done; !errors.Is(err, store.ErrAccount) {
			t.Errorf("the worker ends with %v, want ErrAccount", err)
		}
		if n := len(other.Reports()); n != 0 {
			t.Errorf("%d reports to the other account, want 0", n)
		}
	})
}

// either is a marketplace with two accounts.
type either struct{ one, other http.RoundTripper }

func (e either) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Authorization") == "Bearer another-account" {
		return e.other.RoundTrip(r)
	}
	return e.one.RoundTrip(r)
}
