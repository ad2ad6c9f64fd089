package connector

import (
	"context"
	"errors"

	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/store"
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
func (c *Connector) wireApp(ctx context.Context) {
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
	// a secret that was offered may have been changed back since
	if _, err := store.OfferSecret(ctx, c.o.Store, o.Secret); err != nil && !errors.Is(err, store.ErrSealed) {
		c.health.StoreFailed(err)
	}
	c.app = install.NewHandler(install.Options{
		ClientID: o.ClientID, Secrets: func() []string { return c.secrets.Get().AppSecrets() }, Proved: c.secrets.Proved,
		Refused: c.secrets.Refused, AuthURL: o.AuthURL, Scopes: o.Scopes, Origin: o.Origin,
		Transport: o.Transport, StateSecret: o.StateSecret,
		UserAgent: o.UserAgent, Store: c.o.Store, Account: o.Account, Hide: o.Hide, Installed: installed,
		StoreFailed: c.health.StoreFailed, Count: c.metrics.Installation, Log: c.o.Logger,
	})
}

// offerSecret seals the stored token with a new secret of the app beside the known ones. Where only
// the new one opens it, the token is used from now on.
func (c *Connector) offerSecret(ctx context.Context, fresh string, known []string) (proved bool) {
	proved, err := store.OfferSecret(context.WithoutCancel(ctx), c.o.Store, fresh, known...)
	switch {
	case errors.Is(err, store.ErrSealed):
		c.o.Logger.Warn("token of the installation stays sealed", "error", err)
	case err != nil:
		c.health.StoreFailed(err)
	case proved:
		c.unseal(ctx, fresh, known)
	}
	return proved
}

// unseal begins to use a stored token that the known secrets did not open.
func (c *Connector) unseal(ctx context.Context, fresh string, known []string) {
	i, ok, err := store.InstallationOf(ctx, c.o.Store)
	if err != nil || !ok || !c.o.App.InUse {
		return
	}
	for _, secret := range known {
		if _, err := i.Token(secret); err == nil {
			return // it is in use
		}
	}
	token, err := i.Token(fresh)
	if err != nil {
		return
	}
	c.o.App.Kept(token)
	c.o.Logger.Info("token of the installation is open again, going on with it")
	c.secrets.Installed(ctx, token)
}

// proveSecret seals the stored token with the one secret that the marketplace has proved to use.
func (c *Connector) proveSecret(ctx context.Context, secret string) error {
	err := store.ProveSecret(context.WithoutCancel(ctx), c.o.Store, secret)
	if err != nil {
		c.health.StoreFailed(err)
	}
	return err
}
