package store

import "context"

// Reports returns the owed reports by id.
func (s Store) Reports(ctx context.Context) ([]Report, error) {
	return view(ctx, s, func(tx *Tx) (reports []Report) {
		for p := range tx.Scan(bucketOutbox, "", "") {
			r := read[Report](tx, Key{bucketOutbox, p.Key}, p.Value)
			r.ID = p.Key
			reports = append(reports, r)
		}
		return reports
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
