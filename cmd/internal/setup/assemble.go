package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/secrets"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// An Assembly is the parts of a worker, to be closed together.
type Assembly struct {
	store   store.Store
	market  *marketplace.Client
	shop    shopadapter.Adapter
	said    *shopadapter.Info // of the shop's check at the start; nil: it did not answer
	secrets *secretSource     // nil: no secret is read again
}

func (c *Setup) OpenShop(log *slog.Logger) (shopadapter.Adapter, error) {
	return c.openShopWith(c.Adapter, log)
}

func (c *Setup) openShopWith(settings map[string]string, log *slog.Logger) (shopadapter.Adapter, error) {
	client := c.ShopClient()
	if c.held != nil {
		client.Transport = leased{client.Transport, c.held}
	}
	shop, err := shopadapter.Open(c.ShopAdapter, shopadapter.Options{
		Settings: settings, VATPercent: c.Rules.Price.VAT.String(), HTTPClient: client,
		Logger: log.With("shop", c.ShopAdapter),
	})
	if err != nil {
		return nil, &desk.Error{Exit: desk.ExitUsage, Err: fmt.Errorf("open shop adapter %s: %w", c.ShopAdapter, err)}
	}
	return shop, nil
}

func (c *Setup) openMarketplace(token string, log *slog.Logger) *marketplace.Client {
	how := ""
	if c.ByInstallation() {
		how = c.howToInstall()
	}
	return marketplace.New(marketplace.Config{
		URL: string(c.MarketplaceURL), Token: token, Install: how, Sealed: c.sealed, Languages: c.Rules.Languages,
		Logger: log, UserAgent: c.userAgent(), Forms: c.MarketplaceForms.Said,
		Details: c.Rules.Details, Pictures: c.Pictures(),
	})
}

// Assemble opens the store, which no other process may hold, the shop and the marketplace.
func (c *Setup) Assemble(ctx context.Context, log *slog.Logger) (*Assembly, error) {
	s, err := c.makeStore(log)
	if err != nil {
		return nil, err
	}
	parts, err := c.assembleOn(ctx, s, log)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return parts, nil
}

// assembleOn opens shop and marketplace beside an open store.
func (c *Setup) assembleOn(ctx context.Context, s store.Store, log *slog.Logger) (*Assembly, error) {
	token, err := c.tokenIn(ctx, s, log)
	if err != nil {
		return nil, err
	}
	if l, ok := s.KV.(store.Leased); ok && l.Lost() != nil {
		c.held = l.Held
	}
	shop, err := c.OpenShop(log)
	if err != nil {
		return nil, err
	}
	parts := &Assembly{store: s, market: c.openMarketplace(token, log), shop: shop}
	asking, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if is, err := shop.Check(asking); err == nil { // a shop that does not answer is checked again by the worker
		parts.said = &is
		if err := c.SameCurrency(is); err != nil {
			return nil, errors.Join(err, parts.closeSides())
		}
	}
	return parts, nil
}

// startTimeout is how long a start waits for the shop's answer to the question for its currency.
const startTimeout = 30 * time.Second

// Close closes the adapter, then the store.
func (a *Assembly) Close() error { return errors.Join(a.closeSides(), a.store.Close()) }

func (a *Assembly) closeSides() error {
	errs := []error{CloseShop(a.shop), a.market.Close()}
	if a.secrets != nil {
		for _, shop := range a.secrets.opened {
			errs = append(errs, CloseShop(shop))
		}
	}
	return errors.Join(errs...)
}

func CloseShop(shop shopadapter.Adapter) error {
	if closer, ok := shop.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

func (c *Setup) connector(ctx context.Context, a *Assembly, log *slog.Logger,
	pages map[string]http.Handler,
) (*connector.Connector, error) {
	var reread func() secrets.Set
	if a.secrets = newSecretSource(c, log); a.secrets != nil {
		reread = a.secrets.read
	}
	o := c.engineOptions(a)
	o.Logger, o.AllCalls, o.Said, o.Visitor = log, c.slots, a.said, c.Visitor()
	return connector.New(ctx, connector.Options{
		Options: o, Marketplace: a.market, Reread: reread,
		Webhook: connector.WebhookOptions{
			Secret: c.WebhookSecret, PathToken: c.WebhookPathToken, Prefix: string(c.WebhookHeaderPrefix),
			URL: c.WebhookURL.String(), Events: c.WebhookEvents,
		},
		App: c.AppOptions(log),
		Admin: connector.AdminOptions{
			Token: c.AdminToken, Settings: c.Digests, Pages: pages, Marketplace: string(c.MarketplaceURL),
			Figures: c.FigureValues(), Try: c.Try, BackUp: c.backUp,
		},
	})
}

// engineOptions is what runs and plans go by.
func (c *Setup) engineOptions(a *Assembly) engine.Options {
	return engine.Options{
		Settings: publication.Settings{
			Rules: c.Rules, Brake: c.Brake, OnRemoved: c.OnRemoved, ReportDrift: c.OnDrift == "report",
			FailAfter: c.FailAfter, RefreshAfter: c.RefreshAfter,
		},
		RuleSet: c.RuleSet, Writes: c.Writes, Store: a.store, Shop: a.shop, ShopName: c.ShopAdapter, Redact: c.Redact,
		Version: c.version, Concurrency: c.ShopConcurrency,
		Sweep: c.SweepSchedule.Schedule, Resync: c.ResyncSchedule.Schedule, Variants: c.SweepVariants,
		Install: config.Digest(string(c.MarketplaceURL) + "\n" + cmp.Or(c.MarketplaceToken, c.OAuthClientID)),
	}
}

// SameCurrency returns an error if the shop says that it sells in another currency than the
// marketplace's. PUBSYNC_SHOP_CURRENCY counts only if the adapter cannot tell.
func (c *Setup) SameCurrency(is shopadapter.Info) error {
	if shopadapter.SameCurrency(is.Currency, c.Rules.Currency) == nil {
		return nil
	}
	return &desk.Error{Exit: desk.ExitUsage, Err: errors.New(shopadapter.CurrenciesDiffer(is.Currency, c.Rules.Currency))}
}
