package sweep

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// maxEnumerationAge is how old an interrupted enumeration may be to be continued.
const maxEnumerationAge = 24 * time.Hour

// enumerate lists the whole import list and finds what is gone from it. With read every entry's
// content is read again. After an interruption it goes on where it stopped.
func (s *Sweeper) enumerate(ctx context.Context, priority marketplace.Priority, read bool, into *Listed) error {
	if _, err := s.Prepare(ctx); err != nil {
		return err
	}
	begun := time.Now()
	cursor, err := s.enumeration(ctx, read)
	if err != nil {
		return err
	}
	restarted := false
	for pages := 0; ; pages++ {
		if pages == marketplace.MostPages {
			return endless()
		}
		page, err := s.market.List(ctx, priority, marketplace.IDDesc, cursor.Value)
		if isCursorRefused(err) && cursor.Value != "" && !restarted {
			restarted = true
			s.log.Warn("marketplace refused the cursor, enumerating from the beginning")
			cursor, err = s.beginEnumeration(ctx, read)
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
		cursor.Nameless += page.Nameless
		if err := s.putPage(ctx, page, CursorFull, cursor, cursor.Read); err != nil {
			return err
		}
		into.add(page)
		if !page.More || page.End == "" {
			break
		}
	}
	if err := s.findAbsent(ctx, priority, cursor); err != nil {
		return err
	}
	if err := s.store.EndListing(ctx, store.End{Name: CursorFull, Seen: true, Done: store.At(begun)}); err != nil {
		return err
	}
	if cursor.Listed >= longList {
		debug.FreeOSMemory() // else an idle worker would keep the garbage of a long list for minutes
	}
	return s.judgeRemovals(ctx)
}

// longList is how many entries make a list whose enumeration leaves mebibytes of garbage.
const longList = 10_000

// enumeration is the cursor at which an interrupted enumeration goes on, or that of a new one.
func (s *Sweeper) enumeration(ctx context.Context, read bool) (store.Cursor, error) {
	cursor, ok, err := s.store.CursorOf(ctx, CursorFull)
	if err != nil {
		return cursor, err
	}
	fresh := time.Since(cursor.Started.Time()) < maxEnumerationAge
	if ok && fresh && cursor.Value != "" && (cursor.Read || !read) {
		s.log.Info("enumeration goes on where it stopped", "listed", cursor.Listed)
		return cursor, nil
	}
	return s.beginEnumeration(ctx, read)
}

func (s *Sweeper) beginEnumeration(ctx context.Context, read bool) (store.Cursor, error) {
	begun := store.Cursor{Started: store.At(time.Now()), Read: read}
	return begun, s.store.EndListing(ctx, store.End{Name: CursorFull, Seen: true})
}
