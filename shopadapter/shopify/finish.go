package shopify

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// Sell writes what needs the product's ids: translations, the stamp in the form that the shop reads
// back, and the publication to the sales channel.
//
// Variants that a person asked for come before the product, so that it does not go on sale without
// them.
func (w *write) Sell(ctx context.Context) error {
	if err := w.revive(ctx); err != nil {
		return err
	}
	if w.Unclear == nil {
		w.stamp.Choices = w.choices
	}
	w.stamp.Done = true
	var parts []part
	variables := input{}
	if len(w.translated) > 0 {
		parts = append(parts, partTranslate)
		variables["resource"], variables["translations"] = w.have.ID, w.translated
	}
	if !w.have.Published {
		parts = append(parts, partPublish)
		variables["publishable"] = w.have.ID
		variables["publications"] = []input{{"publicationId": w.shop.publication.ID}}
	}
	update := input{"id": w.have.ID}
	if !w.have.live() && !w.StaysDraft {
		update["status"] = active
	}
	stored := stamp.Encode(w.stamp)
	if stored != w.stored {
		update["metafields"] = []input{w.stampInput()}
	}
	if len(update) > 1 {
		parts = append(parts, partUpdate)
		variables["update"] = update
	}
	if len(parts) == 0 {
		w.confirmed = true
		return nil
	}
	var answer writeAnswer
	err := w.a.call(ctx, request{
		document: writeDocument("Finish", parts...), variables: variables, estimate: costMutation * float64(len(parts)),
	}, &answer)
	if err != nil {
		return step.Within("finish product", err)
	}
	return w.finished(ctx, parts, answer)
}

// finished checks the answer of each part.
func (w *write) finished(ctx context.Context, parts []part, answer writeAnswer) error {
	for _, p := range parts {
		switch p {
		case partTranslate:
			if answer.Translate == nil {
				return shopadapter.Retry("the shop's answer lacks the translations")
			}
			w.reportTranslations(ctx, answer.Translate.Errors)
		case partPublish:
			if answer.Publish != nil && len(answer.Publish.Errors) > 0 {
				w.a.shop.Forget()
				return shopadapter.Block(
					"the product cannot be published to the sales channel %s: %s",
					w.a.scrub(w.shop.publication.Name),
					w.a.scrub(answer.Publish.Errors[0].Message),
				)
			}
			if answer.Publish == nil {
				return shopadapter.Retry("the shop's answer lacks the publication")
			}
			w.have.adoptWords(answer.Publish.Publishable)
			w.have.Published = true
		case partUpdate:
			if err := w.a.took(answer.Update); err != nil {
				return step.Within("put product on sale", err)
			}
			w.have.adoptWords(answer.Update.Product)
			w.stored = stamp.Encode(w.stamp)
		}
	}
	w.confirmed = true
	return nil
}
