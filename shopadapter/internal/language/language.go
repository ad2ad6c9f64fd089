// Package language finds the supplier's texts for the languages that a shop shows.
package language

import (
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// In is the product's text for a locale of the shop: in the product's own language its own text,
// else the first translation that has a title. The title of a translation belongs to the
// description's group. ok is false where the supplier has none.
func In(p shopadapter.Product, locale string) (text shopadapter.Translation, title shopadapter.Fields, ok bool) {
	if Speaks(locale, p.Language) {
		return shopadapter.Translation{Title: p.Title, Description: p.Description}, shopadapter.FieldTitle, true
	}
	for _, tag := range slices.Sorted(maps.Keys(p.Translations)) {
		if text := p.Translations[tag]; Speaks(locale, tag) && strings.TrimSpace(text.Title) != "" {
			return text, shopadapter.FieldDescription, true
		}
	}
	return shopadapter.Translation{}, 0, false
}

// Speaks tells whether a text in a language may stand where the shop wants a locale: nl in nl-BE,
// but nothing of another language.
func Speaks(locale, language string) bool {
	locale, language = strings.ReplaceAll(locale, "_", "-"), strings.ReplaceAll(language, "_", "-")
	base, _, _ := strings.Cut(locale, "-")
	return strings.EqualFold(locale, language) || strings.EqualFold(base, language)
}
