// Package shopify keeps listings in a Shopify store through the Admin GraphQL API. Publish lists the requests of a
// write.
//
// The metafield pubsync.publication holds the publication's key. The first write defines it with Shopify's type id,
// which makes it unique in the store: productSet with this custom id makes the product, or finds the one that an
// earlier call with a lost answer made. SKU and handle do not count. A merchant's duplicate lacks the key and is
// the merchant's. A product whose key was cleared is Blocked until a person takes it back, if State or note show
// that it is ours.
//
// The metafield pubsync.stamp holds the note: a hash of each text group as last written. It is written with the
// texts, before variants, pictures and translations; so it also holds what these may still be. productSet deletes
// what a list does not name: options and variants are always sent whole, and texts, tags and metafields of an
// existing product go through productUpdate.
//
// A variant's metafield pubsync.variant holds the marketplace's id; a renamed variant keeps its Shopify id.
//
// Stock is the quantity available at one location. Another LOCATION does not move stock: products that are not
// stocked there are blocked.
//
// Shopify charges requests points from a bucket. The adapter reserves what a request may cost, so refusals are
// rare.
package shopify

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
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
	address, token := cmp.Or(string(set.URL), "https://"+string(set.Store)+".myshopify.com"), string(set.Token)
	address = strings.TrimRight(address, "/") + "/admin/api/" + apiVersion + "/graphql.json"
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

// apiVersion is the version that the documents are written for.
const apiVersion = "2026-07"

type settings struct {
	Store      store                  `env:"STORE, required" meaning:"the store's permanent address, my-shop.myshopify.com, or its first part alone"`
	Token      shopadapter.Token      `env:"TOKEN, required" secret:"true" meaning:"the Admin API access token of a custom app in that store"`
	URL        shopadapter.URL        `env:"URL" meaning:"scheme and host to send requests to instead of the store's own, for a proxy"`
	Location   string                 `env:"LOCATION" meaning:"name or id of the location that holds the stock; the store's primary location when empty"`
	ImageHosts kit.Hosts              `env:"IMAGE_HOSTS" meaning:"host[:port] list, joined by commas, that pictures may be fetched from although the address is private"`
	Prices     shopadapter.PricesMode `env:"PRICES, default=auto" oneof:"auto,gross,net" meaning:"how prices are entered: gross, net (divided by 1 + PUBSYNC_PRICE_VAT_PERCENT), or auto: net where the store's prices do not include taxes (Settings, Taxes and duties)"`
	Channel    string                 `env:"PUBLICATION, default=Online Store" meaning:"name of the sales channel to publish to"`
}

var storeName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// A store is a store's permanent name, read from any address that a merchant meets.
type store string

func (s *store) EnvDecode(_ context.Context, value string) error {
	name := strings.ToLower(strings.TrimSpace(value))
	name = strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://")
	name = strings.TrimPrefix(name, "admin.shopify.com/store/")
	name, _, _ = strings.Cut(name, "/")
	name = strings.TrimSuffix(name, ".myshopify.com")
	*s = store(name)
	if !storeName.MatchString(name) {
		return errors.New("must be the store's permanent name, for example my-shop.myshopify.com: it is under Settings, " +
			"Domains in Shopify")
	}
	return nil
}
