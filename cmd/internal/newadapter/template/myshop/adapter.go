// Package myshop publishes to myshop. It speaks to the toy shop: replace what you find in client.go,
// product.go, publish.go and list.go by your shop's API.
package myshop

import (
	"context"
	"net/http"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// Name is the value of PUBSYNC_SHOP_ADAPTER that selects this adapter.
const Name = "myshop"

func init() {
	shopadapter.Register(Name, shopadapter.Factory{Summary: "myshop, over its API", Settings: settings{}, Open: open})
}

// settings are the environment variables of the adapter, PUBSYNC_MYSHOP_URL and
// PUBSYNC_MYSHOP_TOKEN.
type settings struct {
	URL   shopadapter.URL   `env:"URL, default=http://127.0.0.1:9470" meaning:"address of the shop"`
	Token shopadapter.Token `env:"TOKEN, required" secret:"true" meaning:"token of the shop's API"`
}

type adapter struct {
	wire *wire.Client
	base string
}

func open(o shopadapter.Options) (shopadapter.Adapter, error) {
	var set settings
	o, err := o.Complete(Name, &set)
	if err != nil {
		return nil, err
	}
	base, token := strings.TrimRight(string(set.URL), "/"), string(set.Token)
	return &adapter{base: base, wire: wire.New(wire.Options{
		Endpoint: base, Peer: "the shop", Transport: o.HTTPClient.Transport, Timeout: o.HTTPClient.Timeout,
		Authorize: func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) },
		Secrets:   func() []string { return []string{token} },
	})}, nil
}

// Check asks the shop who it takes us for. Say in Info which currency your shop sells in, and
// whether it adds tax to prices (shopadapter.ChoosePrices), where it tells.
func (a *adapter) Check(ctx context.Context) (shopadapter.Info, error) {
	return shopadapter.Info{Figures: true}, a.call(ctx, http.MethodGet, "/api/me", nil, nil)
}

// Close lets go of idle connections.
func (a *adapter) Close() error { return a.wire.Close() }
