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

// An Adapter keeps the products of one Shopify store.
type Adapter struct {
	set   settings
	vat   string // percent
	wire  *wire.Client
	pacer *pace.Pacer
	shop  *memo.Memo[*shop]
	// between looks at pictures that the shop still fetches
	waits  []time.Duration
	try    func(ctx context.Context, addresses []string) map[string]error
	close  func()
	logger *slog.Logger
}

// Name is the adapter's registered name.
const Name = "shopify"

// Open makes the adapter from its settings, without a request.
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

// Close closes idle connections.
func (a *Adapter) Close() error {
	a.close()
	return a.wire.Close()
}

func (a *Adapter) clean(text string) string { return a.wire.Clean(text) }
