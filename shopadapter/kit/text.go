package kit

import (
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Text is the note of a title and a description in one language. Only the title's group varies.
type Text struct {
	Title       Written `json:"title"`
	Description Written `json:"description"`
}

// WrittenText is the note of texts written where there were none.
func WrittenText(texts shopadapter.Translation) Text {
	return Text{Written{Hash: HashText(texts.Title)}, Written{Hash: HashText(texts.Description)}}
}

// DecideText is [Merge.Decide] for a Text. write holds what to write, under title and description.
func (m *Merge) DecideText(
	title shopadapter.Fields, held, want shopadapter.Translation, last *Text,
) (write map[string]any) {
	write = map[string]any{}
	if m.Decide(title, HashText(held.Title), HashText(want.Title), &last.Title) {
		write["title"] = want.Title
	}
	if m.Decide(shopadapter.FieldDescription, HashText(held.Description), HashText(want.Description),
		&last.Description) {
		write["description"] = want.Description
	}
	return write
}

// Then is [Written.Then] for both.
func (t Text) Then(next Text) Text {
	return Text{t.Title.Then(next.Title.Hash), t.Description.Then(next.Description.Hash)}
}

// ReadBack is [Written.ReadBack] for those in write.
func (t *Text) ReadBack(write map[string]any, held shopadapter.Translation) bool {
	_, title := write["title"]
	_, description := write["description"]
	title = title && t.Title.ReadBack(HashText(held.Title))
	return description && t.Description.ReadBack(HashText(held.Description)) || title
}

// Holds reports whether the shop holds both as last written.
func (t Text) Holds(held shopadapter.Translation) bool {
	return t.Title.IsOwn(HashText(held.Title), false) && t.Description.IsOwn(HashText(held.Description), false)
}

// CompareText is [Comparison.Compare] for a Text.
func (c *Comparison) CompareText(title shopadapter.Fields, held shopadapter.Translation, last Text) {
	c.Compare(title, HashText(held.Title), last.Title)
	c.Compare(shopadapter.FieldDescription, HashText(held.Description), last.Description)
}

// A Row is the product's texts in one language of the shop.
type Row struct {
	Locale, Title, Description string

	// Group is the title's: FieldTitle in the product's own language, else FieldDescription.
	Group shopadapter.Fields
}

// Rows returns the supplier's texts in the shop's languages. The first is in the shop's own, or else in the
// product's.
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

// TextIn returns the text for a locale of the shop, and its title's group: the product's own, or the first
// translation with a title. ok is false if there is none.
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

// speaks reports whether a text in a language may stand for a locale: nl for nl-BE.
func speaks(locale, language string) bool {
	locale, language = strings.ReplaceAll(locale, "_", "-"), strings.ReplaceAll(language, "_", "-")
	base, _, _ := strings.Cut(locale, "-")
	return strings.EqualFold(locale, language) || strings.EqualFold(base, language)
}
