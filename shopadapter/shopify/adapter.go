package shopify

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/memo"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/pace"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

func init() {
	shopadapter.Register(Name, shopadapter.Factory{
		Drafts:   true,
		Summary:  "Shopify, through the Admin GraphQL API",
		Settings: settings{},
		Open:     func(o shopadapter.Options) (shopadapter.Adapter, error) { return Open(o) },
	})
}

// An Adapter is the map from publications to products of one Shopify store.
type Adapter struct {
	set   settings
	vat   string // shopadapter.Options.VATPercent
	wire  *wire.Client
	pacer *pace.Pacer
	shop  *memo.Memo[*shop]
	// waits are the pauses between looks at pictures that the shop is still fetching
	waits  []time.Duration
	try    func(ctx context.Context, addresses []string) map[string]error // kit.Fetcher.TryAll
	close  func()
	logger *slog.Logger
}

// Name is the name under which the adapter is registered.
const Name = "shopify"

// Open makes the adapter from the settings that Register announces. It makes no request.
func Open(o shopadapter.Options) (*Adapter, error) {
	var set settings
	o, err := o.Complete(Name, &set)
	if err != nil {
		return nil, err
	}
	address, token := endpoint(string(set.URL), string(set.Store)), string(set.Token)
	images := kit.NewFetcher(address, set.ImageHosts)
	a := &Adapter{
		set: set, vat: o.VATPercent,
		wire: wire.New(wire.Options{
			Endpoint: address, Peer: "the shop", UserAgent: "pubsync",
			Transport: o.HTTPClient.Transport, Timeout: o.HTTPClient.Timeout,
			Authorize: func(r *http.Request) { r.Header.Set("X-Shopify-Access-Token", token) },
			Secrets:   func() []string { return []string{token} },
		}),
		pacer: pace.New(headroom),
		waits: []time.Duration{2 * time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second},
		try:   images.TryAll, close: images.Close, logger: o.Logger,
	}
	a.shop = memo.New(shopAge, a.readShop)
	return a, nil
}

// Close lets go of idle connections.
func (a *Adapter) Close() error {
	a.close()
	return a.wire.Close()
}

// clean makes a text from the shop fit to be shown: one line, of bounded length, without the token.
func (a *Adapter) clean(text string) string { return a.wire.Clean(text) }
