package store

import (
	"context"
	"iter"
)

// An Owed is which of the owed reports are asked for.
type Owed int

// The reports that are owed.
const (
	AllOwed     Owed = iota
	OwedFresh        // the marketplace never refused it
	OwedRefused      // the marketplace refused it before
)

// Reports ranges over the reports that are owed, or over some of them, in the order of the ids. It
// reads some hundreds at a time.
func Reports(ctx context.Context, s Store, only Owed) iter.Seq2[Report, error] {
	from := ""
	return paged(func() (reports []Report, more bool, err error) {
		var page []Pair
		err = s.View(ctx, func(tx *Tx) error {
			page, err = tx.Page(bucketOutbox, from, "", pageSize)
			return err
		})
		for _, p := range page {
			r, err := decode[Report](Key{bucketOutbox, p.Key}, p.Value)
			if err != nil {
				return nil, false, err
			}
			from, r.ID = p.Key+"\x00", p.Key
			if only == AllOwed || (only == OwedRefused) == (r.Refusals > 0) {
				reports = append(reports, r)
			}
		}
		return reports, len(page) == pageSize, err
	})
}

// putReport writes a report in the place of another one; nil: nothing is owed. A new one gets a
// number of its own.
func putReport(tx *Tx, id string, old, r *Report) (err error) {
	switch {
	case r == nil && old == nil, r != nil && old != nil && *r == *old:
		return nil
	case r == nil:
		remove(tx, bucketOutbox, id)
		return nil
	}
	report := *r
	if report.Seq == 0 {
		if report.Seq, err = next(tx); err != nil {
			return err
		}
	}
	return put(tx, bucketOutbox, id, report)
}
