package setup

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// howToInstall tells a person what to do if there is no token, or it is refused for good.
func (c *Setup) howToInstall() string {
	account := ""
	if c.Account != "" {
		account = accountPath(c.Account)
	}
	return "open " + c.WebhookURL.Origin() + account + install.Path +
		" in a browser while pubsync run is up, or install the app from its page at the marketplace"
}

// installedToken names the one secret that is no setting.
const installedToken = "token of an installation" //nolint:gosec // a name

// ByInstallation reports whether the marketplace's token comes from an installation. A configured
// token is used instead.
func (c *Setup) ByInstallation() bool { return c.MarketplaceToken == "" && c.IsApp() }

// AppOptions returns the settings of the public app, nil if pubsync is none.
func (c *Setup) AppOptions(log *slog.Logger) *connector.AppOptions {
	if !c.IsApp() {
		return nil
	}
	return &connector.AppOptions{
		ClientID: c.OAuthClientID, Secret: c.OAuthClientSecret, AuthURL: strings.TrimRight(string(c.OAuthAuthURL), "/"),
		Scopes: c.OAuthScopes,
		Origin: c.WebhookURL.Origin(), UserAgent: c.userAgent(), InUse: c.ByInstallation(),
		Account: c.accountOf(log), Hide: func(token string) { c.filter.hide(installedToken, token, false) },
		Kept: func(token string) { c.filter.hide(installedToken, token, true) },
	}
}

// accountOf returns a function that asks the marketplace for the account of a token.
func (c *Setup) accountOf(log *slog.Logger) func(context.Context, string) (string, error) {
	return func(ctx context.Context, token string) (string, error) {
		market := c.openMarketplace(token, log)
		account, err := market.Account(ctx)
		return account, errors.Join(err, market.Close())
	}
}

// tokenIn returns the marketplace's token: the configured one, else the one of the installation in
// the store. It is "" if there is none yet.
func (c *Setup) tokenIn(ctx context.Context, s store.Store, log *slog.Logger) (string, error) {
	if !c.ByInstallation() {
		return c.MarketplaceToken, nil
	}
	i, ok, err := store.InstallationOf(ctx, s)
	if err != nil || !ok {
		return "", err
	}
	return c.unseal(i, log), nil
}

// unseal returns the token of an installation, or "" if the app's secret does not open it.
func (c *Setup) unseal(i store.Installation, log *slog.Logger) string {
	token, err := i.Token(c.OAuthClientSecret)
	if err != nil {
		log.Warn("token of the installation stays sealed", "error", err)
		c.sealed = err.Error()
		return ""
	}
	c.filter.hide(installedToken, token, true)
	return token
}

// findToken returns the marketplace's token for a command that needs no store. The token of an
// installation is in the store; if a worker holds that, the worker is asked.
func (c *Setup) findToken(ctx context.Context, log *slog.Logger) (string, error) {
	if !c.ByInstallation() || c.StoreMissing() {
		return c.MarketplaceToken, nil
	}
	d, err := c.OpenDesk(log, ToRead)
	if err != nil {
		return "", err
	}
	i, err := d.Installation(ctx)
	if err = errors.Join(err, d.Close()); err != nil || i.Sealed == "" {
		return "", err
	}
	return c.unseal(i, log), nil
}

// AskMarketplace opens the marketplace for a command that needs no store.
func (c *Setup) AskMarketplace(ctx context.Context, log *slog.Logger) (*marketplace.Client, error) {
	token, err := c.findToken(ctx, log)
	return c.openMarketplace(token, log), err
}
