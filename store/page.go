package store

import (
	"context"
	"iter"
)

// Marks ranges over what Due returns for a query, some hundreds at a time.
func Marks(ctx context.Context, s Reader, q DueQuery) iter.Seq2[Mark, error] {
	q.Limit = pageSize
	return func(yield func(Mark, error) bool) {
		for {
			due, _, err := s.Due(ctx, q)
			if err != nil {
				yield(Mark{}, err)
				return
			}
			for _, m := range due {
				if !yield(m, nil) {
					return
				}
			}
			if len(due) < q.Limit {
				return
			}
			q.Behind = &due[len(due)-1]
		}
	}
}

// pageSize is how much is read at a time: no reader is long, and none asks often.
const pageSize = 256

// Records ranges over what List returns for a query, some hundreds at a time.
func Records(ctx context.Context, s Reader, q Query) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for {
			records, after, err := s.List(ctx, q)
			if err != nil {
				yield(Record{}, err)
				return
			}
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
			}
			if after == "" {
				return
			}
			q.After = after
		}
	}
}

// Reports ranges over the reports that are owed, or over some of them, some hundreds at a time.
func Reports(ctx context.Context, s Reader, only Owed) iter.Seq2[Report, error] {
	return func(yield func(Report, error) bool) {
		for q := (ReportQuery{Only: only}); ; {
			reports, after, err := s.Outbox(ctx, q)
			if err != nil {
				yield(Report{}, err)
				return
			}
			for _, r := range reports {
				if !yield(r, nil) {
					return
				}
			}
			if after == "" {
				return
			}
			q.After = after
		}
	}
}
