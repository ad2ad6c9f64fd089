package sweep

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// The names of the cursors in the store.
const (
	CursorUpdated = "updated" // of the incremental sweep by UPDATED_AT_ASC
	CursorFull    = "full"    // of the enumeration by ID_DESC
)

// Prepare is called before any listing: it asks for the marketplace's schema and readies the store.
// Looks and reports may be made from then on.
func (s *Sweeper) Prepare(ctx context.Context) (marketplace.Dialect, error) {
	dialect, err := s.market.Probe(ctx)
	if err != nil {
		return dialect, err // it says that it is of a probe
	}
	s.terms.RecheckTerms()
	if err := s.keeper.Prepare(ctx); err != nil {
		return dialect, err
	}
	if err := s.belong(ctx); err != nil {
		return dialect, err
	}
	s.due.Raise()
	s.reports.Notify()
	return dialect, nil
}

// listChanges lists what changed since the last sweep. Where the marketplace sorts by
// UPDATED_AT_ASC it begins at the stored cursor, else it lists all and compares. Changed product
// variants are listed too, where they are followed.
func (s *Sweeper) listChanges(ctx context.Context, priority marketplace.Priority, into *Listed) error {
	begun := time.Now()
	dialect, err := s.Prepare(ctx)
	if err != nil {
		return err
	}
	return s.withVariants(ctx, priority, dialect.Sorted, into, func() error {
		if err := s.listUpdated(ctx, priority, dialect, into); err != nil {
			return err
		}
		return s.recordFirst(ctx, begun)
	})
}

// listUpdated lists the publications that changed since the last sweep.
func (s *Sweeper) listUpdated(
	ctx context.Context, priority marketplace.Priority, dialect marketplace.Dialect, into *Listed,
) error {
	if !dialect.Sorted {
		return s.compareAll(ctx, priority, into)
	}
	restarted := false
	for range marketplace.MostPages {
		cursor, _, err := s.store.CursorOf(ctx, CursorUpdated)
		if err != nil {
			return err
		}
		page, ok := into.aheadOf(cursor.Value)
		if !ok {
			page, err = s.market.List(ctx, priority, marketplace.UpdatedAtAsc, cursor.Value)
		}
		if isCursorRefused(err) && cursor.Value != "" && !restarted {
			restarted = true
			s.log.Warn("marketplace refused the cursor, sweeping from the beginning")
			if err := s.store.EndListing(ctx, store.End{Name: CursorUpdated}); err != nil {
				return err
			}
			continue
		}
		if errors.Is(err, marketplace.ErrNotSorted) { // against what its schema says
			return s.compareAll(ctx, priority, into)
		}
		if err != nil {
			return err
		}
		if page.End == "" { // an empty page has no cursor: the one before it stays
			page.End = cursor.Value
		}
		end := store.Cursor{Value: page.End, At: store.At(page.Asked)}
		if err := s.putPage(ctx, page, CursorUpdated, end, false); err != nil {
			return err
		}
		into.add(page)
		if !page.More {
			return nil
		}
	}
	return endless()
}

// compareAll lists the whole list without a stored cursor: after an interruption it begins again.
func (s *Sweeper) compareAll(ctx context.Context, priority marketplace.Priority, into *Listed) error {
	after, restarted := "", false
	for range marketplace.MostPages {
		page, err := s.market.List(ctx, priority, marketplace.IDDesc, after)
		if isCursorRefused(err) && !restarted {
			restarted, after = true, ""
			continue
		}
		if err != nil {
			return err
		}
		if err := s.putPage(ctx, page, "list", store.Cursor{At: store.At(page.Asked)}, false); err != nil {
			return err
		}
		into.add(page)
		if !page.More || page.End == "" {
			return nil
		}
		after = page.End
	}
	return endless()
}

// endless is the error of a list that was not read to its end.
func endless() error {
	return &marketplace.Error{
		Op: "list publications", Message: marketplace.ErrEndless.Error(), Err: marketplace.ErrEndless,
	}
}

func isCursorRefused(err error) bool {
	return err != nil && marketplace.KindOf(err) == marketplace.CursorRefused
}
