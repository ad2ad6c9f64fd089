package shopify

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	graphql "github.com/hasura/go-graphql-client"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/exchange"
	"github.com/pubsync/pubsync/shopadapter/internal/imagehost"
	"github.com/pubsync/pubsync/shopadapter/internal/memo"
	"github.com/pubsync/pubsync/shopadapter/pace"
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
	store       string // the permanent name, without .myshopify.com
	token       string
	location    string                 // the setting; "": the primary location
	publication string                 // the setting
	pricing     shopadapter.PricesMode // the setting PRICES
	vat         string                 // shopadapter.Options.VATPercent

	graph  *graphql.Client
	pacer  *pace.Pacer
	costs  *costs
	shop   *memo.Memo[*shop]
	prices *memo.Memo[pricing]
	told   atomic.Bool // that translations are left out
	waits  []time.Duration
	try    func(ctx context.Context, addresses []string) map[string]error // fetch.Client.TryAll
	close  func()
	logger *slog.Logger
}

var _ shopadapter.Adapter = (*Adapter)(nil)

// Name is the name under which the adapter is registered.
const Name = "shopify"

// Open makes the adapter from the settings that Register announces. It makes no request.
func Open(o shopadapter.Options) (*Adapter, error) {
	var set settings
	o, err := o.Complete(Name, &set)
	if err != nil {
		return nil, err
	}
	address := endpoint(string(set.URL), string(set.Store))
	images := imagehost.Open(address, set.ImageHosts, 0)
	a := &Adapter{
		store:       string(set.Store),
		token:       string(set.Token),
		location:    set.Location,
		publication: set.Channel,
		pricing:     set.Prices,
		vat:         o.VATPercent,
		graph:       graphql.NewClient(address, exchange.Client(o.HTTPClient, authorize(string(set.Token)))),
		pacer:       pace.New(pace.Options{Headroom: headroom}),
		costs:       newCosts(),
		waits:       mediaWaits(),
		try:         images.TryAll,
		close:       images.Close,
		logger:      o.Logger,
	}
	a.shop, a.prices = memo.New(shopAge, a.readShop), memo.New(shopAge, a.readPrices)
	return a, nil
}

// Close lets go of idle connections.
func (a *Adapter) Close() error {
	a.close()
	return nil
}
