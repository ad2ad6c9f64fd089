// Package woocommerce keeps listings in a WooCommerce shop, 9.6 or later, through its REST API v3. The comments tell
// how WooCommerce 11 behaves.
//
// Each write reads the product and its variations and writes what differs: a draft with its note and its SKU, then
// options, then variations in batches, then texts, pictures and "publish" in one request. A call may end after any
// step, and the next one converges.
//
// WooCommerce cannot search its metadata. So a product is found by its SKU, which stays unique even when two
// requests arrive at the same moment. The note, under the key "_pubsync", says whose the product is and what was
// written last. A copy that the merchant makes carries the note too; the product's id in the note tells them apart.
//
// PHP goes on working when its client is gone. After a write without an answer the adapter reads the variations
// until they stand still, and deletes the younger of a double. PHP writes the status before the price, so a new
// variation on a product on sale stays private until the shop has shown it whole. Its mark says that it waits; the
// merchant switched off a private variation without that mark.
package woocommerce

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/memo"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// Name is the registered name of the adapter.
const Name = "woocommerce"

// believed is how long the shop's settings are used once they are read.
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
	// try asks for each picture from here, and returns errors by address
	try       func(ctx context.Context, addresses []string) map[string]error
	closeIdle func()
}

// patience bounds the wait for work that PHP goes on doing after its caller is gone.
type patience struct {
	step  time.Duration
	steps int
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
	pictures := kit.NewFetcher(string(set.URL), set.ImageHosts)
	c := newClient(string(set.URL), string(set.Key), string(set.Secret), o.HTTPClient, o.Logger)
	a := &adapter{
		client: c, adopts: set.Adopt == "sku", pricing: set.Prices, vat: o.VATPercent, patience: p,
		brands: newTerms(c, "brand", "/products/brands"), try: pictures.TryAll, closeIdle: pictures.Close,
	}
	list, makes := newTerms(c, "category", "/products/categories"), set.MissingCategories == "make"
	a.categories = &categories{list, set.Categories, makes}
	a.shop = memo.New(believed, a.readSettings)
	return a, nil
}

// Close closes idle connections.
func (a *adapter) Close() error {
	a.closeIdle()
	return nil
}

func (a *adapter) called(p product) string {
	return "#" + idText(p.ID) + " «" + a.clean(plain(string(p.Name))) + "»"
}

// first reports whether key is new to this process.
func (c *client) first(key string) bool {
	_, again := c.told.LoadOrStore(key, true)
	return !again
}

// Check reads with the key and writes an empty batch. A WooCommerce that is too old has no brands.
func (a *adapter) Check(ctx context.Context) (is shopadapter.Info, err error) {
	var some list[product]
	err = a.get(ctx, "/products", &some, "per_page", "1", "status", "publish", "_fields", "id,status,permalink")
	if err != nil {
		return is, lasting(err)
	}
	if err = a.writes(ctx); err != nil {
		return is, err
	}
	shop, err := a.shop.Get(ctx, true)
	if err != nil {
		return is, err
	}
	if err = a.brands.open(ctx, askedFor); hasCode(err, codeNoRoute) {
		err = shopadapter.Block("the shop has no brands, which WooCommerce has from 9.6 on: update WooCommerce to 9.6 or " +
			"later").Everywhere()
	}
	if err != nil {
		return is, err
	}
	a.brands.close()
	return shopadapter.Info{
		Currency: shop.currency, Prices: shop.prices, Figures: true, Warning: a.warning(ctx, some),
		Written: a.categories.digest() + shop.units.Weight + shop.units.Length,
	}, nil
}

// comingSoon matches WooCommerce's placeholder page, which has status 200: the sign for caches, or the block.
var comingSoon = regexp.MustCompile(`<meta name=["']woo-coming-soon-page["']|wp-block-woocommerce-coming-soon`)

// warning looks at a product's page as a visitor does, since the placeholder may replace only the shop's pages.
// Without a product it looks at the front page.
func (a *adapter) warning(ctx context.Context, onSale []product) string {
	at := a.base + "/"
	for _, p := range onSale {
		if p.Status == "publish" && strings.HasPrefix(string(p.Link), at) {
			at = string(p.Link)
		}
	}
	page, err := a.send(ctx, a.public, http.MethodGet, at, nil, nil, nil)
	if err != nil || !comingSoon.Match(page.Body) {
		return ""
	}
	return "visitors see WooCommerce's \"coming soon\" page in place of your products: choose Live in WooCommerce > " +
		"Settings > Site visibility"
}
