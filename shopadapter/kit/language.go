package kit

import (
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/language"
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
		text, group, ok := language.In(p, locale)
		switch {
		case i > 0 && (!ok || slices.ContainsFunc(all, func(r Row) bool { return r.Locale == locale })):
			continue
		case !ok:
			text = shopadapter.Translation{Title: p.Title, Description: p.Description}
			group = shopadapter.FieldTitle
		}
		all = append(all, Row{locale, text.Title, text.Description, group})
	}
	return all
}
