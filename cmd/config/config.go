// Package config is the settings: what sets them, what a good value is, and what they need of one another. The
// struct Settings is their one list.
package config

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/sethvargo/go-envconfig"

	"github.com/pubsync/pubsync/connector/admin"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// A Config is the settings of one command.
type Config struct {
	Settings
	Environment // that they were loaded from

	Publication publication.Settings
	Forms       marketplace.Said
	Adapter     map[string]string // settings of the chosen adapter
	Values      map[string]string // every set variable, with secrets from files
	Digests     map[string]string // without secrets
	Figures     map[string]string // values of price and stock settings

	Warnings []string

	faults []error
}

// A Purpose is what a command does, and so which settings it needs.
type Purpose int

// The purposes.
const (
	ToLook    Purpose = iota // reads the store, or asks a running worker
	ToTell                   // writes an existing store, or has a worker do so
	ToConform                // asks the shop alone
	ToPlan                   // reads marketplace and shop; the store may be empty, in memory
	ToRunOnce                // writes to both sides, and makes a missing store
	ToRun                    // as ToRunOnce, and serves webhooks
	ToServe                  // serves accounts with settings of their own
)

// Load returns every fault. A fault names its variable and shows no secret. Other settings can be used.
func Load(e Environment, p Purpose) (*Config, []error) {
	c := &Config{Environment: e}
	c.Values, c.faults = e.Values()
	c.faults = append(c.faults, e.unknown()...)
	if names, err := e.Accounts(); e.Account == "" && len(names) == 0 && err != nil {
		c.faults = append(c.faults, err)
	}
	c.fill()
	c.StorePath = Absolute(c.StorePath)
	c.check(p)
	if p != ToServe {
		c.checkWebhook(p)
		c.checkAdapter(p)
	}
	c.makeRules()
	c.digest()
	slices.SortFunc(c.faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	// the adapter may find the same fault in a shared setting
	return c, slices.CompactFunc(c.faults, func(a, b error) bool { return a.Error() == b.Error() })
}

// unread reports whether a setting without a value lies in a file, which has its own fault.
func (c *Config) unread(variable string) bool { return c.Value(variable+fileForm) != "" }

func (c *Config) fill() {
	from := envconfig.PrefixLookuper(Prefix, envconfig.MapLookuper(c.Values))
	c.faults = append(c.faults, shopadapter.Fill(&c.Settings, Prefix, from)...)
	for _, listen := range []*string{&c.WebhookListen, &c.AdminListen} {
		if *listen == "off" {
			*listen = ""
		}
	}
}

// Try returns c.Publication with some settings of prices and stock replaced; "" is the default. c stays as it is.
func (c *Config) Try(set map[string]string) (publication.Settings, error) {
	t := &Config{Values: maps.Clone(c.Values)}
	for name, value := range set {
		figure := func(v Variable) bool { return v.Name == name && v.Rules == rulesOfFigures }
		if !slices.ContainsFunc(Own(), figure) {
			t.faults = append(t.faults, faultOf(name, "decides neither prices nor stock"))
		}
		t.Values[name] = value
	}
	t.fill()
	t.check(ToLook)
	t.makeRules()
	return t.Publication, errors.Join(t.faults...)
}

// IsApp reports whether pubsync is a public app.
func (c *Config) IsApp() bool {
	return c.OAuthClientID != "" || c.OAuthClientSecret != "" || c.OAuthAuthURL != ""
}

// check also lets an app's secret sign webhooks that have no secret of their own.
func (c *Config) check(p Purpose) {
	if p == ToPlan || p == ToRunOnce || p == ToRun {
		c.need("MARKETPLACE_URL", "the address of the marketplace's API")
		if !c.IsApp() {
			c.need("MARKETPLACE_TOKEN", "a token from the API page of your marketplace account")
		}
		c.need("SHOP_ADAPTER", "one of "+strings.Join(shopadapter.Names(), ", "))
	}
	if c.IsApp() && p != ToServe {
		c.need("OAUTH_CLIENT_ID", "the client id that the marketplace gave the app")
		c.need("OAUTH_CLIENT_SECRET", "the client secret that the marketplace gave the app")
		c.need("OAUTH_AUTH_URL", "the address of the marketplace's OAuth screens")
		c.WebhookSecret = cmp.Or(c.WebhookSecret, c.OAuthClientSecret)
		if p == ToRun {
			c.need("WEBHOOK_URL", "the app is installed at its origin, under /oauth/install and /oauth/callback")
			c.need("WEBHOOK_LISTEN", "the app is installed over the public listener")
		}
	}
	if c.AdminListen != "" && !admin.IsLoopback(c.AdminListen) {
		c.need("ADMIN_TOKEN", "PUBSYNC_ADMIN_LISTEN is not on loopback")
	}
	if strings.Contains(c.Values[Prefix+"STORE_PATH"], "://") {
		c.fault("STORE_PATH", "is to name a file: PUBSYNC_STORE_URL takes the address of a database")
	}
	if _, err := url.Parse(c.StoreURL); err != nil {
		c.fault("STORE_URL", "is not of the form postgres://user:password@host:port/database, percent-encoded")
	}
	if c.PriceShipping != publication.ShippingOff {
		c.need("SHIPPING_COUNTRY", "PUBSYNC_PRICE_SHIPPING puts the supplier's costs of sending there into prices")
	}
	if shopadapter.SameCurrency(string(c.ShopCurrency), string(c.MarketplaceCurrency)) != nil {
		c.fault("SHOP_CURRENCY", "is not PUBSYNC_MARKETPLACE_CURRENCY, and nothing is converted")
	}
}

func (c *Config) checkWebhook(p Purpose) {
	token := c.WebhookPathToken
	// a file that cannot be read is a fault already
	told := c.WebhookSecret != "" || c.unread(Prefix+"WEBHOOK_SECRET") ||
		token == "" && c.unread(Prefix+"WEBHOOK_PATH_TOKEN")
	if c.WebhookListen != "" && !told && token == "" && c.Account == "" {
		c.fault("WEBHOOK_LISTEN", "needs PUBSYNC_WEBHOOK_SECRET or PUBSYNC_WEBHOOK_PATH_TOKEN")
	}
	if c.WebhookURL == "" {
		return
	}
	u, err := url.Parse(c.WebhookURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		c.fault("WEBHOOK_URL", "is not an absolute http(s) address without a user name in it")
		return
	}
	fault, warning := judgeCallback(u)
	if fault != "" {
		c.fault("WEBHOOK_URL", "%s", fault)
	}
	if warning != "" {
		c.warn("PUBSYNC_WEBHOOK_URL %s", warning)
	}
	if c.Account != "" && u.Path == "/webhooks" && c.AccountID == "" && !c.IsApp() {
		c.warn("PUBSYNC_WEBHOOK_URL serves all accounts, and without PUBSYNC_ACCOUNT_ID no webhook counts as this one's: "+
			"set it, or an address that ends in /%s/webhooks", c.Account)
	}
	if c.WebhookListen == "" && p == ToRun {
		c.fault("WEBHOOK_URL", "needs PUBSYNC_WEBHOOK_LISTEN, or nobody answers there")
	}
	if !told && (token == "" || !strings.HasSuffix(u.Path, "/"+token)) {
		c.fault("WEBHOOK_URL", "needs PUBSYNC_WEBHOOK_SECRET, or must end in a slash and PUBSYNC_WEBHOOK_PATH_TOKEN: "+
			"nothing is accepted at another address")
	}
}

// Origin is where a browser reaches the public listener, or "".
func (c *Config) Origin() string {
	u, err := url.Parse(c.WebhookURL)
	if c.WebhookURL == "" || err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

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
	switch {
	case c.ShopPrices != shopadapter.PricesNet:
	case !slices.ContainsFunc(f.List(), func(s shopadapter.Setting) bool { return s.Name == "PRICES" }):
		c.fault("SHOP_PRICES", "cannot be net: the adapter of PUBSYNC_SHOP_ADAPTER shows prices as a visitor pays them")
	case c.PriceVATPercent.IsZero():
		c.fault("SHOP_PRICES", "cannot be net without PUBSYNC_PRICE_VAT_PERCENT: set it to what the shop adds")
	}
	c.Adapter = map[string]string{}
	for _, s := range f.List() {
		if value := c.Values[shopadapter.Variable(c.ShopAdapter, s.Name)]; value != "" {
			c.Adapter[s.Name] = value
		}
	}
	for _, err := range f.Faults(c.ShopAdapter, c.Adapter) {
		fault, of := errors.AsType[*shopadapter.Fault](err)
		if !of || !fault.Missing || p > ToTell && !c.unread(fault.Variable) {
			c.faults = append(c.faults, err)
		}
	}
	// Only the demo serves the catalogue's pages itself.
	if c.ShopAdapter == "catalog" && c.Adapter["URL"] == "" && (p == ToRun || p == ToRunOnce) {
		c.fault("CATALOG_URL", "is required: the address under which the catalogue's folder is served")
	}
}

func (c *Config) makeRules() {
	c.Forms = parsed(c, "MARKETPLACE_FORMS", c.MarketplaceForms, marketplace.ParseSaid)
	rules := publication.Rules{
		Currency: string(c.MarketplaceCurrency), Languages: c.MarketplaceLanguages, SKUPrefix: c.ShopSKUPrefix,
		Keep: parsed(c, "SHOP_KEEP", c.ShopKeep, keptOf), StockBuffer: c.StockBuffer,
		Details: c.ProductDetails == "on",
		Units:   shopadapter.Units{Weight: c.MarketplaceWeightUnit, Length: c.MarketplaceDimensionUnit},
		AsDraft: c.PublishAs == "draft", HideSoldOut: c.OnSoldOut == "hide",
		Skip: publication.Skip{
			MarginBelow: c.SkipMarginBelow, StockBelow: c.SkipStockBelow, DaysAbove: c.SkipShippingDaysAbove,
			Categories: parsed(c, "SKIP_CATEGORIES", c.SkipCategories, publication.ParseCategories),
		},
		Price: publication.PriceRule{
			Base: c.PriceBase, Markup: c.PriceMarkupPercent, Add: c.PriceAdd, VAT: c.PriceVATPercent,
			NetMSRP: c.PriceMSRPVAT == "excluded", MinMargin: c.PriceMinMarginPercent,
			Tiers:      parsed(c, "PRICE_TIERS", c.PriceTiers, publication.ParseTiers),
			Categories: parsed(c, "PRICE_CATEGORIES", c.PriceCategories, publication.ParseCategoryMarkups),
			Shipping:   c.PriceShipping,
			Country:    strings.TrimSpace(c.ShippingCountry),
			Ending:     parsed(c, "PRICE_ENDING", c.PriceEnding, publication.ParseEnding),
		},
	}
	if c.PriceNoMSRP == "cost" {
		rules.Price.NoMSRP = &c.PriceNoMSRPMarkupPercent
	}
	c.Publication = publication.Settings{
		Rules: rules,
		Brake: publication.Brake{
			PricePercent: c.BrakePricePercent, RemovedPercent: c.BrakeRemovedPercent,
			FirstPrice: parsed(c, "BRAKE_FIRST_PRICE", c.BrakeFirstPrice, boundsOf),
		},
		OnRemoved: c.OnRemoved, ReportDrift: c.OnDrift == "report", FailAfter: c.FailAfter, RefreshAfter: c.RefreshAfter,
	}
}

func parsed[T any](c *Config, name, value string, read func(string) (T, error)) (got T) {
	if value == "" {
		return got
	}
	got, err := read(value)
	if err != nil {
		c.fault(name, "%v", err)
	}
	return got
}

func (c *Config) digest() {
	c.Digests, c.Figures = map[string]string{}, map[string]string{}
	for _, v := range Variables() {
		if old := former(c.ShopAdapter, v.Name); c.Value(old) != "" {
			c.warn("%s is called %s now: please rename it", old, v.Name)
		}
		switch value := c.Values[v.Name]; {
		case value == "" || v.Name == Prefix+"STORE_PATH":
		case v.Secret && !wire.Hides(value):
			c.warn("%s has fewer than eight characters: it is soon guessed, and stays in messages that repeat it", v.Name)
		case v.Secret:
		default:
			c.Digests[v.Name] = Digest(value)
			if v.Rules == rulesOfFigures {
				c.Figures[v.Name] = value
			}
		}
	}
}

// Digest returns a short hash of a value: eight bytes, in hex.
func Digest(value string) string { return fmt.Sprintf("%.8x", sha256.Sum256([]byte(value))) }

func faultOf(variable, format string, args ...any) error {
	return &shopadapter.Fault{Variable: variable, Text: fmt.Sprintf(format, args...)}
}

func (c *Config) fault(name, format string, args ...any) {
	c.faults = append(c.faults, faultOf(Prefix+name, format, args...))
}

func (c *Config) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}

