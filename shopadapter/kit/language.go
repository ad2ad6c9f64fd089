package kit

import (
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Row is the product's texts in one language of the shop.
type Row struct {
	Locale, Title, Description string

	// Group is the one that the title belongs to: the description's, but for the product's own language.
	Group shopadapter.Fields
}

// Rows are the texts in the languages of a shop that the supplier has. The first are those in the
// shop's own language, in the product's own words where the supplier has none in it.
func Rows(p shopadapter.Product, own string, others []string) (all []Row) {
	for i, locale := range append([]string{own}, others...) {
		text, group, ok := TextIn(p, locale)
		known := slices.ContainsFunc(all, func(r Row) bool { return r.Locale == locale })
		if i > 0 && (!ok || known) {
			continue
		}
		if !ok {
			text, group, _ = TextIn(p, p.Language)
		}
		all = append(all, Row{locale, text.Title, text.Description, group})
	}
	return all
}

// TextIn is the product's text for a locale of the shop: in the product's own language its own text,
// else the first translation that has a title. The title of a translation belongs to the
// description's group. ok is false where the supplier has none.
func TextIn(p shopadapter.Product, locale string) (text shopadapter.Translation, title shopadapter.Fields, ok bool) {
	if speaks(locale, p.Language) {
		return shopadapter.Translation{Title: p.Title, Description: p.Description}, shopadapter.FieldTitle, true
	}
	for _, tag := range slices.Sorted(maps.Keys(p.Translations)) {
		if text := p.Translations[tag]; speaks(locale, tag) && strings.TrimSpace(text.Title) != "" {
			return text, shopadapter.FieldDescription, true
		}
	}
	return shopadapter.Translation{}, 0, false
}

// speaks tells whether a text in a language may stand where the shop wants a locale: nl in nl-BE,
// but nothing of another language.
func speaks(locale, language string) bool {
	locale, language = strings.ReplaceAll(locale, "_", "-"), strings.ReplaceAll(language, "_", "-")
	base, _, _ := strings.Cut(locale, "-")
	return strings.EqualFold(locale, language) || strings.EqualFold(base, language)
}
