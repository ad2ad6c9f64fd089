package woocommerce

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/imagehost"
	"github.com/pubsync/pubsync/shopadapter/internal/memo"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// Name is what the adapter is registered as.
const Name = "woocommerce"

const (
	// perPage is the most that the API lists at a time.
	perPage = 100
	// believed is how long what the shop said of its taxes and units is used.
	believed = 10 * time.Minute
)

type adapter struct {
	*client
	adopting   bool
	pricing    shopadapter.PricesMode
	vat        string
	logger     *slog.Logger
	patience   patience
	categories *categories
	brands     *terms
	shop       *memo.Memo[shopSettings]
	told       sync.Map // what was said once for the process
	// try asks for each picture from here, and says which cannot be had
	try       func(ctx context.Context, addresses []string) map[string]error
	closeIdle func()
}

// patience is how long the adapter waits for what the shop goes on doing after a request whose
// caller is gone: in steps, so many at the most.
type patience struct {
	step     time.Duration
	steps    int
	pictures time.Duration // what all pictures of a write have together; 0: kit.PicturesTime
}

func init() {
	shopadapter.Register(Name, shopadapter.Factory{
		Summary:  "WooCommerce, through its REST API v3",
		Settings: settings{},
		Drafts:   true,
		Open: func(o shopadapter.Options) (shopadapter.Adapter, error) {
			return open(o, patience{step: 2 * time.Second, steps: 15})
		},
	})
}

func open(o shopadapter.Options, p patience) (*adapter, error) {
	var set settings
	o, err := o.Complete(Name, &set)
	if err != nil {
		return nil, err
	}
	mapping, err := readMapping(set.Categories, set.CategoriesFile)
	if err != nil {
		return nil, err
	}
	pictures := imagehost.Open(string(set.URL), set.ImageHosts, 0)
	p.pictures = cmp.Or(p.pictures, kit.PicturesTime)
	a := &adapter{
		client:   newClient(string(set.URL), string(set.Key), string(set.Secret), o.HTTPClient),
		adopting: set.Adopt == "sku", pricing: set.Prices, vat: o.VATPercent, logger: o.Logger, patience: p,
		try: pictures.TryAll, closeIdle: pictures.Close,
	}
	a.categories = &categories{
		terms:   newTerms(a.client, "category", "/products/categories", p.step, o.Logger),
		mapping: mapping, makes: set.MissingCategories == makeMissing,
	}
	a.brands = newTerms(a.client, "brand", "/products/brands", p.step, o.Logger)
	a.shop = memo.New(believed, a.readSettings)
	return a, nil
}

// Close lets go of idle connections.
func (a *adapter) Close() error {
	a.closeIdle()
	return nil
}

// first reports whether it is asked for a key for the first time.
func (a *adapter) first(key string) bool {
	_, again := a.told.LoadOrStore(key, true)
	return !again
}

// called is what the merchant knows a product by.
func (a *adapter) called(p product) string {
	return "#" + idText(p.ID) + " «" + a.clean(plain(string(p.Name))) + "»"
}
