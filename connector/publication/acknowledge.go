package publication

import (
	"cmp"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// Acknowledge records the marketplace's reply to a report. look is the light look before the
// report, nil where the reply is itself a look that showed the report applied. The reply's
// updatedAt is adopted as the echo of the report where the look still showed the updatedAt of the
// content. Else the content is read again.
func Acknowledge(
	s *store.Settlement, owed *store.Report, sent store.Report, reply marketplace.Result, look *marketplace.Entry,
	now time.Time,
) {
	if len(reply.UpdatedAt) > MaxUpdatedAt {
		reply.UpdatedAt = "" // the content is looked at, and refused
	}
	r := &s.Record
	r.Reported, r.ReportedURL, r.ReportedAt = sent.Status, sent.URL, store.At(now)
	r.History = appendHistory(r.History, "reported "+string(sent.Status), now)
	if look != nil && look.UpdatedAt == r.UpdatedAt && reply.UpdatedAt != "" {
		r.ContentAt, r.UpdatedAt = cmp.Or(r.ContentAt, r.UpdatedAt), reply.UpdatedAt
	} else if reply.UpdatedAt != r.UpdatedAt {
		s.Next = seen(*r, reply.UpdatedAt, now, now)
	}
	Owe(s, owed, now)
}

// Vanished drops the report of a publication that the marketplace does not know any more, and marks
// the publication for a look.
func Vanished(s *store.Settlement, owed *store.Report, now time.Time) {
	if owed == nil {
		s.Record.ReportError = ""
	}
	LookedBeforeReport(s, nil, now)
}

// LookedBeforeReport marks what the light look before a report makes due. look is nil for a
// publication that the marketplace does not know. It reports whether there is something to write.
func LookedBeforeReport(s *store.Settlement, look *marketplace.Entry, now time.Time) bool {
	switch {
	case look == nil:
		s.Next = &store.Mark{Class: store.ClassSweep, Cause: store.CauseRead, At: store.At(now)}
	case look.Err != nil || look.UpdatedAt == s.Record.UpdatedAt:
		return false
	default:
		s.Next = seen(s.Record, look.UpdatedAt, now, now)
	}
	return true
}
