package catalog

import (
	"cmp"
	"strings"
)

// A card is a product in the index.
type card struct {
	Href, Title, Lang, Letter, Image string
	Price                            cost
	Stock                            stock

	created string
}

func newCard(name string, r *record) *card {
	title := cmp.Or(strings.TrimSpace(r.Title), string(r.ID))
	c := &card{
		Href: pagePath(name), Title: title, Lang: cmp.Or(r.Language, frameLanguage), Letter: letter(title),
		Price: priceOf(r.Variants, r.Currency), Stock: stockOf(r.Variants), created: r.Stamp.Created,
	}
	if good := pictures(r.Images); len(good) > 0 {
		c.Image = good[0]
	}
	return c
}

// An indexPage is what index.html.tmpl shows.
type indexPage struct {
	Frame frame
	Total int // products in all
	Cards []*card
}

// index is the index as it goes into the file.
func (v *renderer) index(cards []*card) ([]byte, error) {
	image := ""
	if len(cards) > 0 {
		image = cards[0].Image
	}
	return v.render("index", indexPage{v.frame(frame{Title: "Catalogue", Image: image}), len(cards), cards})
}