func (c *Config) need(name, why string) {
	if c.Values[Prefix+name] == "" && !c.unread(Prefix+name) {
		c.fault(name, "is required: %s", why)
	}
}

func (e Environment) unknown() (faults []error) {
	var names, old []string
	for _, v := range Variables() {
		names = append(names, v.Name)
		if v.Secret {
			names = append(names, v.Name+fileForm)
		}
		for _, adapter := range shopadapter.Names() {
			old = append(old, former(adapter, v.Name))
		}
	}
	for name, value := range e.all() {
		// Kubernetes sets these for a Service that is called pubsync
		injected := name == Prefix+"PORT" || strings.HasPrefix(name, Prefix+"PORT_") ||
			strings.HasPrefix(name, Prefix+"SERVICE_")
		if injected || value == "" || slices.Contains(names, name) || slices.Contains(old, name) {
			continue
		}
		faults = append(faults, faultOf(name, "no such setting; did you mean %s? pubsync adapters --env lists all",
			nearest(name, names)))
	}
	return faults
}

// nearest returns the first name that begins with the given one, else one that contains it without the prefix, else
// the most alike.
func nearest(given string, names []string) string {
	for _, part := range []string{given, strings.Replace(given, Prefix, "_", 1)} {
		i := slices.IndexFunc(names, func(name string) bool { return strings.Contains(name, part) })
		if i >= 0 {
			return names[i]
		}
	}
	return slices.MinFunc(names, func(a, b string) int {
		return levenshtein.ComputeDistance(given, a) - levenshtein.ComputeDistance(given, b)
	})
}

// former returns the name that an adapter had for a setting which every shop has now, or "".
func former(adapter, variable string) string {
	setting := strings.TrimPrefix(variable, Prefix+"SHOP_")
	if adapter == "" || shopadapter.Variable(adapter, setting) != variable {
		return ""
	}
	return shopadapter.Variable(adapter, "") + setting
}
