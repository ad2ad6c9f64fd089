package store

import (
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// A Settlement is the end of one piece of work: it becomes durable as a whole.
type Settlement struct {
	Record  Record
	Gen     uint64  // of the mark that led to the work
	Next    *Mark   // when to look again; nil for never
	Report  *Report // owed from now on in place of any other; nil leaves the outbox as it is
	Cancel  bool    // nothing is owed any longer
	Forget  bool    // remove every trace of the publication; Next and Report are passed over
	Removed bool    // count it as a removal of today
	// Merge is called in the transaction with the record and the owed report as they are now: what others wrote since the work began (an
	// acknowledged report, an approval) is carried over here. It may change everything above.
	Merge func(now Record, owed *Report, s *Settlement)
}

// Settle ends a piece of work and returns the record as it was written. A mark that arrived since the work began stays, so that it leads to
// another look.
func (s *Store) Settle(w Settlement) (Record, error) {
	var out Record
	err := s.write(func(tx *bolt.Tx) error {
		w := w // the transaction may run twice
		id := w.Record.ID
		now, known, err := getRecord(tx, id)
		if err != nil {
			return err
		}
		owed, err := getReport(tx, id)
		if err != nil {
			return err
		}
		if w.Merge != nil {
			w.Merge(now, owed, &w)
		}
		if err := dropMark(tx, id, w.Gen); err != nil {
			return err
		}
		out, err = s.put(tx, now, known, w)
		return err
	})
	return out, err
}

// Update changes records in place, with what is due and owed, all in one transaction: for what a person or the brake decides. apply returns
// false to leave a record alone. Unknown ids are passed over; n is how many were changed.
func (s *Store) Update(apply func(owed *Report, s *Settlement) bool, ids ...string) (n int, err error) {
	err = s.write(func(tx *bolt.Tx) error {
		n = 0
		for _, id := range ids {
			changed, err := s.change(tx, id, false, func(_ bool, owed *Report, w *Settlement) bool { return apply(owed, w) })
			if err != nil {
				return err
			}
			if changed {
				n++
			}
		}
		return nil
	})
	return n, err
}

// change lets apply change one record, or with unknown make one that the store does not know.
func (s *Store) change(tx *bolt.Tx, id string, unknown bool, apply func(known bool, owed *Report, w *Settlement) bool) (changed bool, err error) {
	r, known, err := getRecord(tx, id)
	if err != nil || !known && !unknown {
		return false, err
	}
	owed, err := getReport(tx, id)
	if err != nil {
		return false, err
	}
	w := Settlement{Record: r}
	if !apply(known, owed, &w) {
		return false, nil
	}
	_, err = s.put(tx, r, known, w)
	return err == nil, err
}

// put writes what a settlement holds, in place of the record that is there: record, SKUs, mark and report.
func (s *Store) put(tx *bolt.Tx, old Record, known bool, w Settlement) (Record, error) {
	r := w.Record
	if r.ID != old.ID {
		return r, fmt.Errorf("settle publication %q: record is of %q", old.ID, r.ID)
	}
	if w.Forget {
		return Record{}, s.forgetRecord(tx, old, known)
	}
	var err error
	if r.Claims, err = settleClaims(tx, old, r); err != nil {
		return r, err
	}
	if err := s.putRecord(tx, old, r, known); err != nil {
		return r, err
	}
	if w.Removed {
		if err := putRemoved(tx, r.ID, r.Removal.At); err != nil {
			return r, err
		}
	}
	if w.Next != nil {
		next := *w.Next
		next.ID = r.ID
		if err := putMark(tx, next); err != nil {
			return r, err
		}
	}
	return r, putReport(tx, r.ID, w.Report, w.Cancel)
}

// Doubt changes every record by f and takes back every report that is owed, whose publication is due at a moment instead: what a store says that was
// copied some time ago, and put in the place of a later one, may be so no more. Interrupted, it may be done again.
func (s *Store) Doubt(at Instant, f func(*Record)) error {
	const page = 256
	for after, more := "", true; more; {
		err := s.write(func(tx *bolt.Tx) error {
			doubtful, err := recordsAfter(tx, after, page)
			if err != nil {
				return err
			}
			more = len(doubtful) == page
			for _, old := range doubtful {
				r := old
				f(&r)
				if err := s.putRecord(tx, old, r, true); err != nil {
					return err
				}
				if err := recant(tx, r.ID, at); err != nil {
					return err
				}
			}
			if more {
				after = doubtful[page-1].ID
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// recant takes a report back that is owed, and has its publication read.
func recant(tx *bolt.Tx, id string, at Instant) error {
	owed, err := getReport(tx, id)
	if err != nil || owed == nil {
		return err
	}
	if err := putReport(tx, id, nil, true); err != nil {
		return err
	}
	return putMark(tx, Mark{ID: id, Class: ClassSweep, Cause: CauseRead, At: at})
}

// Adopt changes the record of a publication by fill, which is told whether the store knows it, and reports whether fill took it.
func (s *Store) Adopt(id string, fill func(r *Record, known bool) (taken bool)) (taken bool, err error) {
	err = s.write(func(tx *bolt.Tx) error {
		taken = false
		old, known, err := getRecord(tx, id)
		if err != nil {
			return err
		}
		r := old
		if !fill(&r, known) {
			return nil
		}
		r.ID, taken = id, true
		return s.putRecord(tx, old, r, known)
	})
	return taken, err
}
