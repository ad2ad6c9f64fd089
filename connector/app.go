package connector

import (
	"context"

	"github.com/pubsync/pubsync/connector/install"
)

// appSecret is the secret of the public app, "" where pubsync is none.
func (c *Connector) appSecret() string {
	if c.o.App == nil {
		return ""
	}
	return c.o.App.Secret
}

// wireApp makes the handler that installs pubsync as a public app. The token of an installation is
// used at once, unless a configured one wins.
func (c *Connector) wireApp() {
	if c.o.App == nil {
		return
	}
	o := *c.o.App
	installed := func(ctx context.Context, token string) {
		o.Kept(token)
		if !o.InUse {
			c.o.Logger.Warn(
				"the installation's token is kept, and not used: PUBSYNC_MARKETPLACE_TOKEN is set, and wins",
			)
			return
		}
		c.secrets.Installed(ctx, token)
	}
	c.app = install.NewHandler(install.Options{
		ClientID: o.ClientID, Secret: func() string { return c.secrets.Get().ClientSecret }, AuthURL: o.AuthURL,
		Scopes: o.Scopes, Origin: o.Origin, Transport: o.Transport,
		UserAgent: o.UserAgent, Store: c.o.Store, Account: o.Account, Hide: o.Hide, Installed: installed,
		StoreFailed: c.health.StoreFailed, Count: c.metrics.Installation, Log: c.o.Logger,
	})
}
