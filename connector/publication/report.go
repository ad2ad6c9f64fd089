package publication

import (
	"time"

	"github.com/pubsync/pubsync/store"
)

// wanted is the status that the marketplace should hold, "" where there is none yet.
func wanted(r store.Record) (status store.Status, url string) {
	switch {
	case r.Removal.Reason == store.RemovalAbsent: // the marketplace has no entry to report on
		return "", ""
	case leftToOther(r): // the marketplace's status is not about us
		return "", ""
	case r.Removal.Done: // its entry is on the list, and has nothing to sell
		return store.StatusFailed, ""
	case r.OnSale:
		return store.StatusSuccess, r.URL
	case r.Problem.Kind == store.ProblemRejected, r.Problem.Gone, r.Problem.Hidden, r.Problem.Overdue:
		return store.StatusFailed, ""
	default:
		return "", ""
	}
}

// Owe puts into the settlement the report that is to be made. There is none where the marketplace
// holds that status, or the same report is owed already. A refused report stays owed as it is; a
// report that replaces it counts as never refused.
func Owe(s *store.Settlement, owed *store.Report, now time.Time) {
	status, url := wanted(s.Record)
	told := s.Record.Reported == status && (status != store.StatusSuccess || s.Record.ReportedURL == url)
	switch {
	case s.Record.Removal.Reason == store.RemovalAbsent:
		s.Cancel = owed != nil
	case status == "":
		s.Cancel = owed != nil && owed.Status == store.StatusSuccess // it is not true any more
	case told:
		s.Cancel = owed != nil
	case owed != nil && owed.Status == status && owed.URL == url:
	default:
		s.Report = &store.Report{Status: status, URL: url, UpdatedAt: s.Record.UpdatedAt, Since: store.At(now)}
	}
	if owed == nil || s.Cancel || s.Report != nil {
		s.Record.ReportError = ""
	}
}

// RefuseReport records that the marketplace refused a report. It stays owed, and counts as refused
// until it is accepted or replaced. RefuseReport returns false where that has happened meanwhile.
func RefuseReport(s *store.Settlement, owed *store.Report, sent store.Report, why string, now time.Time) bool {
	if owed == nil || owed.Seq != sent.Seq {
		return false
	}
	refused := *owed
	refused.Refusals, refused.RefusedAt = owed.Refusals+1, store.At(now)
	s.Report = &refused
	s.Record.ReportError = why
	s.Record.History = appendHistory(s.Record.History, "report refused: "+why, now)
	return true
}

// RemakeReport has a refused report made again now. It returns false where no such report waits.
func RemakeReport(s *store.Settlement, owed *store.Report) bool {
	if owed == nil || owed.RefusedAt == 0 {
		return false
	}
	again := *owed
	again.RefusedAt = 0
	s.Report = &again
	return true
}

const refusalFirst = 2 * time.Second // before a report that was refused once is made again

// RefusalMost is the longest wait before a refused report is made again.
const RefusalMost = time.Hour

// RefusalDelay grows from two seconds to an hour with the refusals of a report.
func RefusalDelay(refusals int) time.Duration {
	return min(refusalFirst<<min(max(refusals-1, 0), 20), RefusalMost)
}

// RemadeAt is when a refused report is made again: when its backoff is over, or at once where Wake
// was called since. A refusal in the future does not count: the clock was set back since.
func RemadeAt(o store.Report, woken, now time.Time) time.Time {
	if o.RefusedAt < store.At(woken) || o.RefusedAt > store.At(now) {
		return time.Time{}
	}
	return o.RefusedAt.Time().Add(RefusalDelay(o.Refusals))
}
