package connector

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/quote"
	"github.com/pubsync/pubsync/store"
)

const (
	historyLength = 8
	historyLine   = 160 // characters
)

// record adds a line to the publication's history; the same line twice is one with the later time.
func (w *look) record(what string) { w.rec.History = appendHistory(w.rec.History, what, time.Now()) }

func appendHistory(h []store.Event, what string, now time.Time) []store.Event {
	what = quote.Line(what, historyLine, func(s string) string { return s })
	e := store.Event{At: store.At(now), What: what}
	out := make([]store.Event, 0, historyLength)
	for _, old := range h {
		if old.What != what {
			out = append(out, old)
		}
	}
	out = append(out, e)
	return out[max(0, len(out)-historyLength):]
}

func (c *Connector) policy() policy {
	return policy{
		failAfter: c.failAfter, refreshAfter: c.refreshAfter,
		backoff: func(attempts int) time.Duration { return backoff(attempts, c.backoffMost()) },
	}
}

// settle ends the look: what comes next is the state table's word.
func (w *look) settle(e event) {
	now := time.Now()
	if e.kind == eventFailed || e.kind == eventWaiting {
		w.record(e.err.Kind.String() + ": " + e.err.Error())
	}
	if e.kind == eventWithdrawn {
		w.record("withdrawn: " + w.rec.Removal.Reason)
	}
	s := next(w.rec, e, now, w.c.policy())
	switch e.kind {
	case eventUnchanged:
		w.c.tally.unchanged.Add(1)
	case eventFailed:
		w.c.failed(w.mark.ID, e.err)
	default:
	}
	w.adoptStatus(&s)
	w.c.settle(w.mark, w.start, s)
}

// adoptStatus takes in what the marketplace was seen to hold: a report whose answer was lost has arrived, or somebody else set another status.
func (w *look) adoptStatus(s *store.Settlement) {
	if w.pub == nil || w.anew || w.strange {
		return
	}
	seen, url := w.pub.Status, w.pub.ProductURL
	if seen != statusSuccess && seen != statusFailed && s.Record.Reported == "" {
		return
	}
	asked := store.At(w.asked)
	s.Merge = func(now store.Record, _ *store.Report, s *store.Settlement) {
		if after(now.ReportedAt, asked-1, time.Now()) { // the reading is older than the last acknowledgement
			return
		}
		if now.Reported != seen { // the same status with another spelling of the address is no news
			s.Record.Reported, s.Record.ReportedURL = seen, url
		}
	}
}

// settle makes the end of a look durable. What others wrote to the record meanwhile is carried over in the transaction.
func (c *Connector) settle(m store.Mark, start store.Record, s store.Settlement) {
	now := time.Now()
	s.Gen = m.Gen
	s.Record.ID = m.ID
	inner := s.Merge
	s.Merge = func(cur store.Record, owed *store.Report, s *store.Settlement) {
		carryOver(start, cur, &s.Record)
		if inner != nil {
			inner(cur, owed, s)
		}
		if s.Forget {
			return
		}
		s.Record.State = string(stateOf(s.Record))
		owe(s, owed, now)
	}
	after, err := c.store.Settle(s)
	if err != nil {
		c.storeFailed(err)
		return
	}
	if s.Record.Problem.Kind == problemTransient && !s.Forget {
		c.retrying.add(m.ID, now)
	} else {
		c.retrying.forget(m.ID)
		c.progress.note(now)
	}
	if before := start.State; !s.Forget && before != after.State {
		c.log.Info("publication changed state", "publication", m.ID, "state", after.State, "before", before, "reason", reasonOf(after))
	}
	c.reporter.bell.ring()
	if p := after.Problem; p.Kind == problemBlocked && p.Wide && !c.shopGate.look(now).Refused { // the check has passed since: it met no record of this
		if err := c.store.Mark(store.Mark{ID: m.ID, Class: store.ClassSweep, Cause: store.CauseRetry, At: store.At(now)}); err != nil {
			c.storeFailed(err)
		}
		c.bell.ring()
	}
}

// carryOver brings into r what was written to the record after the work on it began: acknowledged reports, the echo they left in updatedAt,
// and approvals.
func carryOver(start, cur store.Record, r *store.Record) {
	if cur.ReportedAt != start.ReportedAt || cur.Refused != start.Refused || cur.Reported != start.Reported || cur.ReportedURL != start.ReportedURL {
		r.Reported, r.ReportedURL, r.ReportedAt, r.Refused, r.ReportError = cur.Reported, cur.ReportedURL, cur.ReportedAt, cur.Refused, cur.ReportError
	}
	if cur.UpdatedAt != start.UpdatedAt && r.UpdatedAt == start.UpdatedAt {
		r.UpdatedAt = cur.UpdatedAt
	}
	for _, a := range cur.Approved {
		if !approved(start.Approved, a) && !approved(r.Approved, a) {
			r.Approved = append(r.Approved, a)
		}
	}
	if cur.Reset != start.Reset {
		r.Reset |= cur.Reset
	}
	if cur.Removal.Go && !start.Removal.Go && r.Removal.Reason != "" && !r.Removal.Done {
		r.Removal.Go = true
	}
}

// fail settles a mark whose work came to nothing before it had a result of its own.
func (c *Connector) fail(m store.Mark, e *shopadapter.Error) {
	rec, _, err := c.store.Get(m.ID)
	if err != nil {
		c.storeFailed(err)
		return
	}
	w := &look{c: c, mark: m, start: rec, rec: rec, asked: time.Now()}
	w.settle(event{kind: eventFailed, err: e})
}

// failed logs one failed look. That the shop as a whole is in trouble has been said once, by its gate.
func (c *Connector) failed(id string, e *shopadapter.Error) {
	c.metrics.failures.WithLabelValues(e.Kind.String()).Inc()
	if !e.ShopWide {
		c.log.Warn("publication not settled", "publication", id, "kind", e.Kind.String(), "error", e.Error())
	}
}

func reasonOf(r store.Record) string {
	switch {
	case r.Problem.Message != "":
		return r.Problem.Message
	case len(r.Holds) > 0:
		return r.Holds[0].Reason
	default:
		return r.Removal.Reason
	}
}
