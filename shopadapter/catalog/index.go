package catalog

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
	"time"
)

const (
	indexPath = "index.html"
	passEvery = 500 * time.Millisecond // from a change to the pass that shows it, with all that follows until then
)

// An index keeps the index page up with the records, one pass at a time, and not at all while nothing
// changes. A pass that could not write is made again with the next change or check.
type index struct {
	catalog *catalog

	mu     sync.Mutex
	timer  *time.Timer // of the pass that is owed; nil: none is
	closed bool
}

// changed has the next pass show what the records say.
func (x *index) changed() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.timer == nil && !x.closed {
		x.timer = time.AfterFunc(passEvery, func() {
			if err := x.pass(false); err != nil {
				x.catalog.log.Error("catalogue index not written", "error", err)
			}
		})
	}
}

// pass writes the index if that is owed; the last one ends its work in the background.
func (x *index) pass(last bool) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = x.closed || last
	if x.timer == nil {
		return nil
	}
	x.timer.Stop()
	x.timer = nil
	return x.catalog.writeIndex()
}

// writeIndex writes the index, unless it stands there already.
func (c *catalog) writeIndex() error {
	stands, err := c.folder.page(indexPath)
	if err != nil {
		return c.explain(indexPath, err)
	}
	names, err := c.folder.names()
	if err != nil {
		return err
	}
	var cards []card
	for _, name := range names {
		if r, err := c.read(name); err == nil && c.onSale(name, r) { // of another the next publish says what is wrong
			cards = append(cards, newCard(name, r))
		}
	}
	slices.SortFunc(cards, func(a, b card) int {
		return cmp.Or(cmp.Compare(b.created, a.created), cmp.Compare(a.Href, b.Href))
	})
	page, err := indexPage(cards)
	if err != nil || bytes.Equal(stands, page) || stands == nil && len(cards) == 0 {
		return err
	}
	return c.folder.write(indexPath, page)
}
