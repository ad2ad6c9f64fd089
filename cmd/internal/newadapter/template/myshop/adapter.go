// Package myshop publishes to myshop. It speaks to the toy shop: replace what you find in
// client.go, product.go, variant.go, withdraw.go and observe.go by your shop's API. The order of
// the steps, the merchant's edits and what may fail where are the skeleton's; go doc of its package
// has the table.
package myshop

import (
	"context"
	"net/http"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
)

// Name is the value of PUBSYNC_SHOP_ADAPTER that selects this adapter.
const Name = "myshop"

func init() {
	shopadapter.Register(Name, shopadapter.Factory{
		Summary:  "myshop, over its API",
		Settings: settings{},
		Open: func(o shopadapter.Options) (shopadapter.Adapter, error) {
			var set settings
			o, err := o.Complete(Name, &set)
			if err != nil {
				return nil, err
			}
			return &adapter{
				client: o.HTTPClient,
				base:   strings.TrimRight(string(set.URL), "/"),
				token:  string(set.Token),
			}, nil
		},
	})
}

// settings are the environment variables of the adapter, PUBSYNC_MYSHOP_URL and
// PUBSYNC_MYSHOP_TOKEN.
type settings struct {
	URL   shopadapter.URL   `env:"URL, default=http://127.0.0.1:9470" meaning:"address of the shop"`
	Token shopadapter.Token `env:"TOKEN, required" secret:"true" meaning:"token of the shop's API"`
}

type adapter struct {
	client      *http.Client
	base, token string
}

// Publish makes the shop's product equal to p and puts it on sale, in the order of package
// skeleton: find, draft, variants, pictures, texts, on sale. Where the figures of p alone are known, it
// writes price and stock and nothing else.
func (a *adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	return skeleton.Publish(ctx, ref, p, changed, a.open)
}

// Check asks the shop who it takes us for. Say in Info which currency your shop sells in, and
// whether it adds tax to prices (shopadapter.ChoosePrices), where it tells.
func (a *adapter) Check(ctx context.Context) (shopadapter.Info, error) {
	return shopadapter.Info{Figures: true}, a.call(ctx, http.MethodGet, "/api/me", nil, nil)
}
