package memory

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/store"
)

// Mark makes publications due.
func (s *Store) Mark(ctx context.Context, marks ...store.Mark) error {
	return s.write(ctx, func(tx *transaction) error {
		for _, m := range marks {
			if err := tx.merge(m); err != nil {
				return err
			}
		}
		return nil
	})
}

// merge merges a mark into the one that is there.
func (tx *transaction) merge(m store.Mark) error {
	if err := validID(m.ID); err != nil {
		return err
	}
	if m.Class >= store.Classes {
		return fmt.Errorf("mark publication %q: class %d is not known", m.ID, m.Class)
	}
	if old, ok := tx.marks[m.ID]; ok {
		m = old.Merge(m)
	}
	tx.gen++ // never the same again, though the transaction is taken back
	m.Gen = tx.gen
	tx.setMark(m)
	return nil
}

// setMark puts a mark in the place of any other of its publication.
func (tx *transaction) setMark(m store.Mark) {
	tx.dropMark(m.ID)
	set(tx, tx.marks, m.ID, m, true)
	tx.moveRows(m, true)
}

func (tx *transaction) dropMark(id string) {
	if old, ok := tx.marks[id]; ok {
		tx.moveRows(old, false)
		set(tx, tx.marks, id, store.Mark{}, false)
	}
}

// moveRows puts a mark into the due set, or takes it out.
func (tx *transaction) moveRows(m store.Mark, in bool) {
	move(tx, &tx.due[m.Class], row{max(m.At, 0), m.ID}, in)
	if m.Hint != 0 {
		move(tx, &tx.due[store.ClassHint], row{max(m.Hint, 0), m.ID}, in)
	}
}

// Reschedule moves a mark to a later time.
func (s *Store) Reschedule(ctx context.Context, d store.Rescheduling) error {
	return s.write(ctx, func(tx *transaction) error {
		if m, ok := tx.marks[d.ID]; ok && m.Gen == d.Gen {
			tx.setMark(m.Rescheduled(d))
		}
		return nil
	})
}

// BringForward makes reasons for looks due at an earlier moment, and returns how many.
func (s *Store) BringForward(ctx context.Context, to store.Instant, marks ...store.Mark) (n int, err error) {
	err = s.write(ctx, func(tx *transaction) error {
		for _, m := range marks {
			now, ok := tx.marks[m.ID]
			if as := now.As(m.Class); ok && as.Class == m.Class && as.At > to {
				tx.setMark(now.Moved(m.Class, to))
				n++
			}
		}
		return nil
	})
	return n, err
}
