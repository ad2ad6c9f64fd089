package cmd

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strings"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// howToInstall is what a person can do about a token that is not there, or is refused for good.
const howToInstall = "run pubsync login, or install the app from its page at the marketplace"

// installedToken names the one secret that is no setting.
const installedToken = "token of an installation" //nolint:gosec // a name

// isApp reports whether pubsync is configured as a public app.
func (c *config) isApp() bool {
	return c.OAuthClientID != "" || c.OAuthClientSecret != "" || c.OAuthAuthURL != ""
}

// byInstallation reports whether the marketplace's token comes by installation. A configured one wins.
func (c *config) byInstallation() bool { return c.MarketplaceToken == "" && c.isApp() }

// parseApp reads the settings of a public app. Its secret signs its webhooks too, unless they have one of their own.
func (c *config) parseApp(r *parser, p purpose) {
	if u := r.webAddress("OAUTH_AUTH_URL", c.OAuthAuthURL); u != nil && (u.RawQuery != "" || u.Fragment != "") {
		r.fault("OAUTH_AUTH_URL", "has a query or a fragment, which the address of the OAuth screens has not")
	}
	for _, scope := range list(c.OAuthScopes) {
		if strings.Trim(scope, "abcdefghijklmnopqrstuvwxyz_") != "" {
			r.fault("OAUTH_SCOPES", "is not a list of scopes such as account_read,products_read")
			break
		}
	}
	if !c.isApp() && p != toLogin {
		return
	}
	if len(list(c.OAuthScopes)) == 0 {
		r.fault("OAUTH_SCOPES", "names no scope")
	}
	r.require("OAUTH_CLIENT_ID", c.OAuthClientID, "the client id that the marketplace gave the app")
	r.require("OAUTH_CLIENT_SECRET", c.OAuthClientSecret, "the client secret that the marketplace gave the app")
	r.require("OAUTH_AUTH_URL", c.OAuthAuthURL, "the address of the marketplace's OAuth screens")
	if p == toRun || p == toLogin {
		r.require("WEBHOOK_URL", c.WebhookURL, "the app is installed at its origin, under /oauth/install and /oauth/callback")
		r.require("WEBHOOK_LISTEN", c.WebhookListen, "the app is installed over the public listener")
	}
	if c.WebhookSecret == "" {
		c.WebhookSecret = c.OAuthClientSecret
	}
}

// origin is where a browser reaches the public listener.
func (c *config) origin() string {
	u, err := url.Parse(c.WebhookURL)
	if err != nil {
		return "" // a fault of the configuration
	}
	return u.Scheme + "://" + u.Host
}

// appOptions is the public app, nil where pubsync is none.
func (c *config) appOptions(log *slog.Logger) *connector.AppOptions {
	if !c.isApp() {
		return nil
	}
	return &connector.AppOptions{
		ClientID: c.OAuthClientID, Secret: c.OAuthClientSecret, AuthURL: strings.TrimRight(c.OAuthAuthURL, "/"), Scopes: list(c.OAuthScopes),
		Origin: c.origin(), UserAgent: userAgent(), InUse: c.byInstallation(),
		Account: c.accountOf(log), Hide: func(token string) { c.filter.try(installedToken, token) },
		Kept: func(token string) { c.filter.use(installedToken, token) },
	}
}

// accountOf asks the marketplace whose a token is.
func (c *config) accountOf(log *slog.Logger) func(context.Context, string) (string, error) {
	return func(ctx context.Context, token string) (string, error) {
		market := c.openMarketplace(token, nil, log)
		account, err := market.Account(ctx)
		return account, errors.Join(err, market.Close())
	}
}

// tokenIn is the marketplace's token: the configured one, else that of the installation which a store keeps. It is "" where there is none yet.
func (c *config) tokenIn(s store.Facts, log *slog.Logger) (string, error) {
	if !c.byInstallation() {
		return c.MarketplaceToken, nil
	}
	i, ok, err := store.InstallationOf(s)
	if err != nil || !ok {
		return "", err
	}
	return c.unseal(i, log), nil
}

// unseal is the token of an installation, "" where the app's secret does not open it.
func (c *config) unseal(i store.Installation, log *slog.Logger) string {
	token, err := i.Token(c.OAuthClientSecret)
	if err != nil {
		log.Warn("token of the installation stays sealed", "error", err)
		c.sealed = err.Error()
		return ""
	}
	c.filter.use(installedToken, token)
	return token
}

// findToken is the marketplace's token for a command that needs no store. That of an installation lies in the store all the same, which a worker may hold.
func (c *config) findToken(ctx context.Context, log *slog.Logger) (string, error) {
	if !c.byInstallation() || c.storeMissing() {
		return c.MarketplaceToken, nil
	}
	d, err := c.openDesk(log, toRead)
	if err != nil {
		return "", err
	}
	i, err := d.Installation(ctx)
	if err = errors.Join(err, d.Close()); err != nil || i.Sealed == "" {
		return "", err
	}
	return c.unseal(i.Installation, log), nil
}

// askMarketplace opens the marketplace for a command that needs no store.
func (c *config) askMarketplace(ctx context.Context, log *slog.Logger) (*marketplace.Client, error) {
	token, err := c.findToken(ctx, log)
	return c.openMarketplace(token, nil, log), err
}
