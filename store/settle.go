package store

import (
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"
)

// An Attempt is what is about to be sent to the shop.
type Attempt struct {
	ID     string
	Fields uint16            // the field groups sent
	Order  []string          // the variants' ids; where two want the same SKU, the first has it
	SKUs   map[string]string // variant id -> SKU wanted
	Apply  func(*Record)     // nil, or what else to note beforehand
}

// Begin notes, before anything is sent to the shop, that the field groups are being attempted: whatever becomes of the call, they count as
// unsettled until Settle. It claims the SKUs in the same transaction and returns what each variant got: the one it wants, or that with a suffix
// where another variant has it.
func (s *Store) Begin(a Attempt) (assigned map[string]string, err error) {
	err = s.write(func(tx *bolt.Tx) error {
		r, _, err := getRecord(tx, a.ID)
		if err != nil {
			return err
		}
		assigned = make(map[string]string, len(a.SKUs))
		for _, variant := range a.Order {
			sku := assignSKU(tx, a.SKUs[variant], a.ID, variant)
			if err := claimSKU(tx, sku, a.ID, variant); err != nil {
				return err
			}
			assigned[variant] = sku
		}
		r.Attempted |= a.Fields
		if a.Apply != nil {
			a.Apply(&r)
		}
		return s.putRecord(tx, r)
	})
	return assigned, err
}

// A Settlement is the end of one piece of work: it becomes durable as a whole.
type Settlement struct {
	Record  Record
	Gen     uint64  // of the mark that led to the work
	Next    *Mark   // when to look again; nil for never
	Report  *Report // owed from now on in place of any other; nil leaves the outbox as it is
	Cancel  bool    // nothing is owed any longer
	Forget  bool    // remove every trace of the publication
	Removed bool    // count it as a removal of today
	// Merge is called in the transaction with the record and the owed report as they are now: what others wrote since the work began (an
	// acknowledged report, an approval) is carried over here. It may change everything above.
	Merge func(now Record, owed *Report, s *Settlement)
}

// Settle ends a piece of work. A mark that arrived since the work began stays, so that it leads to another look.
func (s *Store) Settle(w Settlement) (Record, error) {
	var out Record
	err := s.write(func(tx *bolt.Tx) error {
		w := w // the transaction may run twice
		id := w.Record.ID
		now, _, err := getRecord(tx, id)
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
		if w.Forget {
			return s.forgetRecord(tx, id)
		}
		if err := keepClaims(tx, now, w.Record); err != nil {
			return err
		}
		out = w.Record
		if w.Removed {
			if err := bucket(tx, bucketRemoved).Put(dueKey(Mark{ID: id, At: w.Record.Removal.At}), nil); err != nil {
				return err
			}
		}
		return s.put(tx, id, w)
	})
	return out, err
}

// keepClaims releases the SKUs that a publication no longer uses.
func keepClaims(tx *bolt.Tx, before, after Record) error {
	if len(before.Variants) == 0 {
		return nil
	}
	used := make(map[string]string, len(after.Variants))
	for _, v := range after.Variants {
		used[v.ID] = v.SKU
	}
	for _, v := range before.Variants {
		if used[v.ID] != v.SKU {
			if err := releaseSKU(tx, v.SKU, before.ID, v.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

func dropMark(tx *bolt.Tx, id string, gen uint64) error {
	data := bucket(tx, bucketMark).Get([]byte(id))
	if data == nil {
		return nil
	}
	m, err := decodeMark(id, data)
	if err != nil || m.Gen != gen {
		return err
	}
	_, _, err = takeMark(tx, id)
	return err
}

// Defer moves a mark to a later time without touching the record, unless another arrived meanwhile.
func (s *Store) Defer(id string, gen uint64, at time.Time) error {
	return s.write(func(tx *bolt.Tx) error {
		data := bucket(tx, bucketMark).Get([]byte(id))
		if data == nil {
			return nil
		}
		m, err := decodeMark(id, data)
		if err != nil || m.Gen != gen {
			return err
		}
		if _, _, err := takeMark(tx, id); err != nil {
			return err
		}
		m.At = At(at)
		return setMark(tx, m)
	})
}

// Update changes records in place, with what is due and owed, all in one transaction: for what a person or the brake decides. apply returns
// false to leave a record alone. Unknown ids are passed over; n is how many were changed.
func (s *Store) Update(apply func(owed *Report, s *Settlement) bool, ids ...string) (n int, err error) {
	err = s.write(func(tx *bolt.Tx) error {
		n = 0
		for _, id := range ids {
			changed, err := s.updateOne(tx, id, apply)
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

func (s *Store) updateOne(tx *bolt.Tx, id string, apply func(*Report, *Settlement) bool) (changed bool, err error) {
	r, known, err := getRecord(tx, id)
	if err != nil || !known {
		return false, err
	}
	owed, err := getReport(tx, id)
	if err != nil {
		return false, err
	}
	w := Settlement{Record: r}
	if !apply(owed, &w) {
		return false, nil
	}
	if w.Forget {
		return true, s.forgetRecord(tx, id)
	}
	return true, s.put(tx, id, w)
}

// put writes what a settlement holds: record, mark and report.
func (s *Store) put(tx *bolt.Tx, id string, w Settlement) error {
	if w.Record.ID != id {
		return fmt.Errorf("settle publication %q: record is of %q", id, w.Record.ID)
	}
	if err := s.putRecord(tx, w.Record); err != nil {
		return err
	}
	if w.Next != nil {
		next := *w.Next
		next.ID = id
		if err := putMark(tx, next); err != nil {
			return err
		}
	}
	return putReport(tx, id, w.Report, w.Cancel)
}

// RemovedSince counts the removals done at or after t and drops the older ones from the count for good.
func (s *Store) RemovedSince(t time.Time) (n int, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		c := bucket(tx, bucketRemoved).Cursor()
		for key, _ := c.Seek(dueKey(Mark{At: At(t)})); key != nil; key, _ = c.Next() {
			n++
		}
		return nil
	})
	return n, err
}

// PruneRemoved forgets the removals done before t.
func (s *Store) PruneRemoved(t time.Time) error {
	return s.write(func(tx *bolt.Tx) error {
		b := bucket(tx, bucketRemoved)
		limit := string(dueKey(Mark{At: At(t)}))
		var old [][]byte
		c := b.Cursor()
		for key, _ := c.First(); key != nil && string(key) < limit; key, _ = c.Next() {
			old = append(old, append([]byte(nil), key...))
		}
		for _, key := range old {
			if err := b.Delete(key); err != nil {
				return err
			}
		}
		return nil
	})
}

// Adopt writes a record for a publication that the store does not know. It reports false, and does nothing, for one that it knows.
func (s *Store) Adopt(id string, fill func(*Record)) (fresh bool, err error) {
	err = s.write(func(tx *bolt.Tx) error {
		fresh = false
		r, known, err := getRecord(tx, id)
		if err != nil || known || id == "" {
			return err
		}
		fill(&r)
		fresh = true
		return s.putRecord(tx, r)
	})
	return fresh, err
}
