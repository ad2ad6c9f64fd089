package catalog

import (
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
	if c.owed == nil {
		c.owed = time.AfterFunc(passEvery, func() {
			if err := c.pass(); err != nil {
				c.log.Error("catalogue index not written", "error", err)
			}
		})
	}
}

func (c *catalog) pass() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owed == nil {
		return nil
	}
	c.owed.Stop()
	c.owed = nil
	if _, err := c.page(indexPath); err != nil {
		return err
	}
	names, err := c.names()
	if err != nil {
		return err
	}
	var list []*record
	for _, name := range names {
		if r, err := c.read(name); err == nil && r != nil && r.onSale { // of another the next publish says what is wrong
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *record) int {
		return cmp.Or(b.Stamp.Created.Compare(a.Stamp.Created), cmp.Compare(a.ID, b.ID))
	})
	front := index{Title: "Catalogue"}
	for _, r := range list {
		front.Cards = append(front.Cards, newView(r))
	}
	page, err := render("index", front)
	if err != nil {
		return err
	}
	return c.write(indexPath, page)
}
