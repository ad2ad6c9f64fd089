package vendure

import (
	"cmp"
	"context"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/slug"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

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
		if n := size(r.Title) + size(r.Description) + size(slugFor(r.Title, w.key)); n > maxRequest-2_000 {
			return shopadapter.Reject("the text in language %s is too long for Vendure: %d KB, and one request may "+
				"hold 100 KB", r.Locale, n/1000)
		}
	}
	return nil
}

// planText says what to write of the texts and what stays as the merchant edited it, language by
// language and text by text, and brings the note to what the shop holds afterwards.
func (w *write) planText() {
	w.note.Titles = nil
	for _, r := range w.rows {
		if r.Group == shopadapter.FieldTitle {
			w.note.Titles = append(w.note.Titles, r.Locale)
		}
		have := rowIn(w.held.Translations, r.Locale)
		if have == nil {
			if w.Changed.Any(r.Group | shopadapter.FieldDescription) {
				w.texts = append(w.texts, input{
					"languageCode": r.Locale, "name": r.Title, "description": r.Description, "slug": slugFor(r.Title, w.key),
				})
				w.note.wrote(r.Locale, r.Title, r.Description)
				w.names[r.Locale] = r.Title
			}
			continue
		}
		w.names[r.Locale] = have.Name
		known, change := w.note.Text[r.Locale], input{"languageCode": r.Locale}
		if w.Decide(r.Group, kit.HashText(have.Name), kit.HashText(r.Title), &known.Name) {
			change["name"], w.names[r.Locale] = r.Title, r.Title
		}
		if w.Decide(shopadapter.FieldDescription, kit.HashText(have.Description), kit.HashText(r.Description),
			&known.Description) {
			change["description"] = r.Description
		}
		w.note.Text[r.Locale] = known
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
