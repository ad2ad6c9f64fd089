package memory

import (
	"context"
	"fmt"
	"strings"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// Begin records an attempt before it is made, and claims the SKUs.
func (s *Store) Begin(ctx context.Context, a store.Attempt) (assigned map[string]string, err error) {
	err = s.write(ctx, func(tx *transaction) error {
		old, known, err := tx.record(a.ID)
		if err != nil {
			return err
		}
		r := old
		assigned = a.Assign(tx.holders(a.Keys))
		by := store.OwnersOf(a.ID)
		for _, variant := range a.Order {
			sku := assigned[variant]
			if sku != "" && len(sku) <= store.MaxID {
				set(tx, tx.claims, store.SKUKey(sku), by(variant), true)
			}
			r.AddClaim(store.Claim{Variant: variant, SKU: sku})
		}
		r.Attempted |= a.Fields
		r.Open = true
		if a.Apply != nil {
			a.Apply(&r)
		}
		r.ID = a.ID
		return tx.putRecord(r, known)
	})
	return assigned, err
}

// Settle ends a piece of work.
func (s *Store) Settle(ctx context.Context, w store.Settlement) (out store.Record, err error) {
	err = s.write(ctx, func(tx *transaction) error {
		id := w.Record.ID
		now, known, err := tx.record(id)
		if err != nil {
			return err
		}
		if w.Merge != nil {
			w.Merge(now, tx.report(id), &w)
		}
		if m, ok := tx.marks[id]; ok && m.Gen == w.Gen {
			tx.dropMark(id)
		}
		out, err = tx.put(now, known, w)
		return err
	})
	return out, err
}

// Change makes changes, all in one transaction, and returns how many were made.
func (s *Store) Change(ctx context.Context, changes ...store.Change) (n int, err error) {
	err = s.write(ctx, func(tx *transaction) error {
		for _, c := range changes {
			changed, err := tx.change(c)
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

func (tx *transaction) change(c store.Change) (bool, error) {
	owed := tx.report(c.ID)
	if owed != nil && owed.Seq == c.Acked {
		tx.dropReport(c.ID)
		owed = nil
	}
	r, known, err := tx.record(c.ID)
	if err != nil || !known && !c.Unknown {
		return false, err
	}
	w := store.Settlement{Record: r}
	if !c.Apply(known, owed, &w) {
		return false, nil
	}
	_, err = tx.put(r, known, w)
	return err == nil, err
}

// put writes what a settlement holds in place of the record that is there.
func (tx *transaction) put(old store.Record, known bool, w store.Settlement) (store.Record, error) {
	r := w.Record
	if r.ID != old.ID {
		return r, fmt.Errorf("settle publication %q: record is of %q", old.ID, r.ID)
	}
	if w.Forget {
		return store.Record{}, tx.forget(old, known, w)
	}
	r.Claims = tx.settleClaims(old, r)
	if err := tx.putRecord(r, known); err != nil {
		return r, err
	}
	if w.Removed {
		key := removal{r.ID, r.Removal.At}
		if !tx.removed[key] {
			tx.removed[key] = true
			tx.undo = append(tx.undo, func() { delete(tx.removed, key) })
		}
	}
	if w.Next != nil {
		next := *w.Next
		next.ID = r.ID
		if err := tx.merge(next); err != nil {
			return r, err
		}
	}
	switch {
	case w.Cancel:
		tx.dropReport(r.ID)
	case w.Report != nil:
		report := *w.Report
		tx.seq++
		report.ID, report.Seq = r.ID, tx.seq
		tx.setReport(report)
	}
	return r, nil
}

// forget removes every trace of a publication but what is left of its record, and a mark that
// arrived meanwhile.
func (tx *transaction) forget(old store.Record, known bool, w store.Settlement) error {
	tx.dropReport(old.ID)
	if !known {
		return nil
	}
	left := store.Record{ID: old.ID}
	if w.Leave {
		left = w.Record.Left()
	}
	if len(left.Claims) == 0 {
		tx.settleClaims(old, store.Record{ID: old.ID, WrittenAt: 1})
	}
	tx.moveKeys(old, false)
	set(tx, tx.records, old.ID, nil, false)
	move(tx, &tx.ids, old.ID, false)
	if left.ReportedAt == 0 && len(left.Claims) == 0 {
		return nil
	}
	data, err := value.Encode(old.ID, left)
	set(tx, tx.left, old.ID, data, true)
	return err
}

func (tx *transaction) putRecord(r store.Record, known bool) error {
	if err := validID(r.ID); err != nil {
		return err
	}
	data, err := value.Encode(r.ID, r)
	if err != nil {
		return err
	}
	if known {
		old, _, err := tx.record(r.ID)
		if err != nil {
			return err
		}
		tx.moveKeys(old, false)
	}
	tx.moveKeys(r, true)
	set(tx, tx.records, r.ID, data, true)
	if !known {
		move(tx, &tx.ids, r.ID, true)
		set(tx, tx.left, r.ID, nil, false)
	}
	return nil
}

// moveKeys puts a record into the index of each of its keys, or takes it out.
func (tx *transaction) moveKeys(r store.Record, in bool) {
	for _, k := range store.Keys(r) {
		places, ok := tx.index[k.Key]
		if !ok {
			places = &ordered[string]{compare: strings.Compare}
			tx.index[k.Key] = places
		}
		move(tx, places, k.Place(r.ID), in)
	}
}

// settleClaims releases the SKUs that a publication no longer uses, and returns those that stay
// claimed.
func (tx *transaction) settleClaims(before, after store.Record) []store.Claim {
	open, free := store.SplitClaims(before, after)
	for _, c := range free {
		if key := store.SKUKey(c.SKU); tx.claims[key] == store.OwnerOf(before.ID, c.Variant) {
			set(tx, tx.claims, key, "", false)
		}
	}
	return open
}

func (tx *transaction) report(id string) *store.Report {
	if r, ok := tx.reports[id]; ok {
		return &r
	}
	return nil
}

func (tx *transaction) setReport(r store.Report) {
	if _, owed := tx.reports[r.ID]; !owed {
		move(tx, &tx.owed, r.ID, true)
	}
	set(tx, tx.reports, r.ID, r, true)
}

func (tx *transaction) dropReport(id string) {
	if _, owed := tx.reports[id]; owed {
		set(tx, tx.reports, id, store.Report{}, false)
		move(tx, &tx.owed, id, false)
	}
}
