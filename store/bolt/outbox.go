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

// Outbox is the reports owed behind an id, in the order of their ids, at most limit of them.
func (s *Store) Outbox(ctx context.Context, after string, limit int) (reports []store.Report, err error) {
	err = s.read(ctx, func(tx *tree) error {
		reports = nil
		c := bucket(tx, bucketOutbox).Cursor()
		key, value := c.Seek([]byte(after))
		if string(key) == after {
			key, value = c.Next()
		}
		for ; key != nil && len(reports) < limit; key, value = c.Next() {
			r, err := decodeReport(string(key), value)
			if err != nil {
				return err
			}
			reports = append(reports, r)
		}
		return nil
	})
	return reports, err
}
