package connector

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// The names of the cursors.
const (
	cursorUpdated = "updated" // the incremental sweep by UPDATED_AT_ASC
	cursorFull    = "full"    // the enumeration by ID_DESC
)

// enumerationAge is how old an interrupted enumeration may be and still be continued: what it saw longer ago says little.
const enumerationAge = 24 * time.Hour

// A swept is what one sweep met.
type swept struct {
	ids map[string]struct{} // entries listed, each once
}

func (s *swept) add(p marketplace.Page) {
	for _, e := range p.Entries {
		s.ids[e.ID] = struct{}{}
	}
}

// prepare is what comes before any listing: what the server's schema allows, whose account the token is, and what the shop holds as ours. Looks and
// reports may be made from then on.
func (c *Connector) prepare(ctx context.Context) (marketplace.Forms, error) {
	forms, err := c.market.Probe(ctx)
	if err != nil {
		return forms, fmt.Errorf("probe marketplace: %w", err)
	}
	if err := c.claimAccount(ctx); err != nil {
		return forms, err
	}
	if err := c.mapListings(ctx); err != nil {
		return forms, err
	}
	c.bell.ring()
	c.reporter.bell.ring()
	return forms, nil
}

// sweep lists what changed since the last one: by the stored cursor where the marketplace sorts by UPDATED_AT_ASC, else by listing all of it and
// comparing. Only identifiers, updatedAt and status are read here.
func (c *Connector) sweep(ctx context.Context, priority marketplace.Priority, into *swept) error {
	forms, err := c.prepare(ctx)
	if err != nil {
		return err
	}
	if !forms.UpdatedAtAsc {
		return c.listAll(ctx, priority, into)
	}
	restarted := false
	for {
		cursor, _, err := c.store.CursorOf(cursorUpdated)
		if err != nil {
			return err
		}
		page, err := c.market.List(ctx, priority, marketplace.UpdatedAtAsc, cursor.Value)
		if isCursorRefused(err) && cursor.Value != "" && !restarted {
			restarted = true
			c.log.Warn("marketplace refused the cursor, sweeping from the beginning")
			if err := c.store.DropCursor(cursorUpdated, false); err != nil {
				return err
			}
			continue
		}
		if errors.Is(err, marketplace.ErrNotSorted) { // it looked as if it could
			return c.listAll(ctx, priority, into)
		}
		if err != nil {
			return err
		}
		if page.End == "" { // an empty page has no cursor: the place before it still holds
			page.End = cursor.Value
		}
		if err := c.putPage(page, cursorUpdated, store.Cursor{Value: page.End, At: store.At(page.Asked)}, false); err != nil {
			return err
		}
		into.add(page)
		if !page.More {
			return nil
		}
	}
}

// listAll compares the whole list, without a cursor that outlives it: interrupted, the next sweep begins again.
func (c *Connector) listAll(ctx context.Context, priority marketplace.Priority, into *swept) error {
	after, restarted := "", false
	for {
		page, err := c.market.List(ctx, priority, marketplace.IDDesc, after)
		if isCursorRefused(err) && !restarted {
			restarted, after = true, ""
			continue
		}
		if err != nil {
			return err
		}
		if err := c.putPage(page, "list", store.Cursor{At: store.At(page.Asked)}, false); err != nil {
			return err
		}
		into.add(page)
		if !page.More || page.End == "" {
			return nil
		}
		after = page.End
	}
}

