package store

import (
	"context"
	"iter"
)

// Reports ranges over the owed reports by id.
func Reports(ctx context.Context, s Store) iter.Seq2[Report, error] {
	from := ""
	return paged(func() (reports []Report, more bool, err error) {
		reports, err = view(ctx, s, func(tx *Tx) (reports []Report) {
			page, _ := tx.Page(bucketOutbox, from, "", pageSize) //nolint:errcheck // it is the transaction's
			for _, p := range page {
				r := read[Report](tx, Key{bucketOutbox, p.Key}, p.Value)
				r.ID = p.Key
				reports = append(reports, r)
			}
			return reports
		})
		if n := len(reports); n > 0 {
			from = reports[n-1].ID + "\x00"
		}
		return reports, len(reports) == pageSize, err
	})
}

// putReport numbers a new report.
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
