package publication

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Settlement ends the look: the state table says what comes next. The transaction carries over what
// others wrote to the record meanwhile.
func (d Decision) Settlement(now time.Time) store.Settlement {
	switch e := d.end; e.kind {
	case eventFailed, eventWaiting:
		failed := store.Event{What: e.err.Kind.String() + ": " + e.err.Error()}
		if e.err.Kind == shopadapter.Transient {
			failed.Kind = store.EventTransient
		}
		d.addEvent(failed, nil, now)
	case eventWithdrawn:
		d.addEvent(store.Event{What: "withdrawn: " + string(d.rec.Removal.Reason), By: d.start.ApprovedBy}, nil, now)
		d.rec.ApprovedBy = ""
	default:
	}
	recordHeld(&d.rec, d.start.Holds, now)
	if before, after := d.start.URL, d.rec.URL; before != "" && after != "" && before != after {
		d.addEvent(store.Event{Kind: store.EventAddress}, []store.Move{{Old: before, New: after}}, now)
	}
	if d.rec.Unread != "" && d.rec.Unread != d.start.Unread {
		d.addHistory("the marketplace gives what cannot be read: "+d.rec.Unread, now)
	}
	s := d.by.next(d.rec, d.end, now)
	if d.forget {
		s = store.Settlement{Record: d.rec, Forget: true, Leave: wasForgotten(d.start)}
	}
	if d.repriced && d.mark.Cause&store.CauseSettings != 0 && s.Next != nil { // the content must still be read
		next := s.Next.Merge(store.Mark{Class: store.ClassRefresh, Cause: store.CauseSettings, At: store.At(now)})
		s.Next = &next
	}
	if d.unanswered && s.Next != nil {
		s.Next.Cause |= store.CauseAsked
	}
	s.Gen, s.Record.ID = d.mark.Gen, d.mark.ID
	s.Merge = func(cur store.Record, owed *store.Report, s *store.Settlement) {
		carryOver(d.start, cur, &s.Record)
		d.carryDrift(cur, &s.Record)
		d.adoptStatus(cur, s, now)
		if s.Forget {
			return
		}
		restate(&s.Record, cur.State, now)
		Owe(s, owed, now)
	}
	return s
}

// ID is the publication that the look is at.
func (d Decision) ID() string { return d.mark.ID }

// Before is the record as the look read it.
func (d Decision) Before() store.Record { return d.start }

// FoundRemoval reports whether the look found a removal that the brake has to judge.
func (d Decision) FoundRemoval() bool { return d.found }

// Held are the desired changes that a brake holds.
func (d Decision) Held() []store.Hold {
	if d.strange || d.repriced || d.desired.withheld || len(d.desired.order) > 0 {
		return d.rec.Holds
	}
	return nil
}

// adoptStatus records the status that the reading showed: a report whose answer was lost has
// arrived, or somebody else set another status.
func (d *Decision) adoptStatus(cur store.Record, s *store.Settlement, now time.Time) {
	if d.pub == nil || d.anew || d.strange || d.forget {
		return
	}
	status := store.Status(d.pub.Status)
	if status != store.StatusSuccess && status != store.StatusFailed && d.rec.Reported == "" {
		return
	}
	if after(cur.ReportedAt, store.At(d.asked)-1, now) { // the reading is older than the last acknowledgement
		return
	}
	if cur.Reported != status { // another spelling of the address alone is no change
		s.Record.Reported, s.Record.ReportedURL = status, d.pub.ProductURL
	}
}

// carryOver copies into r what was written to the record after the look began: acknowledged
// reports, their echo in updatedAt, approvals, and the history of these.
func carryOver(start, cur store.Record, r *store.Record) {
	if cur.ReportedAt != start.ReportedAt || cur.ReportError != start.ReportError || cur.Reported != start.Reported ||
		cur.ReportedURL != start.ReportedURL {
		r.Reported, r.ReportedURL = cur.Reported, cur.ReportedURL
		r.ReportedAt, r.ReportError = cur.ReportedAt, cur.ReportError
	}
	if cur.UpdatedAt != start.UpdatedAt && r.UpdatedAt == start.UpdatedAt {
		r.UpdatedAt, r.ContentAt = cur.UpdatedAt, cur.ContentAt
	}
	for _, a := range cur.Approved {
		if !approved(start.Approved, a) && !approved(r.Approved, a) {
			r.Approved = append(r.Approved, a)
		}
	}
	if cur.ApprovedBy != start.ApprovedBy {
		r.ApprovedBy = cur.ApprovedBy
	}
	carryDeclined(start, cur, r)
	if cur.Unasked != start.Unasked {
		r.Unasked = cur.Unasked
	}
	if cur.Ruling != start.Ruling {
		r.Ruling = cur.Ruling
	}
	if cur.Reset != start.Reset {
		r.Reset |= cur.Reset
	}
	carryHistory(start, cur, r)
	if cur.Removal.Go && !start.Removal.Go && r.Removal.Reason != "" && !r.Removal.Done {
		r.Removal.Go = true
	}
}

// Needless reports whether a mark says only what a sweep saw, and the content has been read since:
// its look needs no reading.
func Needless(m store.Mark, r store.Record) bool {
	if m.Cause&^(store.CauseSeen|store.CauseVariant) != 0 || m.Cause == 0 {
		return false
	}
	read := func(at store.Instant) bool { return r.ReadAt > at }
	return (m.Cause&store.CauseSeen == 0 || r.UpdatedAt == m.Seen || read(m.SeenAt)) &&
		(m.Cause&store.CauseVariant == 0 || read(m.VariantAt))
}

// Skip settles a look at a needless mark.
func (by *Decider) Skip(r store.Record, m store.Mark, now time.Time) store.Settlement {
	s := store.Settlement{Record: r, Gen: m.Gen}
	s.Record.ID = m.ID
	if r.ReadAt != 0 {
		s.Next = by.idle(r, now)
	}
	s.Merge = func(cur store.Record, owed *store.Report, s *store.Settlement) {
		s.Record = cur // nothing was read
		s.Record.State = StateOf(s.Record)
		Owe(s, owed, now)
	}
	return s
}

// ReasonOf is why a record is in its state, in one line; "" for no reason.
func ReasonOf(r store.Record) string {
	switch {
	case r.Problem.Message != "":
		return r.Problem.Message
	case len(r.Holds) > 0:
		return r.Holds[0].Reason
	case r.Unsellable != "":
		return r.Unsellable
	case awaits(r):
		return isDraft
	default:
		return string(r.Removal.Reason)
	}
}

// Stopped records that a call was cancelled after so long.
func Stopped(s *store.Settlement, took time.Duration, now time.Time) {
	s.Record.History = appendHistory(
		s.Record.History, "stopped: the shop had not come to an end after "+took.Round(time.Second).String(), now,
	)
}
