package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// The names of the cursors in the store.
const (
	cursorUpdated  = "updated"            // of the incremental sweep by UPDATED_AT_ASC
	cursorFull     = "full"               // of the enumeration by ID_DESC
	cursorDone     = cursorFull + ".done" // when the last complete enumeration began
	cursorNone     = "list"               // of a list that is compared whole, which is no place to go on
	cursorVariants = "variants"           // of the list of product variants
)

// maxEnumerationAge is how old an interrupted enumeration may be to be continued.
const maxEnumerationAge = 24 * time.Hour

// prepare is called before any listing: it asks for the marketplace's schema and readies the store. Looks
// and reports may be made from then on.
func (x *Engine) prepare(ctx context.Context) (marketplace.Dialect, error) {
	dialect, err := x.Market.Probe(ctx)
	if err != nil {
		return dialect, err // it says that it is of a probe
	}
	if err := x.take(ctx); err != nil {
		return dialect, err
	}
	x.due.Raise()
	x.owed.Raise()
	return dialect, nil
}

// listChanges lists what changed since the last sweep. Where the marketplace sorts by UPDATED_AT_ASC it
// begins at the stored cursor, else it lists all and compares. Changed product variants are listed too,
// where they are followed.
func (x *Engine) listChanges(ctx context.Context, into *listed) error {
	begun := time.Now()
	dialect, err := x.prepare(ctx)
	if err != nil {
		return err
	}
	return x.withVariants(ctx, into, func() error {
		err := marketplace.ErrNotSorted
		if dialect.Sorted {
			var cursor store.Cursor
			if cursor, _, err = x.Store.CursorOf(ctx, cursorUpdated); err == nil {
				_, err = x.walk(ctx, marketplace.News, cursorUpdated, store.Cursor{Value: cursor.Value}, into)
			}
		}
		if errors.Is(err, marketplace.ErrNotSorted) { // perhaps against what its schema says
			_, err = x.walk(ctx, marketplace.News, cursorNone, store.Cursor{}, into)
		}
		if err != nil {
			return err
		}
		return x.recordFirst(ctx, begun)
	})
}

// walk reads the list from a cursor to its end, and stores each page with the cursor behind it. A cursor that
// the marketplace refuses has the list read from the beginning, once.
func (x *Engine) walk(
	ctx context.Context, priority marketplace.Priority, name string, cursor store.Cursor, into *listed,
) (store.Cursor, error) {
	sort, restarted := marketplace.IDDesc, false
	if name == cursorUpdated {
		sort = marketplace.UpdatedAtAsc
	}
	for range marketplace.MostPages {
		page, err := x.Market.List(ctx, priority, sort, cursor.Value)
		if isCursorRefused(err) && cursor.Value != "" && !restarted {
			restarted = true
			x.Logger.Warn("marketplace refused the cursor, listing from the beginning", "list", name)
			if cursor, err = x.beginList(ctx, name, cursor.Read); err != nil {
				return cursor, err
			}
			continue
		}
		if err != nil {
			return cursor, err
		}
		if page.End != "" { // an empty page has no cursor: the one before it stays
			cursor.Value = page.End
		}
		cursor.At = store.At(page.Asked)
		if name == cursorFull {
			cursor.Listed, cursor.Nameless = cursor.Listed+len(page.Entries), cursor.Nameless+page.Nameless
		}
		overlong := passOver(&page)
		if err := x.putPage(ctx, page, name, cursor); err != nil {
			return cursor, err
		}
		into.add(page, overlong)
		if !page.More || page.End == "" {
			return cursor, nil
		}
	}
	return cursor, &marketplace.Error{
		Op: "list publications", Message: marketplace.ErrEndless.Error(), Err: marketplace.ErrEndless,
	}
}

func isCursorRefused(err error) bool {
	return err != nil && marketplace.KindOf(err) == marketplace.CursorRefused
}

