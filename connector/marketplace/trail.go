package marketplace

import (
	"errors"
	"fmt"
	"hash/maphash"

	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
)

const (
	// idlePages is how many pages in a row may show nothing new.
	idlePages = 3
	// mostSteps bounds what a Trail remembers, in cursors and in items, to some megabytes. Then it
	// begins anew.
	mostSteps = 1 << 18
)

// ErrCircle says that a list has no end.
var ErrCircle = errors.New("the marketplace's list goes in circles")

// A Trail follows one list from page to page and tells when it goes in circles: a cursor came back,
// or three pages in a row showed only entries that earlier pages had shown. An entry that has
// changed since counts as a new one. The zero Trail is at the beginning of a list. It keeps hashes,
// no text.
type Trail struct {
	seed    maphash.Seed
	cursors map[uint64]struct{}
	items   map[uint64]struct{}
	pages   int
	idle    int // pages in a row without anything new
}

// Follow records a page of publications that was asked for with the cursor after. The error, of
// kind Transient, says why the list must not be followed further.
func (t *Trail) Follow(after string, p Page) error {
	items := make([]string, 0, len(p.Entries)+len(p.Undated)+p.Nameless)
	for _, e := range p.Entries {
		items = append(items, e.ID+"\x00"+e.UpdatedAt)
	}
	for _, id := range p.Undated {
		items = append(items, id+"\x00")
	}
	for i := range p.Nameless { // nobody knows whether they are the same
		items = append(items, fmt.Sprint("\x00", t.pages, " ", i))
	}
	if err := t.step(after, p.End, p.More, items); err != nil {
		return &Error{Op: "list publications", Message: err.Error(), Err: err}
	}
	return nil
}

// step records a page that was asked for with the cursor after; next is the cursor of the page
// after it. items are texts that tell its entries apart.
func (t *Trail) step(after, next string, more bool, items []string) error {
	if !more && t.pages == 0 {
		return nil // as nearly always: one page is no circle
	}
	if t.cursors == nil {
		t.seed, t.cursors, t.items = maphash.MakeSeed(), make(map[uint64]struct{}), make(map[uint64]struct{})
	}
	t.pages++
	t.add(t.cursors, after)
	fresh := false
	for _, item := range items {
		fresh = t.add(t.items, item) || fresh
	}
	if t.idle++; fresh {
		t.idle = 0
	}
	switch {
	case !more:
		return nil
	case t.has(t.cursors, next):
		return fmt.Errorf("%w: a cursor came back after %d pages", ErrCircle, t.pages)
	case t.idle >= idlePages:
		return fmt.Errorf("%w: %d pages in a row showed nothing new, after %d pages", ErrCircle, t.idle, t.pages)
	}
	return nil
}

func (t *Trail) has(set map[uint64]struct{}, s string) bool {
	_, ok := set[maphash.String(t.seed, s)]
	return ok
}

// add reports whether s is new to the set.
func (t *Trail) add(set map[uint64]struct{}, s string) bool {
	if len(set) >= mostSteps {
		clear(set)
	}
	n := len(set)
	set[maphash.String(t.seed, s)] = struct{}{}
	return len(set) > n
}

// allPages reads a short list to its end. read gives the page after a cursor, "" for the first; a
// nil page is an empty one. tell is what tells an item from the others.
func allPages[T any](
	op string, read func(after string) (*wire.Page[T], error), tell func(T) string,
) (all []T, err error) {
	after := ""
	var trail Trail
	for range mostPages {
		page, err := read(after)
		if err != nil || page == nil {
			return all, err
		}
		items := page.Items()
		told := make([]string, len(items))
		for i, item := range items {
			told[i] = tell(item)
		}
		all = append(all, items...)
		cursor, more, err := page.Next(after)
		if err == nil {
			err = trail.step(after, cursor, more, told)
		}
		if err != nil {
			return nil, fault.Unreadable(op, err)
		}
		if !more {
			return all, nil
		}
		after = cursor
	}
	return nil, &Error{Op: op, Message: fmt.Sprintf("there are more than %d pages", mostPages)}
}
