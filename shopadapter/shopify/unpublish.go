package shopify

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// Unpublish makes the product a draft, which keeps it in the back office, or deletes it for good.
// It is found by the publication's key alone, so a wrong hint never leads to a product of the
// merchant's own.
func (a *Adapter) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (note string, err error) {
	return "", a.unpublish(ctx, ref, how)
}

func (a *Adapter) unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) error {
	s, err := a.knowShop(ctx)
	if err != nil {
		return err
	}
	p, err := a.find(ctx, s, ref)
	if err != nil || p == nil {
		return err
	}
	if how == shopadapter.Delete {
		return a.remove(ctx, s, ref, p)
	}
	if !p.live() {
		return nil
	}
	var answer writeAnswer
	err = a.call(ctx, request{
		document: writeDocument("Withdraw", partUpdate), estimate: costMutation,
		variables: input{"update": input{"id": p.ID, "status": draft}},
	}, &answer)
	switch {
	case err != nil:
		return step.Within("withdraw product", err)
	case answer.Update == nil:
		return shopadapter.Retry("the shop's answer lacks the product")
	case len(answer.Update.Errors) > 0:
		return a.unless(ctx, s, ref, step.Within("withdraw product", a.refusal(answer.Update.Errors[0])))
	}
	return nil
}

func (a *Adapter) remove(ctx context.Context, s *shop, ref shopadapter.Ref, p *product) error {
	var answer struct {
		Delete *payload `json:"productDelete"`
	}
	err := a.call(ctx, request{
		document: deleteDocument, estimate: costMutation, variables: input{"input": input{"id": p.ID}},
	}, &answer)
	switch {
	case err != nil:
		return step.Within("delete product", err)
	case answer.Delete == nil:
		return shopadapter.Retry("the shop's answer lacks the product")
	case len(answer.Delete.Errors) > 0:
		return a.unless(ctx, s, ref, shopadapter.Block("the shop does not delete the product %s: %s", number(p.ID),
			a.scrub(answer.Delete.Errors[0].Message)))
	}
	return nil
}

// unless is nil when the product is gone meanwhile, else err.
func (a *Adapter) unless(ctx context.Context, s *shop, ref shopadapter.Ref, err error) error {
	if p, failed := a.find(ctx, s, ref); failed == nil && p == nil {
		return nil
	}
	return err
}
