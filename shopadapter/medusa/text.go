package medusa

import (
	"context"
	"net/http"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A translation is a product's text in one locale.
type translation struct {
	ID     string `json:"id"`
	Locale string `json:"locale_code"`
	Texts  struct {
		Title       string `json:"title"`
		Description string `json:"description"`
	} `json:"translations"`
}

// translationsOf reads what the shop holds, by locale.
func (a *Adapter) translationsOf(ctx context.Context, product string) (map[string]translation, error) {
	var answer struct {
		Translations []translation `json:"translations"`
	}
	q := query{"reference": "product", "reference_id": product, "limit": "200"}
	if err := a.call(ctx, http.MethodGet, "translations", q, nil, &answer); err != nil {
		return nil, step.Within("read translations", err)
	}
	held := map[string]translation{}
	for _, t := range answer.Translations {
		held[t.Locale] = t
	}
	return held, nil
}

// writeTranslations writes the texts of the store's other locales. The title of a translation belongs to the description's group.
func (w *write) writeTranslations(ctx context.Context) error {
	if len(w.shop.locales) == 0 || !w.merge.Changed.Any(shopadapter.FieldTitle|shopadapter.FieldDescription) {
		return nil
	}
	held, err := w.a.translationsOf(ctx, w.held.ID)
	if err != nil {
		return err
	}
	if w.note.Translations == nil {
		w.note.Translations = map[string]textNote{}
	}
	var fresh, changes []input
	for _, locale := range w.shop.locales {
		text, ok := w.textIn(locale)
		have, there := held[locale]
		// The product itself speaks its own language. A translation into that would hide what the merchant writes there.
		if !ok || !there && language(locale) == language(w.product.Language) {
			continue
		}
		known, texts := w.note.Translations[locale], input{}
		if !there {
			known, texts = textNote{}, input{"title": text.Title, "description": text.Description}
			known.Title.Hash, known.Description.Hash = stamp.HashText(text.Title), stamp.HashText(text.Description)
			fresh = append(fresh, input{"reference": "product", "reference_id": w.held.ID, "locale_code": locale, "translations": texts})
		} else {
			w.decide(&known.Title, have.Texts.Title, text.Title, "title", texts)
			w.decide(&known.Description, have.Texts.Description, text.Description, "description", texts)
			if len(texts) > 0 {
				changes = append(changes, input{"id": have.ID, "translations": texts})
			}
		}
		w.note.Translations[locale] = known
	}
	if len(fresh)+len(changes) == 0 {
		return nil
	}
	if err := w.announce(ctx); err != nil {
		return err
	}
	batch := input{"create": present(fresh), "update": present(changes)}
	return step.Within("write translations", w.a.call(ctx, http.MethodPost, "translations/batch", nil, batch, nil))
}

// decide adds a text of a translation to what is written.
func (w *write) decide(last *stamp.Written, have, want, name string, texts input) {
	if w.decides(shopadapter.FieldDescription, stamp.HashText(have), stamp.HashText(want), last) {
		texts[name] = want
	}
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

func present(list []input) []input {
	if list == nil {
		return []input{}
	}
	return list
}
