package woocommerce

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/fetch"
	"github.com/pubsync/pubsync/shopadapter/internal/imagehost"
	"github.com/pubsync/pubsync/shopadapter/internal/memo"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/brand"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/category"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// Name is the name under which the adapter is registered.
const Name = "woocommerce"

func init() {
	shopadapter.Register(Name, shopadapter.Factory{
		Drafts:   true,
		Summary:  "WooCommerce, through its REST API v3",
		Settings: settings{},
		Open: func(o shopadapter.Options) (shopadapter.Adapter, error) {
			return open(o, patience{step: 2 * time.Second, steps: 15})
		},
	})
}

// An adapter is the map from publications to products of one shop. What it holds besides the
// settings are caches: any of it may be lost.
type adapter struct {
	*rest.Client
	pricing    shopadapter.PricesMode // the setting PRICES
	vat        string                 // shopadapter.Options.VATPercent
	adopting   bool                   // a product of the merchant's own with our SKU is taken over
	logger     *slog.Logger
	categories *category.Finder
	brands     *brand.Finder
	leftovers  *leftovers
	prices     *memo.Memo[shopadapter.Prices]
	units      *memo.Memo[shopadapter.Units] // that the shop has weight and size in
	warning    *memo.Memo[string]            // see readWarning
	told       sync.Map                      // what was warned of, see first
	patience   patience
	try        func(ctx context.Context, addresses []string) map[string]error // fetch.Client.TryAll
	closeIdle  func()
}

// patience is how the adapter waits for a shop that is still at work on a request whose caller is
// gone: in steps, so many at the most.
type patience struct {
	step     time.Duration
	steps    int
	pictures time.Duration // what all pictures of a write have together; 0: fetch.TogetherTimeout
}

func (p patience) whole() time.Duration { return p.step * time.Duration(p.steps) }

var _ shopadapter.Adapter = (*adapter)(nil)

func open(o shopadapter.Options, p patience) (*adapter, error) {
	var set settings
	o, err := o.Complete(Name, &set)
	if err != nil {
		return nil, err
	}
	mapping, err := category.ReadMapping(set.Categories, set.CategoriesFile)
	if err != nil {
		return nil, err
	}
	base, key, secret := string(set.URL), string(set.Key), string(set.Secret)
	pictures := imagehost.Open(base, set.ImageHosts, 0)
	p.pictures = cmp.Or(p.pictures, fetch.TogetherTimeout)
	a := &adapter{
		Client: rest.New(base, key, secret, o.HTTPClient), adopting: set.Adopt == "sku",
		pricing: set.Prices, vat: o.VATPercent, logger: o.Logger, patience: p,
		try: pictures.TryAll, closeIdle: pictures.Close,
	}
	a.categories = category.New(a.Client, mapping, set.MissingCategories == category.Made, p.step, o.Logger)
	a.brands = brand.New(a.Client, o.Logger)
	a.leftovers = newLeftovers(a)
	a.prices = memo.New(pricesAge, a.readPrices)
	a.units = memo.New(pricesAge, a.readUnits)
	a.warning = memo.New(warningAge, a.readWarning)
	return a, nil
}

// Close lets go of idle connections.
func (a *adapter) Close() error {
	a.closeIdle()
	return nil
}
