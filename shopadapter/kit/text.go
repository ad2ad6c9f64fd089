package kit

import (
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Text is what a note says of a title and a description: of the product's own, or of those in one
// language. The title belongs to the group that is given to its methods, the description to its own.
type Text struct {
	Title       Written `json:"title"`
	Description Written `json:"description"`
}

// WrittenText is the note of texts that were written where there were none.
func WrittenText(texts shopadapter.Translation) Text {
	return Text{Written{Hash: HashText(texts.Title)}, Written{Hash: HashText(texts.Description)}}
}

// DecideText is [Merge.Decide] for a title and a description. write holds those that are to be
// written, under these names.
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

// ReadBack is [Written.ReadBack] for those of the two that a write holds.
func (t *Text) ReadBack(write map[string]any, held shopadapter.Translation) bool {
	_, title := write["title"]
	_, description := write["description"]
	title = title && t.Title.ReadBack(HashText(held.Title))
	return description && t.Description.ReadBack(HashText(held.Description)) || title
}

// Holds reports whether the shop holds the two as they were written last.
func (t Text) Holds(held shopadapter.Translation) bool {
	return t.Title.IsOwn(HashText(held.Title), false) && t.Description.IsOwn(HashText(held.Description), false)
}

// CompareText is [Comparison.Compare] for a title and a description.
func (c *Comparison) CompareText(title shopadapter.Fields, held shopadapter.Translation, last Text) {
	c.Compare(title, HashText(held.Title), last.Title)
	c.Compare(shopadapter.FieldDescription, HashText(held.Description), last.Description)
}

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
