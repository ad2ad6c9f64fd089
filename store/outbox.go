package store

import (
	bolt "go.etcd.io/bbolt"
)

func putReport(tx *bolt.Tx, id string, r *Report, cancel bool) error {
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
	return putSealed(b, id, encodeReport(report))
}

// Owed is the report owed for one publication, nil when there is none.
func (s *Store) Owed(id string) (r *Report, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		r, err = getReport(tx, id)
		return err
	})
	return r, err
}

func getReport(tx *bolt.Tx, id string) (*Report, error) {
	data := bucket(tx, bucketOutbox).Get([]byte(id))
	if data == nil {
		return nil, nil //nolint:nilnil // owing nothing is the usual case
	}
	r, err := decodeReport(id, data)
	return &r, err
}

// Outbox is the reports owed, at most limit of them, that skip does not leave out.
func (s *Store) Outbox(limit int, skip func(id string) bool) (reports []Report, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		c := bucket(tx, bucketOutbox).Cursor()
		for key, value := c.First(); key != nil && len(reports) < limit; key, value = c.Next() {
			if skip(string(key)) {
				continue
			}
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

// OutboxLen counts the reports owed.
func (s *Store) OutboxLen() (n int, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		c := bucket(tx, bucketOutbox).Cursor()
		for key, _ := c.First(); key != nil; key, _ = c.Next() {
			n++
		}
		return nil
	})
	return n, err
}

// An Ack is the marketplace's answer to one report.
type Ack struct {
	Report Report
	// Apply takes the answer into the record, in the transaction, with the report that is owed once this one is acknowledged. It returns false
	// to leave the record alone.
	Apply func(owed *Report, s *Settlement) bool
}

// Acknowledge takes answers in. A report that was replaced meanwhile stays owed: only the one that was sent is removed.
func (s *Store) Acknowledge(acks ...Ack) error {
	return s.write(func(tx *bolt.Tx) error {
		for _, a := range acks {
			if err := s.acknowledge(tx, a); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) acknowledge(tx *bolt.Tx, a Ack) error {
	id := a.Report.ID
	owed, err := getReport(tx, id)
	if err != nil {
		return err
	}
	if owed != nil && owed.Seq == a.Report.Seq {
		if err := bucket(tx, bucketOutbox).Delete([]byte(id)); err != nil {
			return err
		}
	}
	_, err = s.change(tx, id, false, func(_ bool, owed *Report, w *Settlement) bool { return a.Apply(owed, w) })
	return err
}
