package publication

import (
	"fmt"
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
func Listed(e *Entry, l Listing, now time.Time) bool {
	changed := takeListed(e, l, now)
	status := store.Status(strings.ToLower(l.Status))
	if l.Whole && e.Owed != nil && e.Owed.RefusedAt < store.At(l.Asked) && status != e.Owed.Status {
		return RemakeReport(e) || changed
	}
	return changed
}

func takeListed(e *Entry, l Listing, now time.Time) bool {
	r := &e.Record
	at := store.At(l.Asked)
	late := func(t store.Instant) bool { return t > store.At(l.Answered) && t <= store.At(now) } // the page is older
	switch {
	case !e.Known:
		r.State, r.ListedAt = store.StatePending, at
		e.Note(Mark{Class: ClassNew, At: at, Seen: l.UpdatedAt})
		return true
	case Tombstone(*r):
		if late(r.Removal.At) {
			return false
		}
		e.Note(Mark{Class: ClassNew, At: at})
		return true
	case r.Removal.Reason == store.RemovalAbsent && !late(r.Removal.At):
		e.Note(Mark{Class: ClassFull, At: at}) // it counted as gone, and is on the list
		e.Mark.Class = min(e.Mark.Class, ClassNew)
		if !r.Removal.Begun { // else the look publishes it again: the shop may not have it any more
			r.Removal, r.Holds = store.Removal{}, slices.DeleteFunc(slices.Clone(r.Holds), isRemoval)
			r.State = StateOf(*r)
		}
		return true
	}
	changed := false
	if slices.ContainsFunc(r.Holds, func(h Hold) bool {
		return isRemoval(h) && h.Verdict == Declined && h.New == string(store.RemovalAbsent) && !late(h.Since)
	}) { // a person keeps on sale what is on the list again
		r.Holds = slices.DeleteFunc(slices.Clone(r.Holds), isRemoval)
		e.Note(Mark{Class: ClassFull, At: at})
		return true
	}
	if l.UpdatedAt != r.UpdatedAt && l.UpdatedAt != r.Echo && !late(r.ReadAt) && !late(r.FiguresAt) &&
		(e.Mark == nil || e.Mark.Seen != l.UpdatedAt) {
		e.Note(Mark{Class: ClassSweep, At: store.At(l.Answered), Seen: l.UpdatedAt})
		changed = true
	}
	if l.Read {
		e.Note(Mark{Class: ClassFull, At: at})
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

func isRemoval(h Hold) bool { return h.Kind == store.HoldRemoval }

// Absent records that an entry is gone from the list: an enumeration did not meet it, and the
// marketplace says so. The brake judges it where it is on sale; any other gets a look that clears it
// away. It reports whether there is something to write.
func Absent(e *Entry, now time.Time) bool {
	r := &e.Record
	switch before := r.State; {
	case r.Removal.Reason == store.RemovalAbsent || keepsOnSale(*r, store.RemovalAbsent):
		return false // known, and perhaps held, or declined
	case r.Sale != OnSale:
		e.Note(Mark{Class: ClassSweep, At: store.At(now)})
	default:
		r.Removal = store.Removal{Reason: store.RemovalAbsent, At: store.At(now), Begun: r.Removal.Begun}
		judgeAnew(r)
		r.Problem, r.Holds = Problem{}, judgedOf(r.Holds)
		restate(e, before, now)
	}
	return true
}

// Removals are the removals that the brake judges together. Entries that go one by one while a mass
// removal waits for a person are part of it.
type Removals struct {
	Found  int // to be judged, with those that are held already
	OnSale int // listings on sale, but for those in Recent
	Recent int // done within 24 hours, or judged and about to be done
}

// Removals carries the brake's verdict on the removals that were found together out on one of them.
// What is held stays so until a person approves it, or the entry is listed again. It reports whether
// there is something to write.
func (b Brake) Removals(e *Entry, n Removals, now time.Time) bool {
	r := &e.Record
	held := slices.ContainsFunc(r.Holds, func(h Hold) bool { return isRemoval(h) && h.Verdict == "" })
	if r.Removal.Reason == "" || r.Removal.Done || r.Removal.Go || held {
		return false
	}
	before := r.State
	judgeAnew(r)
	if b.RemovesTooMuch(n.OnSale, n.Recent, n.Found) {
		r.Holds = append(judgedOf(r.Holds), Hold{
			Kind: store.HoldRemoval, New: string(r.Removal.Reason), Since: store.At(now),
			Reason: fmt.Sprintf("%d of %d products on sale would be taken out within a day",
				n.Found+n.Recent, n.OnSale+n.Recent),
		})
		tellHeld(e, nil, now)
	} else {
		r.Removal.Go, r.Holds = true, judgedOf(r.Holds)
		e.Note(Mark{Class: ClassSweep, At: store.At(now)}) // it is read once more, and goes where it is still gone
	}
	restate(e, before, now)
	return true
}

// Listable reports whether an enumeration that began at a moment should have met a publication: it was
// listed by then, and is not known to be gone, by its removal or by a removal that was declined.
func Listable(r Record, began store.Instant, now time.Time) bool {
	listedSince := r.ListedAt >= began && r.ListedAt <= store.At(now)
	return !Tombstone(r) && !keepsOnSale(r, store.RemovalAbsent) && !listedSince
}

// ForgetAfter is how long a publication whose entry is gone stays withdrawn before it is forgotten.
const ForgetAfter = 90 * 24 * time.Hour

// Forgets reports whether a publication has been withdrawn for so long that it is forgotten, and has it
// so: kept are that it was ours, and the SKUs of a listing that the shop still holds, so that it is not
// another tool's when it is listed again. After an attempt without an answer it stays.
func Forgets(e *Entry, now time.Time) bool {
	r := &e.Record
	if e.Owed != nil || r.State != store.StateWithdrawn || !Tombstone(*r) || r.Open() || r.Unsure() != 0 ||
		now.Sub(r.Removal.At.Time()) < ForgetAfter {
		return false
	}
	r.ReportedAt = max(r.ReportedAt, r.Removal.At)
	if r.ShopID == "" { // it was deleted
		r.Variants, r.Claims = nil, nil
	}
	e.Forget, e.Leave = true, true
	return true
}

// Looked takes in the light look before a report: what it shows of a change is due. look is nil for a
// publication that the marketplace does not know. It reports whether there is something to write.
func Looked(e *Entry, look *marketplace.Entry, now time.Time) bool {
	r := e.Record
	switch {
	case look == nil:
		e.Note(Mark{Class: ClassFull, At: store.At(now)})
		e.Mark.Class = min(e.Mark.Class, ClassSweep)
	case look.Err != nil || look.UpdatedAt == r.UpdatedAt || look.UpdatedAt == r.Echo:
		return false
	default:
		e.Note(Mark{Class: ClassSweep, At: store.At(now), Seen: look.UpdatedAt})
	}
	return true
}

// Acknowledged records the marketplace's reply to a report, which is owed no more where it is the one
// that was sent. look is the light look before it, nil where the reply is itself a look that showed the
// report applied. The reply's updatedAt is adopted as the echo of the report where the look still
// showed the updatedAt of the content; else the content is read again.
func Acknowledged(e *Entry, sent Report, updatedAt string, look *marketplace.Entry, now time.Time) {
	r := &e.Record
	if len(updatedAt) > MaxUpdatedAt {
		updatedAt = "" // the content is looked at, and refused
	}
	if e.Owed != nil && e.Owed.Seq == sent.Seq {
		e.Owed = nil
	}
	r.Reported, r.ReportedURL, r.ReportedAt = sent.Status, sent.URL, store.At(now)
	note(e, "reported "+string(sent.Status), now)
	switch {
	case look != nil && updatedAt != "" && (look.UpdatedAt == r.UpdatedAt || look.UpdatedAt == r.Echo):
		r.Echo = updatedAt
	case updatedAt != r.UpdatedAt && updatedAt != r.Echo:
		e.Note(Mark{Class: ClassSweep, At: store.At(now), Seen: updatedAt})
	}
	owe(e, now)
}

// Refused records that the marketplace refused a report. It stays owed, and counts as refused until it
// is taken or replaced. Refused returns false where that has happened meanwhile.
func Refused(e *Entry, sent Report, why string, now time.Time) bool {
	if e.Owed == nil || e.Owed.Seq != sent.Seq {
		return false
	}
	refused := *e.Owed
	refused.Refusals, refused.RefusedAt, refused.Refused = refused.Refusals+1, store.At(now), why
	e.Owed = &refused
	note(e, "report refused: "+why, now)
	return true
}

// RemakeReport has a refused report made again now. It returns false where none waits.
func RemakeReport(e *Entry) bool {
	if e.Owed == nil || e.Owed.RefusedAt == 0 {
		return false
	}
	again := *e.Owed
	again.RefusedAt = 0
	e.Owed = &again
	return true
}
