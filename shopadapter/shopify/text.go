package shopify

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// longestText is Shopify's limit, in characters, for a title, type, vendor, tag, option or value.
const longestText = 255

const brandName = "brand"

// category returns the product type: the branch, in the style of Shopify's taxonomy, or the name.
func category(c shopadapter.Category) string {
	if len(c.Branch) > 0 {
		return cut(c.Trail(" > "), longestText)
	}
	return cut(cmp.Or(strings.TrimSpace(c.Name), c.Path), longestText)
}

// brand returns "" for the store's name, which Shopify sets where no vendor is given.
func (s *shop) brand(vendor string) string {
	if vendor == s.Name {
		return ""
	}
	return vendor
}

type text struct {
	field string // of Shopify's input
	group shopadapter.Fields
	want  string
	held  string // in the shop
	last  *kit.Written
}

func (w *write) texts() []text {
	base, held := w.rows[0], product{}
	if w.have != nil {
		held = *w.have
	}
	return []text{
		{"title", base.Group, base.Title, held.Title, &w.note.Title},
		{"descriptionHtml", shopadapter.FieldDescription, base.Description, held.Description, &w.note.Description},
		{"productType", shopadapter.FieldCategory, category(w.p.Category), held.Type, &w.note.Category},
	}
}

func (w *write) planWords() {
	w.words, w.note.Titles = input{}, nil
	for i, row := range w.rows {
		w.rows[i].Title = cut(row.Title, longestText)
		if row.Group == shopadapter.FieldTitle {
			w.note.Titles = append(w.note.Titles, row.Locale)
		}
	}
	for _, t := range w.texts() {
		if w.Decide(t.group, kit.HashMarkup(t.held), kit.HashMarkup(t.want), t.last) {
			w.words[t.field] = t.want
		}
	}
	if w.p.Unknown.Has(shopadapter.FieldBrand) {
		return
	}
	maker, held := cut(w.p.Brand, longestText), ""
	if w.have != nil && maker == w.shop.Name {
		held = w.have.Vendor
	} else if w.have != nil {
		held = w.shop.brand(w.have.Vendor)
	}
	write, next := w.DecideValues(shopadapter.FieldBrand,
		map[string]string{brandName: held}, map[string]string{brandName: maker}, w.note.Brand)
	if w.note.Brand = next; len(write) > 0 {
		w.words["vendor"] = maker
	}
}

// readBack puts the written texts into the note as the shop shows them.
func (w *write) readBack() {
	for _, t := range w.texts() {
		if w.words[t.field] != nil {
			t.last.ReadBack(kit.HashMarkup(t.held))
		}
	}
}

// cut shortens a text to most characters, after a word if one ends near.
func cut(text string, most int) string {
	text = strings.TrimSpace(text)
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	short := string(runes[:most-1])
	if i := strings.LastIndexByte(short, ' '); i > len(short)*3/4 {
		short = short[:i]
	}
	return short + "…"
}

// Shopify's keys of translated texts.
const (
	keyTitle       = "title"
	keyDescription = "body_html"
)

type translation struct {
	locale, key, text string
	group             shopadapter.Fields
}

func (w *write) translations() (list []translation) {
	for _, row := range w.rows[1:] {
		for _, c := range []translation{
			{row.Locale, keyTitle, row.Title, row.Group},
			{row.Locale, keyDescription, row.Description, shopadapter.FieldDescription},
		} {
			if c.text != "" && w.Changed.Has(c.group) {
				list = append(list, c)
			}
		}
	}
	return list
}

// planTranslations notes the translations before they are written: one request cannot write both.
func (w *write) planTranslations() {
	if w.note.Translations == nil {
		w.note.Translations = map[string]kit.Written{}
	}
	for _, t := range w.translations() {
		name := t.locale + " " + t.key
		w.note.Translations[name] = w.note.Translations[name].Then(kit.HashMarkup(t.text))
	}
}

// translate selects the translations that finish writes; the merchant's edits stay. Each needs the digest of its
// original, which exists once the product is written.
func (w *write) translate(ctx context.Context) error {
	all := w.translations()
	if len(all) == 0 {
		return nil
	}
	locales := slices.Compact(kit.Each(all, func(t translation) string { return t.locale }))
	got, err := w.a.call(ctx, request{
		doing: "read translations", estimate: 10, variables: input{"id": w.have.ID},
		document: document("query", "Translatable", "translatableResource(resourceId: $id) { "+
			"translatableContent { key digest }"+translationFields(locales, "key value outdated")+" }"),
	})
	switch {
	case err != nil:
		return err
	case got.Translatable == nil:
		return shopadapter.Retry("the product was deleted while it was written")
	}
	of := func(list []shownText, key string) (found shownText) {
		for _, t := range list {
			if t.Key == key {
				found = t
			}
		}
		return found
	}
	for _, t := range all {
		digest := of(got.Translatable.Originals, t.key).Digest
		have := of(got.Translatable.Translations[t.locale], t.key)
		held, last := kit.HashMarkup(have.Value), w.note.Translations[t.locale+" "+t.key]
		switch {
		case digest == "": // the store's own language lacks this text
		case held == kit.HashMarkup(t.text) && !have.Outdated:
		case have.Value != "" && !last.IsOwn(held, true) && w.Keep(t.group):
		default:
			w.translated = append(w.translated, input{
				"locale": t.locale, "key": t.key, "value": t.text, "translatableContentDigest": digest,
			})
		}
	}
	return nil
}
