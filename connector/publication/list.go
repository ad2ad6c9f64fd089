package publication

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A Listing is one entry of a page of the list.
type Listing struct {
	marketplace.Entry
	Asked    time.Time // just before the request: what happened later may not be on it
	Answered time.Time
	Read     store.Instant // content read before this is to be read again; 0: none is
	Whole    bool          // part of an enumeration of the whole list
}

// Listed marks a new or changed entry of the list, and owes again a report that the marketplace lost.
func Listed(e *store.Entry, l Listing, now time.Time) (changed bool) {
	r, at, status := &e.Record, store.At(l.Asked), store.Status(l.Status)
	changed = l.Whole && e.Owed != nil && e.Owed.TriedAt < at && status != e.Owed.Status && RemakeReport(e)
	late := func(t store.Instant) bool { return t > store.At(l.Answered) && t <= store.At(now) } // the page is older
	switch gone := r.Removal; {
	case !e.Known:
		r.State, r.ListedAt = store.StatePending, at
		e.Note(store.Mark{Class: store.ClassNew, At: at, Seen: l.UpdatedAt})
		return true
	case gone.Reason == store.RemovalAbsent && late(gone.At):
		return changed
	case gone.Reason == store.RemovalAbsent && gone.Done:
		e.Note(store.Mark{Class: store.ClassNew, At: at})
		return true
	case gone.Reason == store.RemovalAbsent:
		e.Note(store.Mark{Class: store.ClassNew, At: at, Since: at})
		if !gone.Begun { // else the shop may have lost it
			r.Removal, r.Holds = store.Removal{}, without(r.Holds, isRemoval)
			r.State = StateOf(*r)
		}
		return true
	case keepsOnSale(*r, store.RemovalAbsent):
		if kept := slices.IndexFunc(r.Holds, isRemoval); !late(r.Holds[kept].Since) {
			r.Holds = without(r.Holds, isRemoval)
			e.Note(store.Mark{Class: store.ClassFull, At: at})
			return true
		}
	}
	if l.UpdatedAt != r.UpdatedAt && l.UpdatedAt != r.Echo && !late(r.ReadAt) && !late(r.FiguresAt) &&
		(e.Mark == nil || e.Mark.Seen != l.UpdatedAt) {
		e.Note(store.Mark{Class: store.ClassSweep, At: store.At(l.Answered), Seen: l.UpdatedAt})
		changed = true
	}
	if r.ReadAt < l.Read || l.Read != 0 && r.ReadAt > store.At(now) {
		e.Note(store.Mark{Class: store.ClassFull, At: at})
		changed = true
	}
	reported := r.ReportedAt >= at && r.ReportedAt <= store.At(now)
	if status != "" && r.Reported != "" && status != r.Reported && e.Owed == nil && !reported {
		r.Reported, r.ReportedURL = status, ""
		owe(e, l.Asked)
		return true
	}
	return changed
}

// Tombstone reports whether an entry is gone and its listing out of sale. Only the list can bring it back.
func Tombstone(r store.Record) bool { return r.Removal.Done && r.Removal.Reason == store.RemovalAbsent }

func isRemoval(h store.Hold) bool { return h.Kind == store.HoldRemoval }

func (s *Settings) leave(st Step, reason store.RemovalReason) Step {
	in, r := st.in, st.in.Rec
	absent, goes := reason == store.RemovalAbsent, st.in.Rec.Removal.Go
	made := r.ShopID != "" || r.Dirty != 0 || r.Open() || r.Sale == store.OnSale
	st.rec.UntitledSince, st.rec.Unread, st.Removal = 0, "", reason
	wasOnSale := r.Sale == store.OnSale || r.WrittenAt != 0 && !Tombstone(r) ||
		made && in.Read != nil && in.Read.Status == string(store.StatusSuccess)
	switch {
	case absent && in.Mark.Class <= store.ClassHook && in.Mark.Seen != "" && in.Mark.Tries < lagTries && !goes:
		return st.waits("the marketplace does not show it yet") // the webhook was ahead of the API
	case r.Removal.Done && !r.Open() && (absent || !Tombstone(r)):
		st.rec.Removal.Reason = reason
		return st.does(Stay)
	case keepsOnSale(r, reason) && !goes:
		return st.stays(false)
	case !made && absent:
		return st.does(Forget)
	case !absent && !wasOnSale:
		return s.awaitListing(st, reason)
	case !goes && r.Sale == store.OnSale:
		toBeRemoved(&st.rec, reason, in.Now)
		return st.does(Stay)
	case absent && s.OnRemoved == RemovedKeep:
		return st.does(Leave)
	case absent && s.OnRemoved == RemovedDelete:
		return st.calls(Delete)
	}
	return st.calls(Offline)
}

