package vendure

import (
	"cmp"
	"context"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/slug"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// slugFor returns the title's words; Vendure itself removes accents, and adds a number to a taken slug.
func slugFor(title, key string) string {
	return cmp.Or(slug.Of(title, 80), "product-"+kit.Digest(key, 4))
}

// fits refuses a product whose texts exceed one request, before anything is made.
func (w *write) fits() error {
	n := 0
	for _, r := range w.rows {
		n += size(r.Title) + size(r.Description) + size(slugFor(r.Title, w.key))
	}
	if n > maxRequest-2_000 {
		return shopadapter.Reject("the texts are too long for Vendure: %d KB in the %d languages of the channel, and one "+
			"request may hold 100 KB", n/1000, len(w.rows))
	}
	return nil
}

func (w *write) planText() {
	w.note.Titles = nil
	for _, r := range w.rows {
		if r.Group == shopadapter.FieldTitle {
			w.note.Titles = append(w.note.Titles, r.Locale)
		}
		have := rowIn(w.held.Translations, r.Locale)
		want := shopadapter.Translation{Title: r.Title, Description: r.Description}
		if have == nil {
			if w.Changed.Any(r.Group | shopadapter.FieldDescription) {
				w.texts = append(w.texts, input{
					"languageCode": r.Locale, "name": r.Title, "description": r.Description, "slug": slugFor(r.Title, w.key),
				})
				w.note.Text[r.Locale] = kit.WrittenText(want)
				w.names[r.Locale] = r.Title
			}
			continue
		}
		w.names[r.Locale] = have.Name
		known, change := w.note.Text[r.Locale], input{"languageCode": r.Locale}
		write := w.DecideText(r.Group, have.texts(), want, &known)
		if write["title"] != nil {
			change["name"], w.names[r.Locale] = r.Title, r.Title
		}
		if write["description"] != nil {
			change["description"] = r.Description
		}
		w.note.Text[r.Locale] = known
		if len(change) > 1 {
			w.texts = append(w.texts, change)
		}
	}
}

// readBack writes the note again if a plugin altered a text: else that would look like the merchant's edit.
func (w *write) readBack(ctx context.Context) error {
	changed := false
	for _, text := range w.texts {
		language, _ := text["languageCode"].(string)
		held := rowIn(w.held.Translations, language)
		if held == nil {
			continue
		}
		known := w.note.Text[language]
		changed = text["name"] != nil && known.Title.ReadBack(kit.HashText(held.Name)) || changed
		changed = text["description"] != nil && known.Description.ReadBack(kit.HashText(held.Description)) || changed
		w.note.Text[language] = known
	}
	if !changed {
		return nil
	}
	return w.update(ctx, input{})
}
