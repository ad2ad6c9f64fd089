package store

import (
	"context"
	"iter"
)

// A ReportQuery asks for reports that are owed, in the order of the ids.
type ReportQuery struct {
	After string // an id: begin behind it
	Limit int    // at most so many; 0 for some hundreds
	Only  Owed
}

// An Owed is which of the owed reports are asked for.
type Owed int

// The reports that are owed.
const (
	AllOwed     Owed = iota
	OwedFresh        // the marketplace never refused it
	OwedRefused      // the marketplace refused it before
)

// Has reports whether a report is asked for.
func (o Owed) Has(r Report) bool { return o == AllOwed || (o == OwedRefused) == (r.Refusals > 0) }

// Outbox is the owed reports that a query asks for, and the id to go on after, "" at the end.
func (s Store) Outbox(ctx context.Context, q ReportQuery) (reports []Report, after string, err error) {
	if q.Limit <= 0 {
		q.Limit = listSize
	}
	err = s.View(ctx, func(tx *Tx) error {
		reports, after = nil, ""
		for p, err := range tx.Scan(bucketOutbox, q.After, "") {
			if err != nil {
				return err
			}
			r, err := decode[Report](Key{bucketOutbox, p.Key}, p.Value)
			if err != nil {
				return err
			}
			r.ID = p.Key
			if r.ID == q.After || !q.Only.Has(r) {
				continue
			}
			if len(reports) == q.Limit {
				return nil
			}
			reports, after = append(reports, r), r.ID
		}
		after = ""
		return nil
	})
	return reports, after, err
}

// Reports ranges over the reports that are owed, or over some of them, some hundreds at a time.
func Reports(ctx context.Context, s Store, only Owed) iter.Seq2[Report, error] {
	q := ReportQuery{Only: only}
	return paged(func() (reports []Report, more bool, err error) {
		reports, q.After, err = s.Outbox(ctx, q)
		return reports, q.After != "", err
	})
}

// putReport writes a report in the place of another one; nil: nothing is owed. A new one gets a
// number of its own.
func putReport(tx *Tx, id string, old, r *Report) (err error) {
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
	if report.Seq == 0 {
		if report.Seq, err = next(tx); err != nil {
			return err
		}
	}
	return put(tx, bucketOutbox, id, report)
}
