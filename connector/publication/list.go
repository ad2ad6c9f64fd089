package publication

import (
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A Listing is one entry as a page of the list shows it.
type Listing struct {
	marketplace.Entry
	Asked    time.Time // just before the page was asked for: what happened later may not be on it
	Answered time.Time // when it had arrived
	Read     bool      // every entry's content is to be read again
	Whole    bool      // the page belongs to an enumeration of the whole list
}

// Listed takes in an entry of the list: a mark, and a report that the marketplace lost. It reports
// whether there is something to write.
func Listed(e *store.Entry, l Listing, now time.Time) bool {
	changed := takeListed(e, l, now)
	status := store.Status(strings.ToLower(l.Status))
	if l.Whole && e.Owed != nil && e.Owed.RefusedAt < store.At(l.Asked) && status != e.Owed.Status {
		return RemakeReport(e) || changed
	}
	return changed
}

func takeListed(e *store.Entry, l Listing, now time.Time) bool {
	r := &e.Record
	at := store.At(l.Asked)
	late := func(t store.Instant) bool { return t > store.At(l.Answered) && t <= store.At(now) } // the page is older
	switch {
	case !e.Known:
		r.State, r.ListedAt = store.StatePending, at
		e.Note(store.Mark{Class: store.ClassNew, At: at, Seen: l.UpdatedAt})
		return true
	case Tombstone(*r):
		if late(r.Removal.At) {
			return false
		}
		e.Note(store.Mark{Class: store.ClassNew, At: at})
		return true
	case r.Removal.Reason == store.RemovalAbsent && !late(r.Removal.At):
		e.Note(store.Mark{Class: store.ClassFull, At: at}) // it counted as gone, and is on the list
		e.Mark.Class = min(e.Mark.Class, store.ClassNew)
		if !r.Removal.Begun { // else the look publishes it again: the shop may not have it any more
			r.Removal, r.Holds = store.Removal{}, without(r.Holds, isRemoval)
			r.State = StateOf(*r)
		}
		return true
	}
	changed := false
	declined := func(h store.Hold) bool {
		return isRemoval(h) && h.Verdict == store.Declined && h.New == string(store.RemovalAbsent) && !late(h.Since)
	}
	if slices.ContainsFunc(r.Holds, declined) { // a person keeps on sale what is on the list again
		r.Holds = without(r.Holds, isRemoval)
		e.Note(store.Mark{Class: store.ClassFull, At: at})
		return true
	}
	if l.UpdatedAt != r.UpdatedAt && l.UpdatedAt != r.Echo && !late(r.ReadAt) && !late(r.FiguresAt) &&
		(e.Mark == nil || e.Mark.Seen != l.UpdatedAt) {
		e.Note(store.Mark{Class: store.ClassSweep, At: store.At(l.Answered), Seen: l.UpdatedAt})
		changed = true
	}
	if l.Read {
		e.Note(store.Mark{Class: store.ClassFull, At: at})
		changed = true
	}
	status := store.Status(strings.ToLower(l.Status))
	reported := r.ReportedAt >= at && r.ReportedAt <= store.At(now)
	if status != "" && r.Reported != "" && status != r.Reported && e.Owed == nil && !reported {
		r.Reported, r.ReportedURL = status, ""
		owe(e, l.Asked)
		return true
	}
	return changed
}