// enumerate lists the whole import list and finds what is gone from it. With read every entry's content is read again. Interrupted, it goes on
// where it stopped.
func (c *Connector) enumerate(ctx context.Context, priority marketplace.Priority, read bool, into *swept) error {
	if _, err := c.prepare(ctx); err != nil {
		return err
	}
	cursor, err := c.enumeration(read)
	if err != nil {
		return err
	}
	restarted := false
	for {
		page, err := c.market.List(ctx, priority, marketplace.IDDesc, cursor.Value)
		if isCursorRefused(err) && cursor.Value != "" && !restarted {
			restarted = true
			c.log.Warn("marketplace refused the cursor, enumerating from the beginning")
			cursor, err = c.beginEnumeration(read)
			if err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		cursor.Value, cursor.At = page.End, store.At(page.Asked)
		cursor.Listed += len(page.Entries)
		if err := c.putPage(page, cursorFull, cursor, cursor.Read); err != nil {
			return err
		}
		into.add(page)
		if !page.More || page.End == "" {
			break
		}
	}
	if err := c.findAbsent(ctx, priority, cursor); err != nil {
		return err
	}
	if err := c.store.EndEnumeration(cursorFull, time.Now()); err != nil {
		return err
	}
	return c.judgeRemovals()
}

// enumeration is the place where an interrupted enumeration goes on, or a new one.
func (c *Connector) enumeration(read bool) (store.Cursor, error) {
	cursor, ok, err := c.store.CursorOf(cursorFull)
	if err != nil {
		return cursor, err
	}
	fresh := time.Since(cursor.Started.Time()) < enumerationAge
	if ok && fresh && cursor.Value != "" && (cursor.Read || !read) {
		c.log.Info("enumeration goes on where it stopped", "listed", cursor.Listed)
		return cursor, nil
	}
	return c.beginEnumeration(read)
}

func (c *Connector) beginEnumeration(read bool) (store.Cursor, error) {
	return store.Cursor{Started: store.At(time.Now()), Read: read}, c.store.DropCursor(cursorFull, true)
}

func isCursorRefused(err error) bool {
	return err != nil && marketplace.KindOf(err) == marketplace.CursorRefused
}

// putPage stores a page: its cursor, what its entries make due, and what they show of the reports.
func (c *Connector) putPage(page marketplace.Page, name string, cursor store.Cursor, read bool) error {
	ids := make([]string, len(page.Entries))
	for i, e := range page.Entries {
		ids[i] = e.ID
	}
	err := c.store.PutPage(store.Page{
		Name: name, Cursor: cursor, IDs: ids, Seen: name == cursorFull,
		Judge: func(i int, known bool, owed *store.Report, s *store.Settlement) bool {
			return judgeEntry(page, i, time.Now(), known, read, owed, s)
		},
	})
	if err != nil {
		return err
	}
	c.marketSucceeded()
	c.progress.note(time.Now())
	c.bell.ring()
	c.reporter.bell.ring()
	return nil
}

// judgeEntry decides what the i-th entry of a page leads to. It is pure.
func judgeEntry(page marketplace.Page, i int, now time.Time, known, read bool, owed *store.Report, s *store.Settlement) bool {
	e, asked := page.Entries[i], page.Asked
	at, answered, r := store.At(asked), store.At(page.Answered), &s.Record
	switch {
	case !known:
		r.State, r.ListedAt = string(StatePending), at
		s.Next = seen(*r, e.UpdatedAt, page.Answered, now)
		s.Next.Class, s.Next.At = store.ClassNew, at
		return true
	case gone(*r):
		if after(r.Removal.At, answered, now) {
			return false // the page had been made before it was taken out
		}
		s.Next = &store.Mark{Class: store.ClassNew, Cause: store.CauseRead, At: at}
		return true
	case r.Removal.Reason == removalAbsent && !after(r.Removal.At, answered, now): // taken for gone, and here it is
		s.Next = &store.Mark{Class: store.ClassSweep, Cause: store.CauseRead, At: at}
		if r.Removal.Begun {
			return true // the look takes it back: the shop may have it no more
		}
		r.Removal, r.Holds = store.Removal{}, nil
		r.State = string(stateOf(*r))
		return true
	}
	if r.UpdatedAt != e.UpdatedAt && !after(r.ReadAt, answered, now) {
		s.Next = seen(*r, e.UpdatedAt, page.Answered, now)
	}
	if read {
		s.Next = &store.Mark{Class: store.ClassFull, Cause: store.CauseRead, At: at}
	}
	if status := strings.ToLower(e.Status); status != "" && r.Reported != "" && status != r.Reported && owed == nil && !after(r.ReportedAt, at-1, now) {
		r.Reported, r.ReportedURL, r.Refused = status, "", ""
		owe(s, owed, asked)
		return true
	}
	return s.Next != nil
}

// seen is the mark of an entry whose updatedAt was seen, at some time, to be another than the one recorded. It is worth nothing once the content has been
// read after that, which a reading that seems to lie ahead does not tell.
func seen(r store.Record, updatedAt string, when, now time.Time) *store.Mark {
	m := store.Mark{Class: store.ClassSweep, Cause: store.CauseSeen, At: store.At(when), Seen: updatedAt, SeenAt: store.At(when)}
	if r.ReadAt > store.At(now) {
		m.Cause |= store.CauseRead
	}
	return &m
}

// after reports whether something happened after a moment. What seems to lie ahead was noted by a clock that has been set back since, and did not.
func after(at, moment store.Instant, now time.Time) bool { return at > moment && at <= store.At(now) }
