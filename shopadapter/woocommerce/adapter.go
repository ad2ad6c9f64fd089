package woocommerce

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/imagehost"
	"github.com/pubsync/pubsync/shopadapter/internal/memo"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// Name is what the adapter is registered as.
const Name = "woocommerce"

// believed is how long what the shop said of its taxes and units is used.
const believed = 10 * time.Minute

type adapter struct {
	*client
	adopts     bool
	pricing    shopadapter.PricesMode
	vat        string
	patience   patience
	categories *categories
	brands     *terms
	shop       *memo.Memo[shopSettings]
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
	c := newClient(string(set.URL), string(set.Key), string(set.Secret), o.HTTPClient, o.Logger)
	a := &adapter{
		client: c, adopts: set.Adopt == "sku", pricing: set.Prices, vat: o.VATPercent, patience: p,
		brands: newTerms(c, "brand", "/products/brands", p.step),
		try:    pictures.TryAll, closeIdle: pictures.Close,
	}
	a.categories = &categories{
		terms: newTerms(c, "category", "/products/categories", p.step), mapping: mapping,
		makes: set.MissingCategories == "make",
	}
	a.shop = memo.New(believed, a.readSettings)
	return a, nil
}

// Close lets go of idle connections.
func (a *adapter) Close() error {
	a.closeIdle()
	return nil
}

// called is what the merchant knows a product by.
func (a *adapter) called(p product) string {
	return "#" + idText(p.ID) + " «" + a.clean(plain(string(p.Name))) + "»"
}

// warn tells the merchant something, once for the process.
func (c *client) warn(key, text string, facts ...slog.Attr) {
	if _, again := c.told.LoadOrStore(key, true); !again {
		c.logger.LogAttrs(context.Background(), slog.LevelWarn, text, facts...)
	}
}
