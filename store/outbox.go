package store

import (
	"context"
	"iter"
)

// Reports ranges over the reports that are owed, in the order of the ids. It reads some hundreds at a
// time.
func Reports(ctx context.Context, s Store) iter.Seq2[Report, error] {
	from := ""
	return paged(func() (reports []Report, more bool, err error) {
		reports, err = view(ctx, s, func(tx *Tx) (reports []Report) {
			page, _ := tx.Page(bucketOutbox, from, "", pageSize) //nolint:errcheck // it is the transaction's
			for _, p := range page {
				r := read[Report](tx, Key{bucketOutbox, p.Key}, p.Value)
				r.ID, from = p.Key, p.Key+"\x00"
				reports = append(reports, r)
			}
			return reports
		})
		return reports, len(reports) == pageSize, err
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
