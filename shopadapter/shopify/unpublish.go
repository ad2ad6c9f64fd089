package shopify

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
)

// Unpublish makes the product a draft, which the back office keeps, or deletes it for good. Only the key leads to
// it, so a wrong hint never touches a product of the merchant's own.
func (a *Adapter) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (note string, err error) {
	s, err := a.shop.Get(ctx, false)
	if err != nil {
		return "", err
	}
	see := sight{name: "Find", fields: pageFields + noteFields, points: 5}
	p, err := a.find(ctx, s, ref, see)
	if err != nil || p == nil || !p.belongs(ref.Publication) || how == shopadapter.TakeOffline && !p.live() {
		return "", err
	}
	r := request{doing: "withdraw product", document: document("mutation", "Withdraw", partUpdate), estimate: costMutation}
	r.variables = input{"update": input{"id": p.ID, "status": draft}}
	if how == shopadapter.Delete {
		r.doing, r.document, r.variables = "delete product", deleteDocument, input{"input": input{"id": p.ID}}
	}
	got, err := a.call(ctx, r)
	switch {
	case err != nil:
		return "", err
	case how == shopadapter.TakeOffline:
		err = a.took(r.doing, got.Update)
	case got.Delete != nil && len(got.Delete.Errors) > 0:
		err = shopadapter.Block("the shop does not delete the product %s: %s", number(p.ID),
			a.clean(got.Delete.Errors[0].Message))
	default:
		err = a.took(r.doing, got.Delete)
	}
	if err != nil {
		if p, failed := a.find(ctx, s, ref, see); failed == nil && p == nil {
			return "", nil // deleted meanwhile
		}
	}
	return "", err
}

func (a *Adapter) took(doing string, p *payload) error {
	switch {
	case p == nil:
		return fmt.Errorf("%s: %w", doing, shopadapter.Retry("the shop's answer lacks a part"))
	case len(p.Errors) > 0:
		return fmt.Errorf("%s: %w", doing, a.refusal(p.Errors[0]))
	}
	return nil
}
