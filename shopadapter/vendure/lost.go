package vendure

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
)

// lost is the product that a ref points to, where it was made for the publication, is on sale, and
// somebody cleared its pubsyncId; nil where there is none. It is an error until a person asks for
// the product.
func (a *Adapter) lost(ctx context.Context, ref shopadapter.Ref) (*product, error) {
	if ref.Listing == "" {
		return nil, nil
	}
	var answer struct {
		Product *product `json:"product"`
	}
	if err := a.call(ctx, lostDocument, map[string]any{"id": ref.Listing}, &answer); err != nil {
		return nil, step.Within("read product", err)
	}
	p := answer.Product
	if p == nil || p.key() != "" || !p.Enabled || !p.madeFor(ref) {
		return nil, nil
	}
	if !ref.Revive {
		called := p.ID
		if len(p.Translations) > 0 {
			called += " «" + p.Translations[0].Name + "»"
		}
		return nil, skeleton.Unstamped(ref, a.scrub(called))
	}
	return p, nil
}

// madeFor reports whether a product without a key was made for the publication: the State says so,
// or the stamp, which is a field of its own.
func (p *product) madeFor(ref shopadapter.Ref) bool {
	s := p.stamp()
	return idIn(ref) == p.ID || s.Complete() && s.Owns(ref.Publication, p.ID)
}

// key is what the product holds in pubsyncId, "" for nothing.
func (p *product) key() string {
	if p.CustomFields.PubsyncID == nil {
		return ""
	}
	return *p.CustomFields.PubsyncID
}
