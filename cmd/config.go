package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
	"github.com/sethvargo/go-envconfig"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

// A config is the settings, understood.
type config struct {
	settings

	rules       publication.Rules
	brake       publication.Brake
	concurrency int
	onRemoved   publication.OnRemoved
	onDeleted   publication.OnDeleted

	failAfter, refreshAfter time.Duration
	forgetAfter             time.Duration
	sweep, resync           cron.Schedule
	variants                publication.VariantMode

	level    slog.Level
	events   []string          // to register
	adapter  map[string]string // the chosen adapter's settings
	ruleSet  map[string]string // of digests, those of prices and stock
	digests  map[string]string // variable -> digest of its value, secrets left out
	warnings []string

	values map[string]string // every variable that is set, secrets from files among them
	sealed string            // why the token of the installation cannot be used
	source *environment      // what they were read from; nil: nothing is read again
	filter *secretFilter     // takes the secrets, those read later too, out of what is said
}

// A purpose is what a command needs of the configuration beyond that every value given is good.
type purpose int

const (
	toLook    purpose = iota // reads or changes the store, or asks a running worker
	toAsk                    // asks the marketplace alone
	toRebuild                // reads the shop and writes the store
	toConform                // asks the shop behind the http protocol, whatever adapter is chosen
	toPlan                   // reads marketplace and shop
	toRunOnce                // and writes to them
	toRun                    // and serves
	toDemo                   // brings its own marketplace and shop
	toLogin                  // waits for an installation as a public app
)

// loadConfig reads the environment. The error lists every fault, each naming its variable, none showing a value.
func loadConfig(e environment, p purpose) (*config, error) {
	c, faults := readConfig(e, p)
	if err := errors.Join(faults...); err != nil {
		return nil, &exitError{code: desk.ExitUsage, err: fmt.Errorf("configuration:\n%w", err)}
	}
	return c, nil
}

// readConfig reads the environment. A value without a fault can be used, whichever others have one.
func readConfig(e environment, p purpose) (*config, []error) {
	vars := allVariables()
	source := e.clone()
	faults := e.unknown(vars)
	faults = append(faults, e.readSecretFiles(vars)...)
	c := &config{
		adapter: map[string]string{}, digests: map[string]string{}, ruleSet: map[string]string{}, values: e.values, source: &source, filter: newSecretFilter(),
	}
	if err := envconfig.ProcessWith(context.Background(), &envconfig.Config{Target: &c.settings, Lookuper: e}); err != nil {
		faults = append(faults, errors.New("configuration cannot be read")) // envconfig's own text may echo a value
	}
	if p == toConform {
		c.ShopAdapter = httpshop.Name
	}
	r := &parser{faults: faults}
	c.StorePath = storePath(c.StorePath)
	c.parse(r, p)
	c.parseAdapter(r, e, p)
	c.warnOfPlainHTTP()
	for _, v := range vars {
		switch value := e.values[v.name]; {
		case value == "" || v.name == envPrefix+"STORE_PATH":
		case v.secret:
			c.filter.use(v.name, value)
			if !quote.Hides(value) {
				c.warnings = append(c.warnings, shortSecret(v.name))
			}
		default:
			c.digests[v.name] = digest(value)
			if v.rules == rulesOfFigures {
				c.ruleSet[v.name] = digest(value)
			}
		}
	}
	slices.SortFunc(r.faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return c, r.faults
}

// shortSecret is the warning of a secret that is too short.
func shortSecret(name string) string {
	return name + " has fewer than eight characters: it is soon guessed, and it is not taken out of messages that repeat it"
}

// guessable is the length, in characters, below which a token is found by trying.
const guessable = 16

func digest(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:8])
}

