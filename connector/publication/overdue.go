package publication

import (
	"time"

	"github.com/pubsync/pubsync/store"
)

// An Outage is since when, and why, the shop as a whole cannot be used. The zero Outage is none.
type Outage struct {
	Since  time.Time
	Reason string
}

// Overdue reports whether a publication that is not on sale has met only errors of the shop for
// failAfter. While the shop refuses everything, that includes a publication that was never tried.
func (o Outage) Overdue(r store.Record, failAfter time.Duration, now time.Time) bool {
	since, waits := o.waitsSince(r)
	return waits && now.Sub(since) >= failAfter
}

// waitsSince is since when a publication that is not on sale has waited for the shop.
func (o Outage) waitsSince(r store.Record) (since time.Time, waits bool) {
	switch {
	case r.OnSale || r.Problem.Overdue || r.Removal.Reason != "" || len(r.Holds) > 0:
		return since, false
	case waitsForShop(r.Problem.Kind):
		return r.Problem.Since.Time(), true
	case r.Problem.Kind == "" && !o.Since.IsZero():
		if listed := r.ListedAt.Time(); listed.After(o.Since) {
			return listed, true
		}
		return o.Since, true
	default:
		return since, false
	}
}

// Apply has an overdue publication reported as failed. It reports whether there is something to
// write.
func (o Outage) Apply(s *store.Settlement, owed *store.Report, now time.Time) bool {
	p := &s.Record.Problem
	if p.Overdue || s.Record.OnSale {
		return false
	}
	if p.Kind == "" {
		*p = store.Problem{Kind: store.ProblemTransient, Message: o.Reason, Wide: true, Since: store.At(o.Since)}
	}
	p.Overdue = true
	s.Record.State = StateOf(s.Record)
	Owe(s, owed, now)
	return true
}

func waitsForShop(kind store.ProblemKind) bool {
	return kind == store.ProblemTransient || kind == store.ProblemBlocked
}
