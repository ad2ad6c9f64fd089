package connector

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/shopadapter"
)

// Secrets may change while the worker runs. An empty field has not changed.
type Secrets struct {
	MarketplaceToken string
	WebhookSecret    string
	PathToken        string
	AdminToken       string
	ClientSecret     string              // of the public app
	Shop             shopadapter.Adapter // with new credentials; nil: not changed
}

const rereadEvery = 10 * time.Second

func (c *Connector) watchSecrets(ctx context.Context) {
	for c.o.Reread != nil && ctx.Err() == nil {
		engine.Sleep(ctx, rereadEvery)
		c.reread(ctx)
	}
}

// reread takes changed secrets into use, ends the pause of the side that refused the old ones, and reports whether
// the marketplace's token is new. A listener without a secret gets none: its paths are opened at the start.
func (c *Connector) reread(ctx context.Context) (token bool) {
	if c.o.Reread == nil || ctx.Err() != nil {
		return false
	}
	c.reading.Lock() // the later reading's secrets stay in use
	defer c.reading.Unlock()
	fresh, next := c.o.Reread(), *c.secrets.Load()
	for old, secret := range map[*string]string{
		&next.WebhookSecret: fresh.WebhookSecret, &next.PathToken: fresh.PathToken,
		&next.AdminToken: fresh.AdminToken, &next.ClientSecret: fresh.ClientSecret,
	} {
		if secret != "" && *old != "" {
			*old = secret
		}
	}
	c.secrets.Store(&next)
	if fresh.Shop != nil {
		c.o.Logger.Info("shop's credentials are new, going on with them")
		c.UseShop(fresh.Shop)
		c.ShopSide.Release()
		c.Unblock(ctx)
	}
	if token = c.o.Marketplace.SetToken(fresh.MarketplaceToken); token {
		c.o.Logger.Info("marketplace token is new, going on with it")
		c.tokenRenewed()
	}
	return token
}