func (x *Engine) beginList(ctx context.Context, name string, read bool) (store.Cursor, error) {
	begun := store.Cursor{Read: read}
	if name == cursorFull {
		begun.Started = store.At(time.Now())
	}
	return begun, x.Store.EndListing(ctx, name, name == cursorFull, 0)
}

// enumerate lists the whole import list and finds what is gone from it. With read every entry's content is
// read again. After an interruption it goes on where it stopped.
func (x *Engine) enumerate(ctx context.Context, read bool, into *listed) error {
	if _, err := x.prepare(ctx); err != nil {
		return err
	}
	begun := time.Now()
	cursor, ok, err := x.Store.CursorOf(ctx, cursorFull)
	if err != nil {
		return err
	}
	fresh := time.Since(cursor.Started.Time()) < maxEnumerationAge
	if ok && fresh && cursor.Value != "" && (cursor.Read || !read) {
		x.Logger.Info("enumeration goes on where it stopped", "listed", cursor.Listed)
	} else if cursor, err = x.beginList(ctx, cursorFull, read); err != nil {
		return err
	}
	if cursor, err = x.walk(ctx, marketplace.Resync, cursorFull, cursor, into); err != nil {
		return err
	}
	if err := x.findAbsent(ctx, cursor); err != nil {
		return err
	}
	if err := x.Store.EndListing(ctx, cursorFull, true, store.At(begun)); err != nil {
		return err
	}
	return x.judgeWaiting(ctx)
}

// recordFirst counts the first complete list as an enumeration that began at a time: the store has no
// entry that the list did not show. That is not so where listings were taken over from the shop.
func (x *Engine) recordFirst(ctx context.Context, begun time.Time) error {
	for _, name := range []string{cursorDone, cursorFull} { // done, or under way
		if _, ok, err := x.Store.CursorOf(ctx, name); ok || err != nil {
			return err
		}
	}
	for r, err := range store.Records(ctx, x.Store, store.Query{}) {
		if err != nil || r.ShopID != "" && r.ReadAt == 0 {
			return err
		}
	}
	return x.Store.EndListing(ctx, cursorFull, false, store.At(begun))
}

// putPage stores a page: its cursor, what its entries make due, and what they show of the reports.
func (x *Engine) putPage(ctx context.Context, page marketplace.Page, name string, cursor store.Cursor) error {
	if name == cursorNone {
		cursor.Value = "" // after an interruption the list begins again
	}
	ids := make([]string, len(page.Entries), len(page.Entries)+len(page.Undated))
	for i, e := range page.Entries {
		ids[i] = e.ID
	}
	ids = append(ids, page.Undated...) // no more is known than that they are on the list
	err := x.Store.PutPage(ctx, store.Page{
		Name: name, Cursor: cursor, Seen: name == cursorFull, IDs: ids,
		Change: func(i int, e *store.Entry) bool {
			return i < len(page.Entries) && publication.Listed(e, publication.Listing{
				Entry: page.Entries[i], Asked: page.Asked, Answered: page.Answered, Read: cursor.Read,
				Whole: name == cursorFull,
			}, time.Now())
		},
	})
	if err != nil {
		return err
	}
	now := time.Now()
	x.MarketSide.succeed(now)
	x.Health.progressed(now)
	x.due.Raise()
	x.owed.Raise()
	return nil
}

// passOver removes from a page the entries that are too long to be kept, and counts them. Where the id alone can
// be kept, the entry still counts as listed.
func passOver(page *marketplace.Page) (overlong int) {
	page.Undated = slices.DeleteFunc(
		slices.Clone(page.Undated), func(id string) bool { return len(id) > publication.MaxIdent },
	)
	page.Entries = slices.DeleteFunc(slices.Clone(page.Entries), func(e marketplace.Entry) bool {
		kept := len(e.ID) <= publication.MaxIdent
		switch {
		case kept && max(len(e.UpdatedAt), len(e.Status)) <= publication.MaxUpdatedAt:
			return false
		case kept:
			page.Undated = append(page.Undated, e.ID)
		default:
			overlong++
		}
		return true
	})
	return overlong
}
