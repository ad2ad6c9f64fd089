package keyed

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

// putReport writes a report in the place of another one; nil: nothing is owed. A new one gets a number
// of its own.
func putReport(tx *Tx, id string, old, r *store.Report) error {
	switch {
	case r == nil && old == nil:
		return nil
	case r == nil:
		remove(tx, bucketOutbox, id)
		return nil
	case old != nil && *r == *old:
		return nil
	}
	report := *r
	report.ID = id
	if report.Seq == 0 {
		seq, err := next(tx, bucketOutbox)
		if err != nil {
			return err
		}
		report.Seq = seq
	}
	return putValue(tx, bucketOutbox, id, report)
}

func getReport(tx *Tx, id string) (*store.Report, error) {
	data, err := get(tx, bucketOutbox, id)
	if data == nil || err != nil {
		return nil, err //nolint:nilnil // owing nothing is the usual case
	}
	r, err := decodeReport(id, data)
	return &r, err
}

// Outbox is the owed reports that a query asks for, and the id to go on after.
func (s *Store) Outbox(ctx context.Context, q store.ReportQuery) (reports []store.Report, after string, err error) {
	most := q.Limit
	if most <= 0 {
		most = listSize
	}
	err = s.View(ctx, func(tx *Tx) error {
		reports, after = nil, ""
		for p, err := range tx.Scan(bucketOutbox, q.After, "") {
			switch {
			case err != nil:
				return err
			case p.Key == q.After:
				continue
			}
			r, err := decodeReport(p.Key, p.Value)
			if err != nil {
				return err
			}
			if !q.Only.Has(r) {
				continue
			}
			if len(reports) == most {
				return nil
			}
			reports, after = append(reports, r), r.ID
		}
		after = ""
		return nil
	})
	return reports, after, err
}
