package woocommerce

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// heldTexts are the text groups as the product was last seen.
func (w *write) heldTexts() map[shopadapter.Fields]stamp.Hash {
	return map[shopadapter.Fields]stamp.Hash{
		shopadapter.FieldTitle:       words.HashTitle(string(w.view.Name)),
		shopadapter.FieldDescription: words.HashDescription(string(w.view.Content)),
		shopadapter.FieldCategory:    w.a.categories.Hash(w.view.Categories),
		shopadapter.FieldImages:      w.heldPictures(),
	}
}

// remembering is a stamp about to be written that knows what the shop holds now: what was seen, or
// what a write without an answer has put there since. PHP writes the stamp before the text; where
// it dies between the two, the old text is no edit of the merchant's.
func (w *write) remembering(s productStamp) productStamp {
	before := readStamp(w.written)
	if before.ID == "" {
		return s
	}
	said, held := before.texts(), w.heldTexts()
	for group, last := range s.texts() {
		if last.Hash == said[group].Hash && len(w.unheard) == 0 {
			last.Before = said[group].Before
			continue
		}
		may := []stamp.Hash{held[group]}
		for _, sent := range w.unheard {
			may = append(may, sent.texts()[group].Hash)
		}
		last.Instead(may...)
	}
	return s
}

func (w *write) planTexts() {
	held := w.heldTexts()
	if w.Decide(shopadapter.FieldTitle, held[shopadapter.FieldTitle], words.HashTitle(w.want.title), &w.stamp.Title) {
		w.fields["name"] = w.want.title
	}
	if w.Decide(
		shopadapter.FieldDescription,
		held[shopadapter.FieldDescription],
		words.HashDescription(w.want.description),
		&w.stamp.Description,
	) {
		w.fields["description"] = w.want.description
	}
}

// planCategory leaves a product where it is when the shop has no category for it.
func (w *write) planCategory(ctx context.Context) error {
	if !w.Changed.Has(shopadapter.FieldCategory) {
		return nil
	}
	held := w.a.categories.Hash(w.view.Categories)
	if deleted, err := w.a.uncategorized(ctx, held, w.stamp); err != nil {
		return err
	} else if deleted {
		w.stamp.Category.Hash = held // nobody chose that
	}
	// a category that the merchant chose stays, and another would stand empty
	id, err := w.categorize(ctx, held.Exact == w.stamp.Category.Exact)
	if err != nil || id == 0 {
		return err
	}
	want := w.a.categories.Hash([]rest.Placement{{ID: rest.Number(id)}})
	if w.Decide(shopadapter.FieldCategory, held, want, &w.stamp.Category) {
		w.fields["categories"] = []map[string]any{{"id": id}}
	}
	return nil
}

// uncategorized reports whether a product has no category since somebody deleted the one that was
// written, which is no edit of the product.
func (a *adapter) uncategorized(ctx context.Context, held stamp.Hash, s productStamp) (bool, error) {
	if held.Exact != "" {
		return false, nil
	}
	return a.categories.Deleted(ctx, s.Category.Hash)
}

// stampAsWritten is the stamp as the shop holds it: for a write that holds none of the texts that
// the new one speaks of.
func (w *write) stampAsWritten() productStamp {
	if s := readStamp(w.written); s.ID != "" {
		return s
	}
	return w.stamp
}
