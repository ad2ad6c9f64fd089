package connector

import (
	"errors"

	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/store"
)

// appSecret is the secret of the public app, "" where pubsync is none.
func (c *Connector) appSecret() string {
	if c.o.App == nil {
		return ""
	}
	return c.o.App.Secret
}

// wireApp makes what has pubsync installed as a public app. A token that comes by installation is used at once, unless a configured one wins.
func (c *Connector) wireApp() {
	if c.o.App == nil {
		return
	}
	o := *c.o.App
	installed := func(token, account string) {
		o.Kept(token)
		if account != "" {
			_ = c.webhooks.receiver.Accounts.Installed(account) //nolint:errcheck // the store's trouble is told of there
		}
		if !o.InUse {
			c.o.Logger.Warn("the installation's token is kept, and not used: PUBSYNC_MARKETPLACE_TOKEN is set, and wins")
			return
		}
		c.secrets.Installed(token)
	}
	c.app = install.NewHandler(install.Options{
		ClientID: o.ClientID, Secret: func() string { return c.secrets.Get().ClientSecret }, AuthURL: o.AuthURL, Scopes: o.Scopes, Origin: o.Origin,
		UserAgent: o.UserAgent, Store: c.o.Store, Account: o.Account, Hide: o.Hide, Installed: installed, StoreFailed: c.health.StoreFailed,
		Known: listener.Keep, Count: func(result string) { c.metrics.installs.WithLabelValues(result).Inc() }, Log: c.o.Logger,
	})
}

// reseal has the stored token open with the app's new secret. Where the old secret does not open it either, the next start says so.
func (c *Connector) reseal(old, fresh string) {
	if err := store.ResealInstallation(c.o.Store, old, fresh); err != nil && !errors.Is(err, store.ErrSealed) {
		c.health.StoreFailed(err)
	}
}
