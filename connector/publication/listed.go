package publication

import (
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A Listed is one entry as a sweep met it: a page of the list, and the entry's index.
type Listed struct {
	Page  marketplace.Page
	Index int
	Read  bool // every entry's content is to be read again
	Whole bool // the page belongs to an enumeration of the whole list
}

// Apply adds what an entry of the list leads to: a mark, and a report that the marketplace lost.
// known says whether the store has a record of it. It reports whether there is something to write.
func (l Listed) Apply(s *store.Settlement, known bool, owed *store.Report, now time.Time) bool {
	changed := l.judge(s, known, owed, now)
	return l.Whole && l.remakes(s, owed) || changed
}

func (l Listed) judge(s *store.Settlement, known bool, owed *store.Report, now time.Time) bool {
	e, asked := l.Page.Entries[l.Index], l.Page.Asked
	at, answered, r := store.At(asked), store.At(l.Page.Answered), &s.Record
	switch {
	case !known:
		r.State, r.ListedAt = store.StatePending, at
		s.Next = seen(*r, e.UpdatedAt, l.Page.Answered, now)
		s.Next.Class, s.Next.At = store.ClassNew, at
		return true
	case Gone(*r):
		if after(r.Removal.At, answered, now) {
			return false // the page is older than the withdrawal
		}
		s.Next = &store.Mark{Class: store.ClassNew, Cause: store.CauseRead, At: at}
		return true
	case r.Removal.Reason == store.RemovalAbsent && !after(r.Removal.At, answered, now):
		// it counted as gone, and is on the list
		s.Next = &store.Mark{Class: store.ClassSweep, Cause: store.CauseRead, At: at}
		if r.Removal.Begun {
			return true // the look publishes it again: the shop may not have it any more
		}
		judgeAnew(r)
		r.Removal, r.Holds = store.Removal{}, nil
		r.State = StateOf(*r)
		return true
	}
	if h, ok := declinedOf(*r, store.HoldRemoval, ""); ok && h.New == string(store.RemovalAbsent) &&
		!after(h.Since, answered, now) { // a person keeps on sale what is on the list again
		forgetDeclined(r, store.HoldRemoval)
		s.Next = &store.Mark{Class: store.ClassSweep, Cause: store.CauseRead, At: at}
		return true
	}
	if r.UpdatedAt != e.UpdatedAt && !after(r.ReadAt, answered, now) && !after(r.FiguresAt, answered, now) {
		s.Next = seen(*r, e.UpdatedAt, l.Page.Answered, now)
	}
	if l.Read {
		s.Next = &store.Mark{Class: store.ClassFull, Cause: store.CauseRead, At: at}
	}
	status := store.Status(strings.ToLower(e.Status))
	// a report that was refused, and that an earlier version gave up
	differs := r.Reported != "" && status != r.Reported || r.ReportError != ""
	if status != "" && differs && owed == nil && !after(r.ReportedAt, at-1, now) {
		r.Reported, r.ReportedURL = status, ""
		Owe(s, owed, asked)
		return true
	}
	return s.Next != nil
}

// remakes has a report made again now that the marketplace refused before the page was asked for,
// where the page still shows another status.
func (l Listed) remakes(s *store.Settlement, owed *store.Report) bool {
	e := l.Page.Entries[l.Index]
	if owed == nil || owed.RefusedAt >= store.At(l.Page.Asked) || strings.ToLower(e.Status) == string(owed.Status) {
		return false
	}
	return RemakeReport(s, owed)
}

// seen is the mark of an entry whose updatedAt was seen, at when, to differ from the record's. It
// is nil where the content has been read since. A reading in the future does not count: the clock
// was set back.
func seen(r store.Record, updatedAt string, when, now time.Time) *store.Mark {
	m := store.Mark{
		Class:  store.ClassSweep,
		Cause:  store.CauseSeen,
		At:     store.At(when),
		Seen:   updatedAt,
		SeenAt: store.At(when),
	}
	if r.ReadAt > store.At(now) {
		m.Cause |= store.CauseRead
	}
	return &m
}

// after reports whether something happened after a moment. It is false for a time in the future:
// the clock was set back since.
func after(at, moment store.Instant, now time.Time) bool { return at > moment && at <= store.At(now) }

// Unmade reports whether nothing was ever sent to the shop for a publication.
func Unmade(r store.Record) bool { return r.ShopID == "" && r.Attempted == 0 && !r.Open && !r.OnSale }

// Listable reports whether an enumeration that began at a moment should have met a publication: it
// was listed by then, and is not known to be gone, by its removal or by a removal that was
// declined.
func Listable(r store.Record, began store.Instant, now time.Time) bool {
	return !Gone(r) && !keepsOnSale(r, store.RemovalAbsent) && !after(r.ListedAt, began-1, now)
}
