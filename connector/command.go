package connector

import (
	"time"

	"github.com/pubsync/pubsync/store"
)

// Retry makes a publication due now, whatever kept it waiting. reset also gives back to the supplier what the merchant edited.
func Retry(s *store.Store, id string, reset bool) error {
	n, err := s.Update(func(_ *store.Report, w *store.Settlement) bool {
		retry(w, reset, time.Now())
		return true
	}, id)
	if err == nil && n == 0 {
		return ErrUnknown
	}
	return err
}

func retry(w *store.Settlement, reset bool, now time.Time) {
	if reset {
		w.Record.Reset = w.Record.Kept
	}
	w.Record.Refused = ""
	w.Next = &store.Mark{Class: store.ClassHook, Cause: store.CauseAsked, At: store.At(now)}
}

// RetryFailed does it for every publication that is rejected, blocked, pending or partly refused, and returns how many.
func RetryFailed(s *store.Store) (int, error) {
	ids, err := idsIn(s, StateRejected, StateBlocked, StatePending, StatePartial)
	if err != nil {
		return 0, err
	}
	return s.Update(func(_ *store.Report, w *store.Settlement) bool {
		retry(w, false, time.Now())
		return true
	}, ids...)
}

// Approve lets what a brake holds of a publication through: this change, no other. Where nothing is held it does nothing.
func Approve(s *store.Store, id string) error {
	n, err := s.Update(func(_ *store.Report, w *store.Settlement) bool {
		approve(w, time.Now())
		return true
	}, id)
	if err == nil && n == 0 {
		return ErrUnknown
	}
	return err
}

// ApproveAll does it for everything that is held, and returns how many.
func ApproveAll(s *store.Store) (int, error) {
	var ids []string
	for r, err := range s.Records("") {
		if err != nil {
			return 0, err
		}
		if len(r.Holds) > 0 {
			ids = append(ids, r.ID)
		}
	}
	return s.Update(func(_ *store.Report, w *store.Settlement) bool {
		approve(w, time.Now())
		return true
	}, ids...)
}

func approve(w *store.Settlement, now time.Time) {
	r := &w.Record
	for _, h := range r.Holds {
		if h.Kind == holdRemoval {
			letGo(w, now)
			w.Next.Class = store.ClassHook
		} else {
			r.Approved = append(r.Approved, h)
			w.Next = &store.Mark{Class: store.ClassHook, Cause: store.CauseAsked, At: store.At(now)}
		}
	}
	r.State = string(stateOf(*r))
}

func idsIn(s *store.Store, states ...State) (ids []string, err error) {
	for r, err := range s.Records("") {
		if err != nil {
			return nil, err
		}
		for _, state := range states {
			if r.State == string(state) {
				ids = append(ids, r.ID)
			}
		}
	}
	return ids, nil
}
