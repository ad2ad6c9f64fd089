package postgres

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

// Mark makes publications due.
func (s *Store) Mark(ctx context.Context, marks ...store.Mark) error {
	return s.write(ctx, need{ids: idsOfMarks(marks), bare: true}, func(w *work) error {
		for _, m := range marks {
			if err := w.add(m.ID).merge(m); err != nil {
				return err
			}
		}
		return nil
	})
}

func idsOfMarks(marks []store.Mark) []string {
	ids := make([]string, len(marks))
	for i, m := range marks {
		ids[i] = m.ID
	}
	return ids
}

// Reschedule moves a mark to a later time.
func (s *Store) Reschedule(ctx context.Context, d store.Rescheduling) error {
	return s.write(ctx, need{ids: []string{d.ID}, bare: true}, func(w *work) error {
		if e := w.add(d.ID); e.mark != nil && e.mark.Gen == d.Gen {
			e.setMark(e.mark.Rescheduled(d))
		}
		return nil
	})
}

// BringForward makes reasons for looks due at an earlier moment, and returns how many.
func (s *Store) BringForward(ctx context.Context, to store.Instant, marks ...store.Mark) (n int, err error) {
	err = s.write(ctx, need{ids: idsOfMarks(marks), bare: true}, func(w *work) error {
		n = 0
		for _, m := range marks {
			e := w.add(m.ID)
			if e.mark == nil {
				continue
			}
			if as := e.mark.As(m.Class); as.Class == m.Class && as.At > to {
				e.setMark(e.mark.Moved(m.Class, to))
				n++
			}
		}
		return nil
	})
	return n, err
}
