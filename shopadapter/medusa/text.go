package medusa

import (
	"context"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A translation is a product's text in one locale.
type translation struct {
	ID     string                  `json:"id"`
	Locale string                  `json:"locale_code"`
	Texts  shopadapter.Translation `json:"translations"`
}

// translationsOf reads what the shop holds.
func (a *Adapter) translationsOf(ctx context.Context, product string) ([]translation, error) {
	got, err := a.get(ctx, "read translations", "translations", query{"reference": "product", "reference_id": product, "limit": "200"})
	return got.Translations, err
}

// planText adds to fields the texts that are to be written. The title of a translation belongs to the description's group.
func (w *write) planText(last *textNote, titles shopadapter.Fields, have, want shopadapter.Translation, fields input) {
	if w.decides(titles, stamp.HashText(have.Title), stamp.HashText(want.Title), &last.Title) {
		fields["title"] = want.Title
	}
	if w.decides(shopadapter.FieldDescription, stamp.HashText(have.Description), stamp.HashText(want.Description), &last.Description) {
		fields["description"] = want.Description
	}
}

// writeTranslations writes the texts of the store's other locales.
func (w *write) writeTranslations(ctx context.Context) error {
	if len(w.shop.locales) == 0 || !w.Changed.Any(shopadapter.FieldTitle|shopadapter.FieldDescription) {
		return nil
	}
	held, err := w.a.translationsOf(ctx, w.held.ID)
	if err != nil {
		return err
	}
	if w.note.Translations == nil {
		w.note.Translations = map[string]textNote{}
	}
	fresh, changes := []input{}, []input{}
	for _, locale := range w.shop.locales {
		text, ok := w.textIn(locale)
		i := slices.IndexFunc(held, func(t translation) bool { return t.Locale == locale })
		// The product itself speaks its own language. A translation into that would hide what the merchant writes there.
		if !ok || i < 0 && language(locale) == language(w.product.Language) {
			continue
		}
		known, texts := w.note.Translations[locale], input{}
		if i < 0 {
			texts = input{"title": text.Title, "description": text.Description}
			known = textNote{stamp.Written{Hash: stamp.HashText(text.Title)}, stamp.Written{Hash: stamp.HashText(text.Description)}}
			fresh = append(fresh, input{"reference": "product", "reference_id": w.held.ID, "locale_code": locale, "translations": texts})
		} else if w.planText(&known, shopadapter.FieldDescription, held[i].Texts, text, texts); len(texts) > 0 {
			changes = append(changes, input{"id": held[i].ID, "translations": texts})
		}
		w.note.Translations[locale] = known
	}
	if len(fresh)+len(changes) == 0 {
		return nil
	}
	if err := w.announce(ctx); err != nil {
		return err
	}
	_, err = w.a.post(ctx, "write translations", "translations/batch", nil, input{"create": fresh, "update": changes})
	return err
}

// textIn is the supplier's text for a locale.
func (w *write) textIn(locale string) (shopadapter.Translation, bool) {
	for tag, text := range w.product.Translations {
		if language(tag) == language(locale) && strings.TrimSpace(text.Title) != "" {
			return text, true
		}
	}
	return shopadapter.Translation{}, false
}

// language is the first part of a language tag: nl of nl-BE.
func language(tag string) string {
	first, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	return strings.ToLower(first)
}
