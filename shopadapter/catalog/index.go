package catalog

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"
)

const (
	indexPath = "index.html"

	gather     = 100 * time.Millisecond // from a change to the pass that shows it, so that a burst is one pass
	passEvery  = time.Second            // the least time from one pass to the next
	passShare  = 4                      // and at least so many times what the last one took
	afterFault = 10 * time.Second       // from a pass that could not write to the next try
)

// An index keeps the index page up with the products. It works in the background, one pass at a
// time, and not at all while nothing changes. Its first pass reads every record.
type index struct {
	catalog *catalog

	passing sync.Mutex // held during a pass

	mu      sync.Mutex
	cards   map[string]*card // by file name; nil: written in this process, and not on sale
	read    bool             // the records that others wrote are among the cards
	owed    bool             // something has changed since the last pass began
	notYet  time.Time        // no pass before
	timer   *time.Timer      // the next pass, or the one under way; nil when there is none
	running sync.WaitGroup   // timers under way
	failed  bool             // the last pass; its error is logged once
	closed  bool
}

// set has the index show a product, or no longer show it.
func (x *index) set(name string, c *card) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if had, known := x.cards[name]; known && (had == c || had != nil && c != nil && *had == *c) {
		return
	}
	x.cards[name], x.owed = c, true
	x.plan(gather)
}

// follow plans the first pass, which makes good what a crash has left.
func (x *index) follow() {
	names, err := x.catalog.folder.names()
	empty := err == nil && len(names) == 0 && x.catalog.folder.clean() == nil
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.read = x.read || empty; !x.read {
		x.owed = true
		x.plan(gather)
	}
}

// plan sets the timer for the next pass, unless it is set. The caller holds mu.
func (x *index) plan(wait time.Duration) {
	if x.timer != nil || x.closed {
		return
	}
	x.running.Add(1)
	failed := x.failed // the pass before this one
	x.timer = time.AfterFunc(max(wait, time.Until(x.notYet)), func() {
		defer x.running.Done()
		if err := x.pass(); err != nil && !failed {
			x.catalog.log.Error("catalogue index not written", "error", err)
		}
	})
}

// pass brings the index up to date, and plans the next pass when there is more to do.
func (x *index) pass() error {
	x.passing.Lock()
	defer x.passing.Unlock()
	begun := time.Now()
	x.mu.Lock()
	x.owed = false
	read := x.read
	x.mu.Unlock()
	var err error
	if !read {
		err = x.catalog.survey()
	}
	if err == nil {
		err = x.write()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.timer = nil // not before: what is written meanwhile waits for the end of this pass
	x.read, x.failed = x.read || err == nil, err != nil
	x.notYet = time.Now().Add(max(passEvery, passShare*time.Since(begun)))
	switch {
	case err != nil:
		x.owed = true
		x.plan(afterFault)
		return fmt.Errorf("write the index: %w", err)
	case x.owed:
		x.plan(gather)
	}
	return nil
}

// survey removes what crashed writes left behind, and adds the cards of the records that this process
// has not written.
func (c *catalog) survey() error {
	if err := c.folder.make(); err != nil {
		return err
	}
	if err := c.folder.clean(); err != nil {
		return err
	}
	names, err := c.folder.names()
	if err != nil {
		return err
	}
	for _, name := range names {
		r, err := c.read(name)
		if err != nil || !c.onSale(name, r) {
			continue // its page, if there is one, stays; the next publish says what is wrong
		}
		shown := c.renderer.card(name, r)
		c.index.mu.Lock()
		if _, known := c.index.cards[name]; !known {
			c.index.cards[name] = shown
		}
		c.index.mu.Unlock()
	}
	return nil
}

// write writes the index, unless it stands there already.
func (x *index) write() error {
	if err := x.catalog.claim(); err != nil {
		return err
	}
	x.mu.Lock()
	cards := make([]*card, 0, len(x.cards))
	for _, c := range x.cards {
		if c != nil && x.catalog.folder.has(c.Href) { // somebody may have removed its page
			cards = append(cards, c)
		}
	}
	x.mu.Unlock()
	slices.SortFunc(cards, func(a, b *card) int {
		return cmp.Or(cmp.Compare(b.created, a.created), cmp.Compare(a.Href, b.Href))
	})
	page, err := x.catalog.renderer.index(cards)
	if err != nil {
		return err
	}
	stands, err := x.catalog.folder.read(indexPath)
	if err == nil && bytes.Equal(stands, page) || len(cards) == 0 && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return x.catalog.folder.write(context.Background(), file{indexPath, page})
}

// close waits for a pass under way and makes the last one, if one is owed. No pass follows.
func (x *index) close() error {
	x.mu.Lock()
	x.closed = true
	if x.timer != nil && x.timer.Stop() {
		x.running.Done()
	}
	x.mu.Unlock()
	x.running.Wait()
	x.mu.Lock()
	owed := x.owed
	x.mu.Unlock()
	if !owed {
		return nil
	}
	return x.pass()
}

// A card is a product in the index.
type card struct {
	Href, Title, Lang, Letter, Image string
	Price                            cost
	Stock                            stock

	created string
}

func (v *renderer) card(name string, r *record) *card {
	title := titleOf(r)
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
	return v.render("index", indexPage{v.frame("Catalogue", image), len(cards), cards})
}