// awaitListing takes out of sale what an attempt without an answer may have put there, and what was kept there after
// its entry had gone.
func (s *Settings) awaitListing(st Step, reason store.RemovalReason) Step {
	why, r := "its listing has no variant yet", st.in.Rec
	if reason == store.RemovalNoListing {
		why = "the marketplace shows no listing for it yet"
	}
	if Tombstone(r) {
		listedAgain(&st.rec, st.in.Now)
	}
	st.Removal, st.rec.Removal = "", store.Removal{}
	if st = st.waits(why); r.Dirty != 0 || r.Open() || Tombstone(r) && r.ShopID != "" {
		return st.calls(Offline)
	}
	return st
}

// keepsOnSale reports whether a person declined this removal.
func keepsOnSale(r store.Record, reason store.RemovalReason) bool {
	return r.Sale == store.OnSale && slices.ContainsFunc(r.Holds, func(h store.Hold) bool {
		return isRemoval(h) && h.Verdict == store.Declined && h.New == string(reason)
	})
}

// toBeRemoved has a hold that waits be for the reason of now: it is what a person's verdict is of.
func toBeRemoved(r *store.Record, reason store.RemovalReason, now time.Time) {
	r.Removal.At = cmp.Or(r.Removal.At, store.At(now))
	r.Removal.Reason, r.Problem = reason, store.Problem{}
	r.Holds = slices.Clone(r.Holds)
	for i := range r.Holds {
		if h := &r.Holds[i]; isRemoval(*h) && h.Verdict == "" {
			h.New = string(reason)
		}
	}
}

// Absent records that an entry is gone: an enumeration did not meet it, and the marketplace says so. The brake judges
// one on sale; a look clears any other away.
func Absent(e *store.Entry, now time.Time) bool {
	r := &e.Record
	switch {
	case r.Removal.Reason == store.RemovalAbsent || keepsOnSale(*r, store.RemovalAbsent):
		return false
	case r.Sale != store.OnSale:
		due(e, store.ClassSweep, now)
	default:
		r.Removal = store.Removal{} // an approval for another reason does not count
		toBeRemoved(r, store.RemovalAbsent, now)
		restate(e, now)
	}
	return true
}

// Removals are judged together, with those that go one by one while a mass removal waits for a person.
type Removals struct {
	Found  int // to be judged, with those held
	OnSale int // without those in Recent
	Recent int // done within 24 hours, or about to be
}

// Removals applies the brake's verdict to one of the removals found together.
func (b Brake) Removals(e *store.Entry, n Removals, now time.Time) bool {
	r := &e.Record
	if r.Removal.Reason == "" || r.Removal.Done || r.Removal.Go || hasHold(r.Holds, store.HoldRemoval, "") {
		return false
	}
	before := r.Holds
	if b.RemovesTooMuch(n.OnSale, n.Recent, n.Found) {
		r.Holds = append([]store.Hold{{
			Kind: store.HoldRemoval, New: string(r.Removal.Reason), Since: store.At(now),
			Reason: fmt.Sprintf("%d of the %d products on sale would be taken out, and %d were within the last 24 hours",
				n.Found, n.OnSale, n.Recent),
		}}, r.Holds...)
		tellHeld(e, before, now)
	} else { // it is read once more before it goes
		r.Removal.Go = true
		soon(e, store.ClassSweep, 0, now)
	}
	restate(e, now)
	return true
}

// Listable reports whether an enumeration that began at began should have met a publication.
func Listable(r store.Record, began store.Instant, now time.Time) bool {
	listedSince := r.ListedAt >= began && r.ListedAt <= store.At(now)
	return !Tombstone(r) && !keepsOnSale(r, store.RemovalAbsent) && !listedSince
}

// MetaVariants holds a VariantSource.
const MetaVariants store.Fact[VariantSource] = "variants"

// A VariantMode says whether the list of product variants is followed. That list shows prices and
// stock that change without moving a publication's updatedAt.
type VariantMode string

const (
	VariantsAuto VariantMode = "auto" // where the token may read it and it holds the retailer's listings
	VariantsOn   VariantMode = "on"
	VariantsOff  VariantMode = "off"
)

