package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// IsApp reports whether pubsync is configured as a public app.
func (c *Config) IsApp() bool {
	return c.OAuthClientID != "" || c.OAuthClientSecret != "" || c.OAuthAuthURL != ""
}

// check finds settings that contradict each other, and those that the command needs and lacks.
func (c *Config) check(p Purpose) {
	if p == ToPlan || p == ToRunOnce || p == ToRun {
		c.need("MARKETPLACE_URL", "the address of the marketplace's API")
		if !c.IsApp() {
			c.need("MARKETPLACE_TOKEN", "a token from the API page of your marketplace account")
		}
		c.need("SHOP_ADAPTER", "one of "+strings.Join(shopadapter.Names(), ", "))
	}
	if c.AdminListen != "" && !c.AdminListen.loopback() {
		c.need("ADMIN_TOKEN", "PUBSYNC_ADMIN_LISTEN is not on loopback")
		const guessable = 16 // characters below which somebody may find it
		if n := len(c.AdminToken); n > 0 && n < guessable {
			c.warn("PUBSYNC_ADMIN_TOKEN is short: whoever reaches PUBSYNC_ADMIN_LISTEN may try one after the other")
		}
	}
	if len(c.ShopSKUPrefix) > 30 {
		c.fault("SHOP_SKU_PREFIX", "is longer than 30 characters")
	}
	if c.PriceShipping != "off" && c.ShippingCountry == "" {
		c.need("SHIPPING_COUNTRY", "PUBSYNC_PRICE_SHIPPING puts the supplier's costs of sending there into prices")
	}
	theirs, ours := string(c.ShopCurrency), string(c.MarketplaceCurrency)
	if shopadapter.SameCurrency(theirs, ours) != nil {
		c.fault("SHOP_CURRENCY", "says that %s", shopadapter.CurrenciesDiffer(theirs, ours))
	}
}

func (c *Config) checkWebhook(p Purpose) {
	if c.WebhookListen != "" && c.WebhookSecret == "" && c.WebhookPathToken == "" && c.Account == "" {
		c.fault("WEBHOOK_LISTEN", "needs PUBSYNC_WEBHOOK_SECRET or PUBSYNC_WEBHOOK_PATH_TOKEN")
	}
	if strings.ContainsAny(c.WebhookPathToken, "/?#% ") {
		c.fault("WEBHOOK_PATH_TOKEN",
			"has a character that does not stand in one part of a path: use letters and digits")
	}
	u := c.WebhookURL
	if u.url == nil {
		return
	}
	if c.WebhookListen == "" && p == ToRun {
		c.fault("WEBHOOK_URL", "needs PUBSYNC_WEBHOOK_LISTEN, or nobody answers there")
	}
	switch token := c.WebhookPathToken; {
	case c.WebhookSecret != "" || token != "" && strings.HasSuffix(u.url.Path, "/"+token):
	case token != "":
		c.fault("WEBHOOK_URL",
			"does not end in PUBSYNC_WEBHOOK_PATH_TOKEN: without PUBSYNC_WEBHOOK_SECRET nothing is accepted at "+
				"another address")
	default:
		c.fault("WEBHOOK_URL", "needs PUBSYNC_WEBHOOK_SECRET, or must end in PUBSYNC_WEBHOOK_PATH_TOKEN")
	}
	if u.warning != "" {
		c.warn("PUBSYNC_WEBHOOK_URL %s", u.warning)
	}
}

// checkApp checks the settings of a public app. Its secret signs its webhooks too, unless they have
// one of their own.
func (c *Config) checkApp(p Purpose) {
	if !c.IsApp() {
		return
	}
	c.need("OAUTH_CLIENT_ID", "the client id that the marketplace gave the app")
	c.need("OAUTH_CLIENT_SECRET", "the client secret that the marketplace gave the app")
	c.need("OAUTH_AUTH_URL", "the address of the marketplace's OAuth screens")
	if p == ToRun {
		c.need("WEBHOOK_URL", "the app is installed at its origin, under /oauth/install and /oauth/callback")
		c.need("WEBHOOK_LISTEN", "the app is installed over the public listener")
	}
	if c.WebhookSecret == "" {
		c.WebhookSecret = c.OAuthClientSecret
	}
}

// checkAdapter fills Adapter and checks its settings.
func (c *Config) checkAdapter(p Purpose) {
	if c.ShopAdapter == "" {
		return
	}
	f, ok := shopadapter.Lookup(c.ShopAdapter)
	if !ok {
		c.fault("SHOP_ADAPTER", "is not one of %s", strings.Join(shopadapter.Names(), ", "))
		return
	}
	if c.PublishAs == "draft" && !f.Drafts {
		c.fault("PUBLISH_AS", "cannot be draft: the adapter of PUBSYNC_SHOP_ADAPTER puts on sale what it makes")
	}
	takes := func(s shopadapter.Setting) bool { return s.Name == "PRICES" }
	if c.ShopPrices == shopadapter.PricesNet && !slices.ContainsFunc(f.List(), takes) {
		c.fault("SHOP_PRICES", "cannot be net: the adapter of PUBSYNC_SHOP_ADAPTER shows prices as a visitor pays them")
	}
	for _, s := range f.List() {
		if value := c.Values[shopadapter.Variable(c.ShopAdapter, s.Name)]; value != "" {
			c.Adapter[s.Name] = value
		}
	}
	for _, err := range f.Faults(c.ShopAdapter, c.Adapter) {
		var fault *shopadapter.Fault
		if !errors.As(err, &fault) || !fault.Missing || p != ToLook {
			c.faults = append(c.faults, err)
		}
	}
	// Only the demo serves its pages itself. Elsewhere the owner must say where they are served.
	if c.ShopAdapter == "catalog" && c.Adapter["URL"] == "" && (p == ToRun || p == ToRunOnce) {
		c.fault("CATALOG_URL", "is required: the address under which the catalogue's folder is served")
	}
}
