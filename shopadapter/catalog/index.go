package catalog

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
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

// An index keeps the index page up with the records, one pass at a time, and not at all while nothing
// changes.
type index struct {
	catalog *catalog

	mu      sync.Mutex
	owed    bool           // something has changed since the last pass began
	notYet  time.Time      // no pass before
	timer   *time.Timer    // the next pass, or the one under way; nil when there is none
	running sync.WaitGroup // timers under way
	failed  bool           // the last pass; its error is logged once
	closed  bool
}

// changed has the next pass show what the records say.
func (x *index) changed() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.owed = true
	x.plan()
}

// plan sets the timer for a pass that is owed, unless it is set. The caller holds mu.
func (x *index) plan() {
	if x.timer != nil || x.closed || !x.owed {
		return
	}
	x.running.Add(1)
	failed := x.failed
	x.timer = time.AfterFunc(max(gather, time.Until(x.notYet)), func() {
		defer x.running.Done()
		if err := x.pass(); err != nil && !failed {
			x.catalog.log.Error("catalogue index not written", "error", err)
		}
	})
}

// pass writes the index, and plans the next pass where there is more to do.
func (x *index) pass() error {
	x.mu.Lock()
	x.owed = false
	x.mu.Unlock()
	begun := time.Now()
	err := x.catalog.writeIndex()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.timer, x.failed, x.owed = nil, err != nil, x.owed || err != nil
	x.notYet = time.Now().Add(max(passEvery, passShare*time.Since(begun)))
	if err != nil {
		x.notYet = time.Now().Add(afterFault)
		err = fmt.Errorf("write the index: %w", err)
	}
	x.plan()
	return err
}

// close makes the last pass, if one is owed. No pass follows.
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

// writeIndex writes the index, unless it stands there already.
func (c *catalog) writeIndex() error {
	stands, err := c.claim()
	if err != nil {
		return err
	}
	names, err := c.folder.names()
	if err != nil {
		return err
	}
	var cards []*card
	for _, name := range names {
		if r, err := c.read(name); err == nil && c.onSale(name, r) { // of another the next publish says what is wrong
			cards = append(cards, newCard(name, r))
		}
	}
	slices.SortFunc(cards, func(a, b *card) int {
		return cmp.Or(cmp.Compare(b.created, a.created), cmp.Compare(a.Href, b.Href))
	})
	page, err := indexPage(cards)
	if err != nil {
		return err
	}
	if bytes.Equal(stands, page) || stands == nil && len(cards) == 0 {
		return nil
	}
	return c.folder.write(context.Background(), file{indexPath, page})
}
