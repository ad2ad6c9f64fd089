package catalog

import (
	"cmp"
	"fmt"
	"strings"
)

// A card is a product in the index.
type card struct {
	Href, Title, Lang, Letter, Image string
	Price                            cost
	Stock                            stock

	created, stem, category string
}

func newCard(name string, r *record) *card {
	title := cmp.Or(strings.TrimSpace(r.Title), string(r.ID))
	w := wordsFor(r.Language)
	c := &card{
		Href: pagePath(name), Title: title, Lang: cmp.Or(r.Language, w.Lang), Letter: letter(title),
		Price: priceOf(r.Variants, r.Currency), Stock: stockOf(w, r.Variants), created: r.Stamp.Created,
	}
	c.stem, c.category = stemOf(r.Category)
	if good := pictures(r.Images); len(good) > 0 {
		c.Image = good[0]
	}
	return c
}

// An indexPage is what index.html.tmpl shows.
type indexPage struct {
	Frame    frame `json:"-"`
	Words    words
	Title    string
	Category bool   // a category's page, not the whole range's
	Current  string // its entry in Nav
	Total    int    // products in all; 0 but on a front page, which alone is written when it changes
	Nav      []link // the categories, when there are several
	Cards    []*card

	Front, Newer, Older string // addresses; "" for none

	path string
}

// Count is how many products there are, in words.
func (p indexPage) Count() string {
	if p.Total == 1 {
		return fmt.Sprintf(p.Words.One, 1)
	}
	return fmt.Sprintf(p.Words.Many, p.Total)
}

// index is an index page as it goes into the file.
func (v *renderer) index(p indexPage) ([]byte, error) {
	image := ""
	if len(p.Cards) > 0 {
		image = p.Cards[0].Image
	}
	p.Frame = v.frame(frame{Lang: p.Words.Lang, Title: p.Title, Image: image})
	return v.render("index", p)
}
