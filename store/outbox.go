package store

import (
	"context"
	"iter"
	"slices"
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
		reports, err = view(ctx, s, func(tx *Tx) (reports []Report) {
			page, _ := tx.Page(bucketOutbox, from, "", pageSize) //nolint:errcheck // it is the transaction's
			more = len(page) == pageSize
			for _, p := range page {
				r := read[Report](tx, Key{bucketOutbox, p.Key}, p.Value)
				r.ID = p.Key
				reports = append(reports, r)
			}
			return reports
		})
		if more {
			from = reports[len(reports)-1].ID + "\x00"
		}
		return slices.DeleteFunc(reports, func(r Report) bool {
			return only != AllOwed && (only == OwedRefused) != (r.Refusals > 0)
		}), more, err
	})
}

// putReport writes a report in the place of another one; nil: nothing is owed. A new one gets a
// number of its own.
func putReport(tx *Tx, id string, old, r *Report) {
	switch {
	case r == nil && old == nil, r != nil && old != nil && *r == *old:
		return
	case r == nil:
		remove(tx, bucketOutbox, id)
		return
	}
	report := *r
	if report.Seq == 0 {
		report.Seq = next(tx)
	}
	put(tx, bucketOutbox, id, report)
}
