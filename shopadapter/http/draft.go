package httpshop

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
)

// mayDraft is why an endpoint is not asked for a draft: GET /health does not say with "drafts": true
// that it makes them, and one that overlooks the member would put the product on sale.
func (a *adapter) mayDraft(ctx context.Context, p shopadapter.Product) error {
	if !p.Draft {
		return nil
	}
	said, err := a.said.Get(ctx, false)
	if err != nil || bool(said.Drafts) {
		return err
	}
	a.said.Forget()
	return shopadapter.Block("the shop's endpoint does not say that it makes drafts (GET /health with \"drafts\": " +
		"true), so that PUBSYNC_PUBLISH_AS=draft would put products on sale: have it say so, or set PUBSYNC_PUBLISH_AS=live").
		Everywhere()
}
