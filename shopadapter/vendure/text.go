package vendure

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/slug"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A row is the text of one language as the shop shall hold it.
type row struct {
	language    string // Vendure's code: en, nl, pt_BR
	name        string
	description string
	nameGroup   shopadapter.Fields // that the name belongs to
}

// rows are the languages to write, the channel's default first. A language is written when the
// channel offers it and the marketplace has a title in it; the default language always, in the
// product's own words where it has none. The name in the product's own language is the title; every
// other name belongs to the description.
func rows(p shopadapter.Product, c channel) []row {
	own := languageCode(p.Language)
	texts := map[string]shopadapter.Translation{}
	for language, text := range p.Translations {
		if strings.TrimSpace(text.Title) != "" {
			texts[languageCode(language)] = text
		}
	}
	texts[own] = shopadapter.Translation{Title: p.Title, Description: p.Description}
	languages := []string{c.Language}
	for _, language := range slices.Sorted(slices.Values(c.Languages)) {
		if _, ok := texts[language]; ok && !slices.Contains(languages, language) {
			languages = append(languages, language)
		}
	}
	all := make([]row, 0, len(languages))
	for _, language := range languages {
		text, ok := texts[language]
		r := row{language, text.Title, text.Description, shopadapter.FieldDescription}
		if !ok {
			r.name, r.description = p.Title, p.Description
		}
		if !ok || language == own {
			r.nameGroup = shopadapter.FieldTitle
		}
		all = append(all, r)
	}
	return all
}

// languageCode is a language tag in the form of Vendure's enum.
func languageCode(tag string) string {
	language, region, found := strings.Cut(strings.ReplaceAll(tag, "-", "_"), "_")
	if !found {
		return strings.ToLower(language)
	}
	return strings.ToLower(language) + "_" + region
}

// maxSlug is the longest slug asked for, in runes; Vendure adds a number where it is taken.
const maxSlug = 80

// slugFor is what the address of a product is made from: the title's letters and digits. Vendure
// itself takes accents off.
func slugFor(title, key string) string {
	return cmp.Or(slug.Of(title, maxSlug), "product-"+kit.Digest(key, 4))
}

// fits refuses a product whose text no request can hold, before anything is made of it.
func (w *write) fits() error {
	for _, r := range w.rows {
		if n := size(r.name) + size(r.description) + size(slugFor(r.name, w.key)); n > maxRequest-2_000 {
			return shopadapter.Reject("the text in language %s is too long for Vendure: %d KB, and one request may "+
				"hold 100 KB", r.language, n/1000)
		}
	}
	return nil
}

// planText says what to write of the texts and what stays as the merchant edited it, language by
// language and text by text, and brings the note to what the shop holds afterwards.
func (w *write) planText() {
	w.note.Titles = nil
	for _, r := range w.rows {
		if r.nameGroup == shopadapter.FieldTitle {
			w.note.Titles = append(w.note.Titles, r.language)
		}
		have := rowIn(w.held.Translations, r.language)
		if have == nil {
			if w.Changed.Any(r.nameGroup | shopadapter.FieldDescription) {
				w.texts = append(w.texts, input{
					"languageCode": r.language, "name": r.name, "description": r.description, "slug": slugFor(r.name, w.key),
				})
				w.note.wrote(r.language, r.name, r.description)
				w.names[r.language] = r.name
			}
			continue
		}
		w.names[r.language] = have.Name
		known, change := w.note.Text[r.language], input{"languageCode": r.language}
		if w.Decide(r.nameGroup, kit.HashText(have.Name), kit.HashText(r.name), &known.Name) {
			change["name"], w.names[r.language] = r.name, r.name
		}
		if w.Decide(shopadapter.FieldDescription, kit.HashText(have.Description), kit.HashText(r.description),
			&known.Description) {
			change["description"] = r.description
		}
		w.note.Text[r.language] = known
		if len(change) > 1 {
			w.texts = append(w.texts, change)
		}
	}
}

// apart writes the texts that do not fit beside the others, each with a note that knows of it and of
// nothing later. It returns those that are left for the last request.
func (w *write) apart(ctx context.Context) ([]input, error) {
	before := w.held.note()
	before.Note = kit.Note{Version: w.note.Version, ID: w.note.ID, Product: before.Product}
	if before.Text == nil {
		before.Text = map[string]textNote{}
	}
	runs := parts(w.texts, len(w.texts)+1)
	for len(runs) > 1 {
		for _, text := range runs[0] {
			language, _ := text["languageCode"].(string)
			before.Text[language] = w.note.Text[language]
		}
		if err := w.update(ctx, input{"translations": runs[0]}, before); err != nil {
			return nil, err
		}
		runs = runs[1:]
	}
	return slices.Concat(runs...), nil
}

// readBack looks at how the shop holds the texts just written, and writes the note once more where a
// plugin has altered one: else that would be taken for the merchant's edit.
func (w *write) readBack(ctx context.Context) error {
	changed := false
	for _, text := range w.texts {
		language, _ := text["languageCode"].(string)
		held := rowIn(w.held.Translations, language)
		if held == nil {
			continue
		}
		known := w.note.Text[language]
		if _, wrote := text["name"]; wrote && known.Name.ReadBack(kit.HashText(held.Name)) {
			changed = true
		}
		if _, wrote := text["description"]; wrote && known.Description.ReadBack(kit.HashText(held.Description)) {
			changed = true
		}
		w.note.Text[language] = known
	}
	if !changed {
		return nil
	}
	return w.update(ctx, input{}, w.note)
}
