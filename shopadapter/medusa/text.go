package medusa

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/slug"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

type translation struct {
	ID     string                  `json:"id"`
	Locale string                  `json:"locale_code"`
	Texts  shopadapter.Translation `json:"translations"`
}

// translationsOf returns nil without the translation module.
func (a *Adapter) translationsOf(ctx context.Context, product string) ([]translation, error) {
	s, err := a.shop.Get(ctx, false)
	if err != nil || len(s.locales) == 0 {
		return nil, err
	}
	q := query{"reference": "product", "reference_id[0]": product, "limit": "200"}
	got, err := a.get(ctx, "read translations", "translations", q)
	return got.Translations, err
}

// translate writes the other locales. They lie outside the product, so the note goes first and remembers what they
// may still be.
func (w *write) translate(ctx context.Context) error {
	if len(w.shop.locales) == 0 || !w.Changed.Any(shopadapter.FieldTitle|shopadapter.FieldDescription) {
		return nil
	}
	held, err := w.a.translationsOf(ctx, w.held.ID)
	if err != nil {
		return err
	}
	notes, fresh, changes := map[string]kit.Text{}, []input{}, []input{}
	maps.Copy(notes, w.note.Translations)
	for _, locale := range w.shop.locales {
		text, group, ok := kit.TextIn(w.p, locale)
		i := slices.IndexFunc(held, func(t translation) bool { return t.Locale == locale })
		last := notes[locale]
		switch {
		case !ok || i < 0 && group == shopadapter.FieldTitle:
			// The product holds its own language. A translation into that would hide the merchant's edits.
		case i < 0:
			notes[locale] = last.Then(kit.WrittenText(text))
			fresh = append(fresh, input{
				"reference": "product", "reference_id": w.held.ID, "locale_code": locale, "translations": text,
			})
		default:
			next := last
			if texts := w.DecideText(shopadapter.FieldDescription, held[i].Texts, text, &next); len(texts) > 0 {
				next = last.Then(next)
				changes = append(changes, input{"id": held[i].ID, "translations": texts})
			}
			notes[locale] = next
		}
	}
	if w.note.Translations = notes; len(fresh)+len(changes) == 0 {
		return nil
	}
	if err := w.put(ctx); err != nil {
		return err
	}
	_, err = w.a.post(ctx, "write translations", "translations/batch", "", input{"create": fresh, "update": changes})
	return err
}

func categoryHandle(c shopadapter.Category) []string {
	path := cmp.Or(c.Path, c.Name)
	if path == "" {
		return nil
	}
	return []string{cmp.Or(slug.ASCII(path, 200), kit.Digest(path, 8))}
}

// category finds a category by its handle, or makes it with its missing ancestors. An existing one stays where the
// merchant has it.
func (a *Adapter) category(ctx context.Context, handle string, c shopadapter.Category) (string, error) {
	found, err := a.get(ctx, "find category", "product-categories", query{"handle": handle, "fields": "id,handle"})
	if err != nil {
		return "", err
	}
	if len(found.Categories) > 0 {
		return found.Categories[0].ID, nil
	}
	fields := input{"name": c.Label(), "handle": handle, "is_active": true}
	if n := len(c.Branch) - 1; n > 0 {
		above := shopadapter.Category{Path: c.Branch[n-1].Path, Branch: c.Branch[:n]}
		if fields["parent_category_id"], err = a.category(ctx, categoryHandle(above)[0], above); err != nil {
			return "", err
		}
	}
	made, err := a.post(ctx, "create category", "product-categories", "id,handle", fields)
	if taken(err, "") {
		return "", shopadapter.Retry("the category %s has just been made by another program", handle)
	}
	return made.Category.ID, err
}
