package catalog

import (
	"bytes"
	"cmp"
	"slices"
	"time"
)

const (
	indexPath = "index.html"
	passEvery = 500 * time.Millisecond // from a change to the pass that shows it, with all that follows until then
)

// changed has the next pass show what the records say. Nothing is done while nothing changes; a pass that
// could not write is made again with the next change or check.
func (c *catalog) changed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owed == nil && !c.closed {
		c.owed = time.AfterFunc(passEvery, func() {
			if err := c.pass(false); err != nil {
				c.log.Error("catalogue index not written", "error", err)
			}
		})
	}
}

// pass writes the index if that is owed; the last one ends its work in the background.
func (c *catalog) pass(last bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = c.closed || last
	if c.owed == nil {
		return nil
	}
	c.owed.Stop()
	c.owed = nil
	stands, err := c.folder.page(indexPath)
	if err != nil {
		return err
	}
	names, err := c.folder.names()
	if err != nil {
		return err
	}
	var cards []card
	for _, name := range names {
		if r, err := c.read(name); err == nil && r.onSale { // of another the next publish says what is wrong
			cards = append(cards, newCard(name, r))
		}
	}
	slices.SortFunc(cards, func(a, b card) int {
		return cmp.Or(cmp.Compare(b.created, a.created), cmp.Compare(a.Href, b.Href))
	})
	page, err := render("index", struct {
		Title, Image string
		Cards        []card
	}{Title: "Catalogue", Cards: cards})
	if err != nil || bytes.Equal(stands, page) || stands == nil && len(cards) == 0 {
		return err
	}
	return c.folder.write(indexPath, page)
}
