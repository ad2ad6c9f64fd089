package shopify

import (
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/language"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// Shopify's limits on texts, in characters.
const (
	longestTitle = 255
	longestType  = 255
)

// words are a product's texts in one language.
type words struct {
	title       string
	description string
	// the group that the title belongs to: the description's, unless it is the product's own
	// language
	titleGroup shopadapter.Fields
}

// wordsIn are the product's texts in a language of the store. ok is false where the supplier has
// none.
func wordsIn(p shopadapter.Product, locale string) (t words, ok bool) {
	text, title, ok := language.In(p, locale)
	return words{cut(text.Title, longestTitle), text.Description, title}, ok
}

// base are the texts of the product itself, in the store's own language if the supplier has it.
func (w *write) base() words {
	if t, ok := wordsIn(w.Product, w.shop.primary); ok {
		return t
	}
	return words{cut(w.Product.Title, longestTitle), w.Product.Description, shopadapter.FieldTitle}
}

// category is the product type: the branch of the marketplace's category, as Shopify writes those
// of its own taxonomy, or its name where the branch is not known.
func category(c shopadapter.Category) string {
	if len(c.Branch) > 0 {
		return cut(c.Trail(" > "), longestType)
	}
	if name := strings.TrimSpace(c.Name); name != "" {
		return cut(name, longestType)
	}
	return cut(c.Path, longestType)
}

// titles is the languages of the store whose titles are those of the title group.
func (w *write) titles() (list []string) {
	if w.base().titleGroup == shopadapter.FieldTitle {
		list = append(list, w.shop.primary)
	}
	for _, locale := range w.shop.locales {
		if t, ok := wordsIn(w.Product, locale); ok && t.titleGroup == shopadapter.FieldTitle {
			list = append(list, locale)
		}
	}
	return list
}

// planWords says which texts to write and which stay as the merchant edited them, and brings the
// stamp to what the shop holds afterwards.
func (w *write) planWords() {
	base := w.base()
	w.stamp.Titles = w.titles()
	if w.have == nil {
		w.stamp.Title.Hash, w.stamp.Description.Hash = stamp.HashMarkup(base.title), stamp.HashMarkup(base.description)
		w.stamp.Category.Hash = stamp.HashMarkup(category(w.Product.Category))
		return
	}
	decide := func(group shopadapter.Fields, have, want string, last *stamp.Written) bool {
		return w.Decide(group, stamp.HashMarkup(have), stamp.HashMarkup(want), last)
	}
	w.words.title = decide(base.titleGroup, w.have.Title, base.title, &w.stamp.Title)
	w.words.description = decide(
		shopadapter.FieldDescription,
		w.have.Description,
		base.description,
		&w.stamp.Description,
	)
	w.words.category = decide(shopadapter.FieldCategory, w.have.Type, category(w.Product.Category), &w.stamp.Category)
}

// readBack brings the stamp to the form in which the shop shows what was just written.
func (w *write) readBack(create bool) {
	for _, t := range []struct {
		written bool
		read    string
		last    *stamp.Written
	}{
		{w.words.title, w.have.Title, &w.stamp.Title},
		{w.words.description, w.have.Description, &w.stamp.Description},
		{w.words.category, w.have.Type, &w.stamp.Category},
	} {
		if t.written || create {
			t.last.ReadBack(stamp.HashMarkup(t.read))
		}
	}
}

// cut shortens a text to a number of characters, at the end of a word where there is one near.
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
