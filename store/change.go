package store

import "context"

// Update changes what is held of publications by one rule, all in one transaction, and returns how
// many were changed. Publications that the store does not know are skipped. See [Change] for the
// rule.
func Update(ctx context.Context, s Store, apply func(owed *Report, s *Settlement) bool, ids ...string) (int, error) {
	changes := make([]Change, len(ids))
	for i, id := range ids {
		changes[i] = Change{ID: id, Apply: func(_ bool, owed *Report, w *Settlement) bool { return apply(owed, w) }}
	}
	return s.Change(ctx, changes...)
}

// An Ack is the marketplace's answer to one report.
type Ack struct {
	Report Report
	// Apply changes the record by the answer. It is given the report that is owed once this one is
	// acknowledged. See [Change].
	Apply func(owed *Report, s *Settlement) bool
}

// Acknowledge records answers. It removes only the report that was sent: one that replaced it
// meanwhile stays owed.
func Acknowledge(ctx context.Context, s Store, acks ...Ack) error {
	changes := make([]Change, len(acks))
	for i, a := range acks {
		changes[i] = Change{
			ID:    a.Report.ID,
			Acked: a.Report.Seq,
			Apply: func(_ bool, owed *Report, w *Settlement) bool { return a.Apply(owed, w) },
		}
	}
	_, err := s.Change(ctx, changes...)
	return err
}

// Adopt changes the record of a publication by fill, which is told whether the store knows it, and
// reports whether fill changed it.
func Adopt(ctx context.Context, s Store, id string, fill func(r *Record, known bool) (changed bool)) (bool, error) {
	n, err := s.Change(ctx, Change{ID: id, Unknown: true, Apply: func(known bool, _ *Report, w *Settlement) bool {
		changed := fill(&w.Record, known)
		w.Record.ID = id
		return changed
	}})
	return n > 0, err
}

// Recheck changes every record by f, cancels every report that is owed, and makes the publications
// of those due at a moment instead. It is for a store that was replaced by an older copy, whose
// records and reports may be wrong. After an interruption it may be called again.
func Recheck(ctx context.Context, s Store, at Instant, f func(*Record)) error {
	recheck := func(_ bool, owed *Report, w *Settlement) bool {
		f(&w.Record)
		if owed != nil {
			w.Cancel, w.Next = true, &Mark{Class: ClassSweep, Cause: CauseRead, At: at}
		}
		return true
	}
	for after, more := "", true; more; more = after != "" {
		records, next, err := s.List(ctx, Query{After: after})
		if err != nil {
			return err
		}
		changes := make([]Change, len(records))
		for i, r := range records {
			changes[i] = Change{ID: r.ID, Apply: recheck}
		}
		if _, err := s.Change(ctx, changes...); err != nil {
			return err
		}
		after = next
	}
	return nil
}

// Each is a change for each of some publications, whether the store knows them or not. The rule is
// given the index of the publication in ids.
func Each(ids []string, rule func(i int, known bool, owed *Report, s *Settlement) bool) []Change {
	changes := make([]Change, len(ids))
	for i, id := range ids {
		changes[i] = Change{
			ID:      id,
			Unknown: true,
			Apply:   func(known bool, owed *Report, s *Settlement) bool { return rule(i, known, owed, s) },
		}
	}
	return changes
}