func (c *config) parse(r *parser, p purpose) {
	if p == toLogin {
		r.require("MARKETPLACE_URL", c.MarketplaceURL, "the address of the marketplace's API")
	}
	asks := p == toAsk || p == toPlan || p == toRunOnce || p == toRun
	if asks {
		r.require("MARKETPLACE_URL", c.MarketplaceURL, "the address of the marketplace's API")
		if !c.isApp() {
			r.require("MARKETPLACE_TOKEN", c.MarketplaceToken, "a token from the API page of your marketplace account")
		}
	}
	if asks && p != toAsk || p == toRebuild {
		r.require("SHOP_ADAPTER", c.ShopAdapter, "one of "+strings.Join(shopadapter.Names(), ", "))
	}
	if u := r.webAddress("MARKETPLACE_URL", c.MarketplaceURL); u != nil && (u.RawQuery != "" || u.Fragment != "") {
		r.fault("MARKETPLACE_URL", "has a query or a fragment, which an API's address has not")
	}
	c.parseWorker(r)
	c.parseApp(r, p)
	c.parseWebhook(r, p)
	c.parseRules(r)
}

func (c *config) parseWorker(r *parser) {
	c.sweep = r.schedule("SWEEP_SCHEDULE", c.SweepSchedule)
	c.resync = r.schedule("RESYNC_SCHEDULE", c.ResyncSchedule)
	c.variants = publication.VariantMode(r.choice("SWEEP_VARIANTS", c.SweepVariants, "auto", "on", "off"))
	c.refreshAfter = r.span("REFRESH_AFTER", c.RefreshAfter, time.Minute)
	c.forgetAfter = r.span("FORGET_AFTER", c.ForgetAfter, time.Second)
	c.failAfter = r.span("FAIL_AFTER", c.FailAfter, time.Second)
	c.concurrency = r.integer("SHOP_CONCURRENCY", c.ShopConcurrency, 1, 64)
	if c.AdminListen != "off" {
		r.address("ADMIN_LISTEN", c.AdminListen)
		if !loopbackAddress(c.AdminListen) {
			r.require("ADMIN_TOKEN", c.AdminToken, "PUBSYNC_ADMIN_LISTEN is not on loopback")
			if n := len(c.AdminToken); n > 0 && n < guessable {
				c.warnings = append(c.warnings, "PUBSYNC_ADMIN_TOKEN is short: whoever reaches PUBSYNC_ADMIN_LISTEN may try one after the other")
			}
		}
	}
	if err := c.level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		r.fault("LOG_LEVEL", "is not one of debug, info, warn, error")
	}
	r.choice("LOG_FORMAT", c.LogFormat, "auto", "text", "json")
	c.onRemoved = publication.OnRemoved(r.choice("ON_REMOVED", c.OnRemoved, "unpublish", "delete", "keep"))
	c.onDeleted = publication.OnDeleted(r.choice("ON_DELETED", c.OnDeleted, "keep", "recreate"))
	c.brake = publication.Brake{
		PricePercent:   r.decimal("BRAKE_PRICE_PERCENT", c.BrakePricePercent, 0),
		RemovedPercent: r.decimal("BRAKE_REMOVED_PERCENT", c.BrakeRemovedPercent, 0),
		FirstPrice:     r.bounds("BRAKE_FIRST_PRICE", c.BrakeFirstPrice),
	}
}

func (c *config) parseWebhook(r *parser, p purpose) {
	r.address("WEBHOOK_LISTEN", c.WebhookListen)
	if c.WebhookListen != "" && c.WebhookSecret == "" && c.WebhookPathToken == "" {
		r.fault("WEBHOOK_LISTEN", "needs PUBSYNC_WEBHOOK_SECRET or PUBSYNC_WEBHOOK_PATH_TOKEN")
	}
	if strings.ContainsAny(c.WebhookPathToken, "/?#% ") {
		r.fault("WEBHOOK_PATH_TOKEN", "has a character that does not stand in one part of a path: use letters and digits")
	}
	if strings.Trim(strings.ToLower(c.WebhookHeaderPrefix), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		r.fault("WEBHOOK_HEADER_PREFIX", "is not the beginning of a header's name such as X-Service")
	}
	c.events = r.events("WEBHOOK_EVENTS", c.WebhookEvents)
	u := r.webAddress("WEBHOOK_URL", c.WebhookURL)
	if u == nil {
		return
	}
	if c.WebhookListen == "" && p == toRun {
		r.fault("WEBHOOK_URL", "needs PUBSYNC_WEBHOOK_LISTEN, or nobody answers there")
	}
	switch token := c.WebhookPathToken; {
	case c.WebhookSecret != "" || token != "" && strings.HasSuffix(u.Path, "/"+token):
	case token != "":
		r.fault("WEBHOOK_URL", "does not end in PUBSYNC_WEBHOOK_PATH_TOKEN: without PUBSYNC_WEBHOOK_SECRET nothing is accepted at another address")
	default:
		r.fault("WEBHOOK_URL", "needs PUBSYNC_WEBHOOK_SECRET, or must end in PUBSYNC_WEBHOOK_PATH_TOKEN")
	}
	fault, warning := judgeCallback(u)
	if fault != "" {
		r.fault("WEBHOOK_URL", "%s", fault)
	}
	if warning != "" {
		c.warnings = append(c.warnings, "PUBSYNC_WEBHOOK_URL "+warning)
	}
}

