package shopify

import (
	"context"
	"log/slog"
	"regexp"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// localeName is a language tag that may stand in a document.
var localeName = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

// The keys under which Shopify keeps the translations of a product's texts.
const (
	keyTitle       = "title"
	keyDescription = "body_html"
)

// A translation is a text that belongs into one language and key of the store.
type translation struct {
	locale, key, text string
	group             shopadapter.Fields
}

// translations are the texts to have in the store's other languages, as far as the supplier has
// them and they are to be written.
func (w *write) translations() []translation {
	var list []translation
	for _, locale := range w.shop.locales {
		t, ok := wordsIn(w.Product, locale)
		if !ok {
			continue
		}
		for _, c := range []translation{
			{locale, keyTitle, t.title, t.titleGroup}, {locale, keyDescription, t.description, shopadapter.FieldDescription},
		} {
			if c.text != "" && w.Changed.Has(c.group) {
				list = append(list, c)
			}
		}
	}
	return list
}

// planTranslations makes the stamp know the translations before they are written, since the two
// cannot be written in one step.
func (w *write) planTranslations() {
	for _, t := range w.translations() {
		if w.stamp.Translations == nil {
			w.stamp.Translations = map[string]map[string]stamp.Written{}
		}
		if w.stamp.Translations[t.locale] == nil {
			w.stamp.Translations[t.locale] = map[string]stamp.Written{}
		}
		w.stamp.Translations[t.locale][t.key] = w.stamp.Translations[t.locale][t.key].Then(stamp.HashMarkup(t.text))
	}
}

type shownText struct {
	Key      string `json:"key"`
	Value    string `json:"value"`
	Outdated bool   `json:"outdated"`
}

// Translate compares the translations with what the shop has, for Sell to write those that differ. A
// translation that the merchant edited stays.
func (w *write) Translate(ctx context.Context) error {
	wanted := w.translations()
	if len(wanted) == 0 {
		return nil
	}
	digests, shown, err := w.translatable(ctx, wanted)
	if err != nil {
		return err
	}
	for _, t := range wanted {
		original, ok := digests[t.key]
		if !ok {
			continue // the product has no such text in the store's own language
		}
		have := shown[t.locale][t.key]
		held, last := stamp.HashMarkup(have.Value), w.stamp.Translations[t.locale][t.key]
		switch {
		case held == stamp.HashMarkup(t.text) && !have.Outdated:
			continue
		case have.Value != "" && !last.IsOwn(held, true) && w.Keep(t.group):
			continue
		}
		w.translated = append(
			w.translated,
			input{"locale": t.locale, "key": t.key, "value": t.text, "translatableContentDigest": original},
		)
	}
	return nil
}

// translatable asks for the digests of the original texts, and for the translations that are there.
func (w *write) translatable(
	ctx context.Context,
	wanted []translation,
) (map[string]string, map[string]map[string]shownText, error) {
	var locales []string
	for _, t := range wanted {
		if !slices.Contains(locales, t.locale) {
			locales = append(locales, t.locale)
		}
	}
	var answer struct {
		Resource map[string][]struct {
			shownText
			Digest string `json:"digest"`
		} `json:"translatableResource"`
	}
	err := w.a.call(ctx, request{
		document: translatableDocument(locales), estimate: 10, variables: input{"id": w.have.ID},
	}, &answer)
	switch {
	case err != nil:
		return nil, nil, step.Within("read translations", err)
	case answer.Resource == nil:
		return nil, nil, shopadapter.Retry("the product was deleted while it was written")
	}
	digests, shown := map[string]string{}, map[string]map[string]shownText{}
	for _, c := range answer.Resource["translatableContent"] {
		if c.Digest != "" {
			digests[c.Key] = c.Digest
		}
	}
	for _, locale := range locales {
		shown[locale] = map[string]shownText{}
		for _, c := range answer.Resource[alias(locale)] {
			shown[locale][c.Key] = c.shownText
		}
	}
	return digests, shown, nil
}

// reportTranslations logs the translations that the shop refused. The product is on sale without
// them.
func (w *write) reportTranslations(ctx context.Context, faults userErrors) {
	for _, e := range faults {
		w.a.logger.WarnContext(ctx, "translation left out", slog.String("publication", string(w.Ref.Publication)),
			slog.String("reason", w.a.scrub(e.Message)))
	}
}
