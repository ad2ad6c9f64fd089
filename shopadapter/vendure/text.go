package vendure

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/slug"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A row is the text of one language as the shop shall hold it.
type row struct {
	language    string // Vendure's code: en, nl, pt_BR
	name        string
	description string
	nameGroup   shopadapter.Fields // the group that the name belongs to
}

// rows are the languages to write, the channel's default first. A language is written when the
// channel offers it and the marketplace has a title in it; the default language always, in the
// product's own words where it has none.
func rows(p shopadapter.Product, c channel) []row {
	texts := map[string]shopadapter.Translation{}
	for language, text := range p.Translations {
		if strings.TrimSpace(text.Title) != "" {
			texts[languageCode(language)] = text
		}
	}
	own := languageCode(p.Language)
	texts[own] = shopadapter.Translation{Title: p.Title, Description: p.Description}

	languages := []string{c.Language}
	for _, language := range slices.Sorted(slices.Values(c.Languages)) {
		if _, ok := texts[language]; ok && !slices.Contains(languages, language) {
			languages = append(languages, language)
		}
	}
	list := make([]row, 0, len(languages))
	for _, language := range languages {
		text, ok := texts[language]
		r := row{
			language:    language,
			name:        text.Title,
			description: text.Description,
			nameGroup:   shopadapter.FieldDescription,
		}
		if !ok {
			r.name, r.description = p.Title, p.Description
		}
		if !ok || language == own {
			r.nameGroup = shopadapter.FieldTitle
		}
		list = append(list, r)
	}
	return list
}

// languageCode is a language tag in the form of Vendure's enum.
func languageCode(tag string) string {
	language, region, found := strings.Cut(strings.ReplaceAll(tag, "-", "_"), "_")
	if !found {
		return strings.ToLower(language)
	}
	return strings.ToLower(language) + "_" + region
}

// An input is the argument of a mutation: what is left out of it stays as it is.
type input map[string]any

// planText says what to write into the rows of a product and what stays as the merchant edited it.
// The stamp's hashes are brought to what the shop holds after the write. current are the rows that
// the shop holds.
func (w *write) planText(current []translation) []input {
	var writes []input
	w.stamp.Titles = nil
	for _, r := range w.rows {
		if r.nameGroup == shopadapter.FieldTitle {
			w.stamp.Titles = append(w.stamp.Titles, r.language)
		}
		known := w.stamp.Text[r.language]
		have := rowIn(current, r.language)
		if have == nil {
			if w.Changed.Any(r.nameGroup | shopadapter.FieldDescription) {
				writes = append(writes, input{
					"languageCode": r.language, "name": r.name, "description": r.description, "slug": slugFor(r.name, w.key),
				})
				w.stamp.wrote(r.language, r.name, r.description)
				w.names[r.language] = r.name
			}
			continue
		}
		w.names[r.language] = have.Name
		change := input{"languageCode": r.language}
		if w.Decide(r.nameGroup, stamp.HashText(have.Name), stamp.HashText(r.name), &known.Name) {
			change["name"], w.names[r.language] = r.name, r.name
		}
		if w.Decide(
			shopadapter.FieldDescription,
			stamp.HashText(have.Description),
			stamp.HashText(r.description),
			&known.Description,
		) {
			change["description"] = r.description
		}
		w.stamp.Text[r.language] = known
		if len(change) > 1 {
			writes = append(writes, change)
		}
	}
	return writes
}

// maxSlug is the longest slug asked for, in runes; Vendure adds a number where it is taken.
const maxSlug = 80

// slugFor is what the address of a product is made from: the title's letters and digits. Vendure
// itself takes accents off.
func slugFor(title, key string) string {
	return cmp.Or(slug.Of(title, maxSlug), "product-"+stamp.Digest(key, 4))
}