func (c *config) parseRules(r *parser) {
	c.rules.Languages = list(c.MarketplaceLanguages)
	for i, l := range c.rules.Languages {
		c.rules.Languages[i] = strings.ToLower(l)
		if len(l) != 2 || strings.Trim(strings.ToLower(l), "abcdefghijklmnopqrstuvwxyz") != "" {
			r.fault("MARKETPLACE_LANGUAGES", "is not a list of two-letter languages such as en,nl")
			break
		}
	}
	if len(c.rules.Languages) == 0 {
		r.fault("MARKETPLACE_LANGUAGES", "names no language")
	}
	c.rules.Currency = r.currency("MARKETPLACE_CURRENCY", c.MarketplaceCurrency)
	c.ShopCurrency = r.currency("SHOP_CURRENCY", c.ShopCurrency)
	if shopadapter.SameCurrency(c.ShopCurrency, c.rules.Currency) != nil {
		r.fault("SHOP_CURRENCY", "says that %s", shopadapter.CurrenciesDiffer(c.ShopCurrency, c.rules.Currency))
	}
	c.rules.SKUPrefix = c.ShopSKUPrefix
	if len(c.ShopSKUPrefix) > 30 {
		r.fault("SHOP_SKU_PREFIX", "is longer than 30 characters")
	}
	keep, err := shopadapter.ParseFields(list(c.ShopKeep)...)
	if may := shopadapter.TextFields | shopadapter.FieldPrice | shopadapter.FieldStock; err != nil || keep&^may != 0 {
		r.fault("SHOP_KEEP", "is not a list of %s", may)
	}
	c.rules.Keep = keep
	c.rules.StockBuffer = r.integer("STOCK_BUFFER", c.StockBuffer, 0, 1_000_000)
	c.rules.Price = c.parsePrice(r)
}

// parseAdapter takes the chosen adapter's settings.
func (c *config) parseAdapter(r *parser, e environment, p purpose) {
	if c.ShopAdapter == "" {
		return
	}
	f, ok := shopadapter.Lookup(c.ShopAdapter)
	if !ok {
		r.fault("SHOP_ADAPTER", "is not one of %s", strings.Join(shopadapter.Names(), ", "))
		return
	}
	for _, s := range f.Settings {
		name := adapterVariable(c.ShopAdapter, s.Name)
		value := e.values[name]
		if value == "" {
			value = s.Default
		}
		if value == "" && s.Required && p != toLook && p != toAsk && p != toLogin {
			r.fault(strings.TrimPrefix(name, envPrefix), "is required: %s", s.Meaning)
		}
		if value != "" && s.Valid != nil {
			if err := s.Valid(value); err != nil {
				r.fault(strings.TrimPrefix(name, envPrefix), "%v", err)
			}
		}
		c.adapter[s.Name] = value
	}
	// The pages of the demo are served by pubsync itself; elsewhere somebody else serves them, and only the owner knows where.
	if c.ShopAdapter == "catalog" && c.adapter["URL"] == "" && (p == toRun || p == toRunOnce) {
		r.fault("CATALOG_URL", "is required: the address under which the catalogue's folder is served")
	}
}
