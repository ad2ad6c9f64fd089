package sweep

import (
	"context"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter/quote"
	"github.com/pubsync/pubsync/store"
)

// putPage stores a page: its cursor, what its entries make due, and what they show of the reports.
func (s *Sweeper) putPage(
	ctx context.Context, page marketplace.Page, name string, cursor store.Cursor, read bool,
) error {
	s.passOver(&page)
	ids := make([]string, len(page.Entries), len(page.Entries)+len(page.Undated))
	for i, e := range page.Entries {
		ids[i] = e.ID
	}
	ids = append(ids, page.Undated...) // no more is known than that they are on the list
	err := s.store.PutPage(ctx, store.Page{
		Name: name, Cursor: cursor, Seen: name == CursorFull, IDs: ids,
		Change: func(i int, e *store.Entry) bool {
			if i >= len(page.Entries) {
				return false
			}
			return publication.Listed(e, publication.Listing{
				Entry: page.Entries[i], Asked: page.Asked, Answered: page.Answered, Read: read, Whole: name == CursorFull,
			}, time.Now())
		},
	})
	if err != nil {
		return err
	}
	now := time.Now()
	s.breaker.Succeed(now)
	s.health.Progressed(now)
	s.due.Raise()
	s.reports.Notify()
	return nil
}

// passOver removes from a page the entries that are too long to be kept, counts and logs them.
// Where the id alone can be kept, the entry still counts as listed.
func (s *Sweeper) passOver(page *marketplace.Page) {
	undated := slices.DeleteFunc(
		slices.Clone(page.Undated), func(id string) bool { return len(id) > publication.MaxIdent },
	)
	page.Entries = slices.DeleteFunc(slices.Clone(page.Entries), func(e marketplace.Entry) bool {
		why := publication.OverlongEntry(e)
		if why == "" {
			return false
		}
		if len(e.ID) <= publication.MaxIdent {
			undated = append(undated, e.ID)
		}
		s.metrics.PassedOver(1)
		if untold, ok := s.overlong.Allow(time.Now()); ok {
			s.log.Warn(
				"an entry of the import list is passed over",
				"id", quote.Line(e.ID, 100, s.health.Redact), "reason", why, "untold", untold,
			)
		}
		return true
	})
	page.Undated = undated
}
