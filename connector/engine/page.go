package engine

import (
	"cmp"
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
func (x *Engine) listChanges(ctx context.Context, begun time.Time, into *listed) error {
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

func (x *Engine) enumerate(ctx context.Context, begun time.Time, read bool, into *listed) error {
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
	return x.Store.EndListing(ctx, cursorFull, true, store.At(begun))
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
	met, repeated, sure := map[string]bool{}, 0, cursor.Value
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
		if n := len(page.Entries); whole || n == 0 || !publication.Coarse(page.Entries[n-1].UpdatedAt, page.Asked) {
			sure = p.Cursor.Value
		}
		p.Cursor.Value = sure // another change of the same second may come to stand before the page's end
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

// add counts a page and removes entries that are too long to keep.
func (l *listed) add(page *marketplace.Page) {
	n := len(page.Entries)
	page.Entries = slices.DeleteFunc(page.Entries, func(e marketplace.Entry) bool {
		return len(e.ID) > publication.MaxIdent || max(len(e.UpdatedAt), len(e.Status)) > publication.MaxUpdatedAt
	})
	for _, e := range page.Entries {
		l.ids[e.ID] = struct{}{}
	}
	l.passed += page.Nameless + len(page.Undated) + n - len(page.Entries)
	l.pages++
	if n := int64(len(l.ids)); l.entries.Swap(n) != n {
		l.grown = time.Now()
	}
}

const (
	fewChanges   = 20  // variants of a sweep's first page, which mostly shows none
	manyChanges  = 100 // variants of a further page
	variantPages = 100 // pages of one sweep: the next goes on
	variantTries = 3   // of one sweep, while the marketplace fails

	variantTurn = 20 * time.Second // how long a further page lets due looks go first
)

// followVariants reads the list of product variants, the second source of change, and records whether it can be
// followed.
func (x *Engine) followVariants(ctx context.Context) error {
	if !x.variants.TryLock() { // another sweep reads it
		return nil
	}
	defer x.variants.Unlock()
	before, _, err := publication.MetaVariants.Get(ctx, x.Store)
	if err != nil {
		return err
	}
	v, now := before, time.Now()
	v.Mode = cmp.Or(x.Variants, publication.VariantsOff)
	if x.renewed.Swap(false) || v.Install != x.Install {
		v.Install, v.Found, v.Message = x.Install, "", ""
	}
	if v.Follows(now) {
		switch v.Found {
		case publication.VariantsOurs:
		case publication.VariantsOthers: // for another day, unless one of ours is met
			v.At = store.At(now)
		default:
			v.Found, v.Message = "", ""
		}
		for attempt := 1; ; attempt++ {
			err = x.readVariants(ctx, &v)
			if err == nil || marketplace.KindOf(err) != marketplace.Transient || attempt == variantTries {
				break
			}
			Sleep(ctx, Backoff(attempt, HastyBackoff))
		}
		switch kind := marketplace.KindOf(err); {
		case err == nil:
		case ctx.Err() != nil:
			return err
		case errors.Is(err, marketplace.ErrNoVariants), kind == marketplace.Invalid:
			v.Find(publication.VariantsUnoffered, err.Error(), now)
		case kind == marketplace.Unauthorized:
			v.Find(publication.VariantsRefused, err.Error(), now)
		case errors.As(err, new(*marketplace.Error)):
			v.Find(publication.VariantsFailing, err.Error(), now)
		default:
			return err
		}
	}
	if v.Found != before.Found {
		x.Logger.Info("list of product variants", "mode", v.Mode, "found", v.Found, "reason", v.Message)
	}
	if v == before {
		return nil
	}
	return publication.MetaVariants.Set(ctx, x.Store, v)
}

// readVariants reads the list from its cursor to its end, or until another sweep is wanted. It skips to the first
// end without reading entries, and marks changed publications from then on. Once all publications have been read,
// a list that shows only foreign products is other people's.
func (x *Engine) readVariants(ctx context.Context, v *publication.VariantSource) error {
	cursor, _, err := x.Store.CursorOf(ctx, cursorVariants)
	if err != nil {
		return err
	}
	pages, most, skips := 0, manyChanges, !v.Ended
	if v.Ended {
		most = fewChanges
	}
	_, err = x.walk(ctx, cursorVariants, cursor, func(after string) (marketplace.Page, error) {
		if pages > 0 {
			waiting, cancel := context.WithTimeout(ctx, variantTurn)
			defer cancel()
			page, err := x.Market.Variants(waiting, marketplace.Sweep, after, most, skips)
			if err == nil || waiting.Err() == nil {
				return page, err
			}
		}
		return x.Market.Variants(ctx, marketplace.News, after, most, skips)
	}, func(page marketplace.Page, p *store.Page) (more bool, err error) {
		most, v.Ended = manyChanges, v.Ended || !page.More
		var products []string
		for _, variant := range page.Entries {
			if id := variant.Product.ID; id != "" && len(id) <= publication.MaxIdent {
				products = append(products, id)
			}
		}
		if p.IDs, err = x.Store.Resolve(ctx, nil, products, nil); err != nil {
			return false, err
		}
		p.Change = func(_ int, e *store.Entry) bool {
			return slices.ContainsFunc(page.Entries, func(variant marketplace.Entry) bool {
				return variant.Product.ID == e.Record.Product &&
					publication.VariantChanged(e, variant, page.Answered, time.Now())
			})
		}
		foreign := false
		if len(p.IDs) > 0 {
			v.Find(publication.VariantsOurs, "", time.Now())
		} else if len(products) > 0 && v.Found != publication.VariantsOurs {
			foreign, err = x.allRead(ctx)
		}
		if foreign {
			v.Find(publication.VariantsOthers, "", time.Now())
		}
		pages++
		return pages < variantPages && !foreign && x.sweepIn(false) > 0, err
	})
	return err
}

// allRead reports whether publications were read, all but those that could not be read for a day.
func (x *Engine) allRead(ctx context.Context) (bool, error) {
	read := false
	for r, err := range store.Records(ctx, x.Store, store.Query{}) {
		if err != nil || r.ReadAt == 0 && time.Since(r.ListedAt.Time()) < publication.VariantsAgain {
			return false, err
		}
		read = read || r.ReadAt != 0
	}
	return read, nil
}
