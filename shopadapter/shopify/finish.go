package shopify

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// mediaWaits are the pauses between looks at pictures that the shop is still processing. A product that is not on sale yet waits for them; when
// they are over it is put on sale all the same.
func mediaWaits() []time.Duration {
	return []time.Duration{2 * time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second}
}

// finish writes what can only follow the product itself: translations, the stamp with what the shop made of the write, and the sale.
func (w *write) finish(ctx context.Context) error {
	if err := w.awaitMedia(ctx); err != nil {
		return err
	}
	translations, err := w.translate(ctx)
	if err != nil {
		return err
	}
	w.stamp.Done = true
	var parts []part
	variables := input{}
	if len(translations) > 0 {
		parts = append(parts, partTranslate)
		variables["resource"], variables["translations"] = w.have.ID, translations
	}
	if !w.have.Published {
		parts = append(parts, partPublish)
		variables["publishable"] = w.have.ID
		variables["publications"] = []input{{"publicationId": w.shop.publication.ID}}
	}
	update := input{"id": w.have.ID}
	if !w.have.live() {
		update["status"] = active
	}
	stored := w.stamp.encode()
	if stored != w.stored {
		update["metafields"] = []input{w.stampInput()}
	}
	if len(update) > 1 {
		parts = append(parts, partUpdate)
		variables["update"] = update
	}
	if len(parts) == 0 {
		return nil
	}
	var answer writeAnswer
	err = w.a.call(ctx, request{
		operation: "Finish", document: writeDocument(parts...), variables: variables, estimate: costMutation * float64(len(parts)),
	}, &answer)
	if err != nil {
		return within("finish product", err)
	}
	return w.finished(ctx, parts, answer)
}

// finished judges the answer part by part.
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
				w.a.forgetShop(ctx)
				return shopadapter.Block("the product cannot be published to the sales channel %s: %s", w.a.scrub(w.shop.publication.Name),
					w.a.scrub(answer.Publish.Errors[0].Message))
			}
			if answer.Publish == nil {
				return shopadapter.Retry("the shop's answer lacks the publication")
			}
			w.have.adoptWords(answer.Publish.Publishable)
			w.have.Published = true
		case partUpdate:
			if err := w.took(answer.Update); err != nil {
				return within("put product on sale", err)
			}
			w.have.adoptWords(answer.Update.Product)
			w.stored = w.stamp.encode()
		}
	}
	return nil
}

// awaitMedia looks at the pictures until the shop has processed them, or the waits are over. A product that is on sale already waits only for the
// ids of its new pictures.
func (w *write) awaitMedia(ctx context.Context) error {
	sold := w.have.onSale()
	for _, wait := range w.a.waits {
		if short := len(w.have.Media.Nodes) < len(w.sent); !short && (sold || !w.processing()) {
			break
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
		var answer struct {
			Product *product `json:"product"`
		}
		err := w.a.call(ctx, request{
			operation: "Media", document: mediaDocument, estimate: 5 + mostImages, variables: input{"id": w.have.ID},
		}, &answer)
		switch {
		case err != nil:
			return within("read pictures", err)
		case answer.Product == nil:
			return shopadapter.Retry("the product was deleted while it was written")
		}
		w.have.Media = answer.Product.Media
		if w.uploads {
			w.settleImages()
		}
	}
	for _, m := range w.have.Media.Nodes {
		if w.uploads && m.Status == mediaFailed {
			w.a.logger.WarnContext(ctx, "image failed", slog.String("publication", string(w.publication)), slog.String("media", number(m.ID)))
		}
	}
	return nil
}

func (w *write) processing() bool {
	return slices.ContainsFunc(w.have.Media.Nodes, func(m media) bool { return m.Status != mediaReady && m.Status != mediaFailed })
}
