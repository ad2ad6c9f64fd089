package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/secrets"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store/bolt"
)

const (
	shopDialTimeout   = 10 * time.Second
	shopHeaderTimeout = 2 * time.Minute // shared hosting takes its time over a large batch
	shopTimeout       = 5 * time.Minute
	shopAnswerLimit   = 64 << 20
)

func userAgent() string {
	return "pubsync/" + buildVersion().Version + " (+https://github.com/pubsync/pubsync)"
}

// An assembly is the parts of a worker, to be closed together.
type assembly struct {
	store   *bolt.Store
	market  *marketplace.Client
	shop    shopadapter.Adapter
	secrets *secretSource // nil: no secret is read again
}

// openShop opens the configured adapter.
func (c *setup) openShop(log *slog.Logger) (shopadapter.Adapter, error) {
	return c.openShopWith(c.Adapter, log)
}

func (c *setup) openShopWith(settings map[string]string, log *slog.Logger) (shopadapter.Adapter, error) {
	shop, err := shopadapter.Open(c.ShopAdapter, shopadapter.Options{
		Settings: settings, VATPercent: c.Rules.Price.VAT.String(), HTTPClient: shopClient(), Logger: log.With("shop", c.ShopAdapter),
	})
	if err != nil {
		return nil, &exitError{code: desk.ExitUsage, err: fmt.Errorf("open shop adapter %s: %w", c.ShopAdapter, err)}
	}
	return shop, nil
}

// openMarketplace opens the marketplace with a token. memory keeps what is found out of it over
// restarts; nil: nothing does.
func (c *setup) openMarketplace(token string, memory marketplace.Memory, log *slog.Logger) *marketplace.Client {
	how := ""
	if c.byInstallation() {
		how = howToInstall
	}
	return marketplace.New(marketplace.Config{
		URL: string(
			c.MarketplaceURL,
		), Token: token, Install: how, Sealed: c.sealed, Languages: c.Rules.Languages, Logger: log, UserAgent: userAgent(), Memory: memory,
	})
}

// assemble opens the store, which no other process may hold, and the parts that work on it.
func (c *setup) assemble(ctx context.Context, log *slog.Logger) (*assembly, error) {
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

// assembleOn opens the parts that work on an open store.
func (c *setup) assembleOn(ctx context.Context, s *bolt.Store, log *slog.Logger) (*assembly, error) {
	token, err := c.tokenIn(s, log)
	if err != nil {
		return nil, err
	}
	shop, err := c.openShop(log)
	if err != nil {
		return nil, err
	}
	if err := c.sameCurrency(ctx, shop); err != nil {
		return nil, errors.Join(err, closeShop(shop))
	}
	return &assembly{store: s, market: c.openMarketplace(token, s, log), shop: shop}, nil
}

// close closes the adapter, then the store.
func (a *assembly) close() error {
	var errs []error
	for _, shop := range append(a.secrets.shops(), a.shop) {
		errs = append(errs, closeShop(shop))
	}
	return errors.Join(append(errs, a.market.Close(), a.store.Close())...)
}

func (c *setup) connector(a *assembly, log *slog.Logger, pages map[string]http.Handler) (*connector.Connector, error) {
	var reread func() secrets.Set
	if a.secrets = newSecretSource(c, log); a.secrets != nil {
		reread = a.secrets.read
	}
	return connector.New(connector.Options{
		Store: a.store, Marketplace: a.market, Shop: a.shop, ShopName: c.ShopAdapter, Logger: log, Redact: c.filter.Replace, Reread: reread, Version: buildVersion().Version,
		Rules: c.Rules, RuleSet: c.RuleSet, Brake: c.Brake, Concurrency: int(c.ShopConcurrency), OnRemoved: publication.OnRemoved(c.OnRemoved), OnDeleted: publication.OnDeleted(c.OnDeleted),
		FailAfter: c.FailAfter.Duration, RefreshAfter: c.RefreshAfter.Duration, ForgetAfter: c.ForgetAfter.Duration, Sweep: c.SweepSchedule.Schedule, Resync: c.ResyncSchedule.Schedule, Variants: publication.VariantMode(c.SweepVariants),
		Install:  config.Digest(string(c.MarketplaceURL) + "\n" + cmp.Or(c.MarketplaceToken, c.OAuthClientID)),
		Currency: c.Rules.Currency,
		Webhook: connector.WebhookOptions{
			Secret: c.WebhookSecret, PathToken: c.WebhookPathToken, Prefix: string(c.WebhookHeaderPrefix), URL: c.WebhookURL.String(), Events: c.WebhookEvents,
		},
		App:   c.appOptions(log),
		Admin: connector.AdminOptions{Token: c.AdminToken, Settings: c.Digests, Pages: pages},
	})
}

// shopClient is the one client of the adapter: it names itself, follows no redirect, and bounds
// time and size.
func shopClient() *http.Client {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: shopDialTimeout, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 32, IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: shopDialTimeout,
		ResponseHeaderTimeout: shopHeaderTimeout,
	}
	return &http.Client{
		Transport: courteous{transport}, Timeout: shopTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// courteous sets the User-Agent of each request and bounds each answer.
type courteous struct{ next http.RoundTripper }

func (t courteous) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("User-Agent") == "" {
		r = r.Clone(r.Context())
		r.Header.Set("User-Agent", userAgent())
	}
	res, err := t.next.RoundTrip(r)
	if err == nil {
		res.Body = http.MaxBytesReader(nil, res.Body, shopAnswerLimit)
	}
	return res, err
}

// decides is the settings that a publication's rules depend on.
func (c *setup) decides() publication.Settings {
	return publication.Settings{
		Rules: c.Rules, Brake: c.Brake, OnRemoved: publication.OnRemoved(c.OnRemoved), OnDeleted: publication.OnDeleted(c.OnDeleted), FailAfter: c.FailAfter.Duration, RefreshAfter: c.RefreshAfter.Duration,
		Backoff: func(attempts int) time.Duration { return breaker.Backoff(attempts, breaker.MaxBackoff) },
	}
}
