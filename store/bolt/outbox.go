package bolt

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

func putReport(tx *tree, id string, r *store.Report, cancel bool) error {
	b := bucket(tx, bucketOutbox)
	if cancel {
		return b.Delete([]byte(id))
	}
	if r == nil {
		return nil
	}
	seq, err := b.NextSequence()
	if err != nil {
		return err
	}
	report := *r
	report.Seq = seq
	return putValue(b, id, report)
}

func getReport(tx *tree, id string) (*store.Report, error) {
	data := bucket(tx, bucketOutbox).Get([]byte(id))
	if data == nil {
		return nil, nil //nolint:nilnil // owing nothing is the usual case
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
	err = s.read(ctx, func(tx *tree) error {
		reports, after = nil, ""
		c := bucket(tx, bucketOutbox).Cursor()
		key, value := c.Seek([]byte(q.After))
		if string(key) == q.After {
			key, value = c.Next()
		}
		for ; key != nil; key, value = c.Next() {
			r, err := decodeReport(string(key), value)
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