// A VariantFinding is what was found out about that list.
type VariantFinding string

const (
	VariantsOurs      VariantFinding = "ours"    // it holds products of the import list
	VariantsOthers    VariantFinding = "others"  // it holds other products alone
	VariantsRefused   VariantFinding = "refused" // the token may not read it
	VariantsUnoffered VariantFinding = "unoffered"
	VariantsFailing   VariantFinding = "failing"
)

// VariantsAgain is when a list that a finding rules out is asked for again; a failed one at the next sweep.
const VariantsAgain = 24 * time.Hour

// A VariantSource is what is known of the list of product variants.
type VariantSource struct {
	Mode    VariantMode    `json:"mode"`
	Found   VariantFinding `json:"found,omitempty"`
	At      store.Instant  `json:"foundAt,omitzero"`
	Message string         `json:"message,omitempty"`
	Install string         `json:"install,omitempty"` // of the finding's address and token
	Ended   bool           `json:"ended,omitempty"`   // it was read to its end: further entries are changes
}

// Follows reports whether the list is to be read now.
func (v VariantSource) Follows(now time.Time) bool {
	age := now.Sub(v.At.Time()) // below zero: the clock was set back
	open := v.Found == "" || v.Found == VariantsOurs || v.Found == VariantsFailing || age >= VariantsAgain || age < 0
	return v.Mode == VariantsOn || v.Mode == VariantsAuto && open
}

// Find records a finding.
func (v *VariantSource) Find(found VariantFinding, message string, now time.Time) {
	v.Found, v.Message, v.At = found, message, store.At(now)
}

// variantClock bounds the difference between the worker's clock and the marketplace's.
const variantClock = time.Hour

// VariantChanged marks a publication with a changed variant, shown by a page that came at answered. It returns
// false where the content read last has the change, or a due look will find it.
func VariantChanged(e *store.Entry, v marketplace.Entry, answered, now time.Time) bool {
	if !e.Known || Tombstone(e.Record) || e.Record.ReadAt == 0 || contains(e.Record, v, answered, now) {
		return false
	}
	at := store.At(answered) // a reading since, of that or a newer updatedAt, answers it
	e.Note(store.Mark{Class: store.ClassSweep, At: at, Seen: e.Record.UpdatedAt, Since: at})
	return true
}

func contains(r store.Record, v marketplace.Entry, answered, now time.Time) bool {
	if r.ReadAt >= store.At(answered) { // read since, or by a clock that was set back
		return r.ReadAt <= store.At(now)
	}
	changed, err := time.Parse(time.RFC3339, v.UpdatedAt)
	if err != nil || max(r.ReadAt, r.FiguresAt).Time().Sub(changed) > variantClock {
		return err == nil
	}
	content, err := time.Parse(time.RFC3339, r.UpdatedAt)
	// changes before and after a reading may share a time of whole seconds
	return err == nil && (changed.Before(content) || changed.Equal(content) && changed.Nanosecond() != 0)
}

// MetaCompared holds a Compared.
const MetaCompared store.Fact[Compared] = "compared"

// MetaWarning holds what the shop was last found to keep from visitors; "": nothing.
const MetaWarning = "shop.warning"

const doubtFor = time.Hour // before very many hidden listings are believed

// Compared is the last comparison of the shop with the store.
type Compared struct {
	At time.Time `json:"at"` // when it began
	// Found counts listings by what differs.
	Found map[string]int `json:"found,omitempty"`
	// Doubted is when very many were first found out of sale.
	Doubted time.Time `json:"doubted,omitzero"`
	Doubt   string    `json:"doubt,omitempty"` // why what was found is not believed yet
}

// Doubts returns since when so many hidden listings may be the work of a theme, or of a shop under construction. It
// is zero where they are few, or are found again after an hour.
func (c Compared) Doubts(hidden, onSale int, now time.Time) (since time.Time) {
	age := now.Sub(c.Doubted)
	switch {
	case !VeryMany(hidden, onSale) || !c.Doubted.IsZero() && age >= doubtFor:
		return time.Time{}
	case c.Doubted.IsZero() || age < 0:
		return now
	}
	return c.Doubted
}

// DayIsOver reports whether all listings are due for comparison.
func (c Compared) DayIsOver(now time.Time) bool {
	return !c.Doubted.IsZero() && now.Sub(c.Doubted) >= doubtFor || now.Sub(c.At) >= day || c.At.After(now)
}
