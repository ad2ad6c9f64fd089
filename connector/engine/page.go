package engine

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

const (
	cursorUpdated  = "updated"            // of the incremental sweep by UPDATED_AT_ASC
	cursorFull     = "full"               // of the enumeration by ID_DESC
	cursorDone     = cursorFull + ".done" // when the last complete enumeration began
	cursorNone     = "list"               // of a list that is compared whole, and cannot be continued
	cursorVariants = "variants"
)

const maxEnumerationAge = 24 * time.Hour

// listChanges begins at the stored cursor if the marketplace sorts by UPDATED_AT_ASC. Else it lists all and
// compares.
func (x *Engine) listChanges(ctx context.Context, into *listed) error {
	begun := time.Now()
	if err := x.take(ctx); err != nil {
		return err
	}
	cursor, _, err := x.Store.CursorOf(ctx, cursorUpdated)
	if err != nil {
		return err
	}
	_, err = x.listFrom(ctx, cursorUpdated, store.Cursor{Value: cursor.Value}, into)
	if errors.Is(err, marketplace.ErrNotSorted) {
		_, err = x.listFrom(ctx, cursorNone, store.Cursor{}, into)
	}
	if err != nil {
		return err
	}
	return x.recordFirst(ctx, begun)
}

func (x *Engine) enumerate(ctx context.Context, read bool, into *listed) error {
	begun := time.Now()
	if err := x.take(ctx); err != nil {
		return err
	}
	cursor, _, err := x.Store.CursorOf(ctx, cursorFull)
	if err != nil {
		return err
	}
	since, fresh := store.Instant(0), time.Since(cursor.Started.Time()) < maxEnumerationAge
	if read {
		if since, err = x.readingSince(ctx, begun, fresh && cursor.Read != 0); err != nil {
			return err
		}
	}
	if fresh && cursor.Value != "" && (cursor.Read != 0 || !read) {
		x.Logger.Info("enumeration goes on where it stopped", "listed", cursor.Listed)
	} else if cursor, err = x.beginList(ctx, cursorFull, since); err != nil {
		return err
	}
	if cursor, err = x.listFrom(ctx, cursorFull, cursor, into); err != nil {
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

// reading is when the reading of all content began that no run has completed yet.
const reading store.Fact[store.Instant] = "reading"

// readingSince begins a reading of all content, or goes on with an interrupted one of which some is left: another run,
// or a worker, may have come to its end.
func (x *Engine) readingSince(ctx context.Context, now time.Time, listing bool) (since store.Instant, err error) {
	if since, _, err = reading.Get(ctx, x.Store); err != nil {
		return 0, err
	}
	if age := now.Sub(since.Time()); age >= 0 && age < maxEnumerationAge {
		left := store.DueQuery{Classes: store.ClassesOf(store.ClassFull), To: store.At(now), Limit: 1}
		due, _, err := x.Store.Due(ctx, left)
		if err != nil || listing || len(due) > 0 {
			return since, err
		}
	}
	return store.At(now), reading.Set(ctx, x.Store, store.At(now))
}

func (x *Engine) beginList(ctx context.Context, name string, read store.Instant) (store.Cursor, error) {
	begun := store.Cursor{Read: read, Started: store.At(time.Now())}
	return begun, x.Store.EndListing(ctx, name, name == cursorFull, 0)
}

// recordFirst counts the first complete list as an enumeration: it showed every entry of the store, unless
// listings were taken over from the shop.
func (x *Engine) recordFirst(ctx context.Context, begun time.Time) error {
	for _, name := range []string{cursorDone, cursorFull} {
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

// mostRepeated pages in a row without a new entry show that the list has no end.
const mostRepeated = 3

func (x *Engine) listFrom(
	ctx context.Context, name string, cursor store.Cursor, into *listed,
) (store.Cursor, error) {
	priority, sort, whole := marketplace.News, marketplace.IDDesc, name == cursorFull
	switch name {
	case cursorFull:
		priority = marketplace.Resync
	case cursorUpdated:
		sort = marketplace.UpdatedAtAsc
	}
	met, repeated := map[string]bool{}, 0
	return x.walk(ctx, name, cursor, func(after string) (marketplace.Page, error) {
		return x.Market.List(ctx, priority, sort, after)
	}, func(page marketplace.Page, p *store.Page) (more bool, err error) {
		known := len(met)
		for _, e := range page.Entries {
			met[e.ID+" "+e.UpdatedAt] = true // one that changes while the list is read comes again
		}
		if repeated++; len(met) > known || len(page.Entries) == 0 {
			repeated = 0
		}
		if repeated >= mostRepeated && page.More || into.pages == marketplace.MostPages {
			return false, &marketplace.Error{
				Op: "list publications", Message: marketplace.ErrEndless.Error(), Err: marketplace.ErrEndless,
			}
		}
		into.add(&page)
		for _, e := range page.Entries {
			p.IDs = append(p.IDs, e.ID)
		}
		p.IDs = append(p.IDs, page.Undated...) // known only to be on the list
		p.Seen, p.Change = whole, func(i int, e *store.Entry) bool {
			return i < len(page.Entries) && publication.Listed(e, publication.Listing{
				Entry: page.Entries[i], Asked: page.Asked, Answered: page.Answered, Read: cursor.Read, Whole: whole,
			}, time.Now())
		}
		if name == cursorNone {
			p.Cursor.Value = "" // after an interruption the list begins again
		}
		return true, nil
	})
}

// mostStuck failures in a row at a stored cursor count as a refusal of it, in whatever words.
const mostStuck = 3

// refusesCursor counts the answers that refuse a list at its stored cursor.
func (x *Engine) refusesCursor(name string, err error) bool {
	e, ok := errors.AsType[*marketplace.Error](err)
	if !ok || e.Kind == marketplace.CursorRefused || e.Status != http.StatusOK || e.Kind == marketplace.Throttled {
		return ok && e.Kind == marketplace.CursorRefused
	}
	x.locked(func() {
		x.stuck[name]++
		ok = x.stuck[name] >= mostStuck
	})
	return ok
}

// walk reads a list from a cursor to its end, or until put wants no more, and stores each page with its cursor.
// After a refused cursor it reads from the beginning, once.
func (x *Engine) walk(
	ctx context.Context, name string, cursor store.Cursor, list func(after string) (marketplace.Page, error),
	put func(marketplace.Page, *store.Page) (more bool, err error),
) (store.Cursor, error) {
	for restarted := false; ; {
		page, err := list(cursor.Value)
		if cursor.Value != "" && !restarted && x.refusesCursor(name, err) {
			restarted = true
			if marketplace.KindOf(err) != marketplace.CursorRefused { // is it the cursor, or is the list away?
				if _, away := list(""); away != nil {
					return cursor, err
				}
			}
			x.Logger.Warn("marketplace refused the cursor, listing from the beginning", "list", name)
			if cursor, err = x.beginList(ctx, name, cursor.Read); err == nil {
				continue
			}
		}
		if err != nil {
			return cursor, err
		}
		x.locked(func() { delete(x.stuck, name) })
		if page.End != "" { // an empty page has no cursor
			cursor.Value = page.End
		}
		cursor.At = store.At(page.Asked)
		cursor.Listed, cursor.Nameless = cursor.Listed+len(page.Entries), cursor.Nameless+page.Nameless
		p := store.Page{Name: name, Cursor: cursor}
		more, err := put(page, &p)
		if err == nil {
			err = x.Store.PutPage(ctx, p)
		}
		if err != nil {
			return cursor, err
		}
		x.MarketSide.succeed(time.Now())
		x.due.Raise()
		if !more || !page.More || page.End == "" {
			return cursor, nil
		}
	}
}

// add counts a page and removes entries that are too long to keep. One whose id can be kept still counts as
// listed.
func (l *listed) add(page *marketplace.Page) {
	tooLong := func(id string) bool { return len(id) > publication.MaxIdent }
	entries, undated := page.Entries, slices.DeleteFunc(slices.Clone(page.Undated), tooLong)
	l.passed += page.Nameless + len(page.Undated)
	page.Entries = nil
	for _, e := range entries {
		switch {
		case !tooLong(e.ID) && max(len(e.UpdatedAt), len(e.Status)) <= publication.MaxUpdatedAt:
			page.Entries = append(page.Entries, e)
			l.ids[e.ID] = struct{}{}
			continue
		case !tooLong(e.ID):
			undated = append(undated, e.ID)
		}
		l.passed++
	}
	page.Undated = undated
	l.pages++
	if n := int64(len(l.ids)); l.entries.Swap(n) != n {
		l.grown = time.Now()
	}
}
