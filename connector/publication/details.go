package publication

import (
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
)

// ReadsDetails reports whether a look reads what the product itself says too, which makes a reading
// up to twice as dear: a new product, what a person or another setting asks for, what is to be
// written anyway, and each reading of what was not read whole for long.
func (s *Settings) ReadsDetails(r Record, m Mark, now time.Time) bool {
	return r.WrittenAt == 0 || m.Class == ClassAsked || m.Class == ClassFull && !remainder(m) ||
		(r.Dirty|r.Reset)&detailGroups != 0 || s.wholeTurn(r, now)
}

// remainder reports whether a mark is for the rest of a change whose figures are written.
func remainder(m Mark) bool { return m.Class == ClassFull && m.Seen != "" }

// wholeTurn reports whether a refresh reads all of a publication.
func (s *Settings) wholeTurn(r Record, now time.Time) bool {
	return now.Sub(r.ReadAt.Time()) >= wholeEvery*s.RefreshAfter
}

// WantsDetails reports whether a publication that was read without details is to be read with them:
// a variant is new.
func WantsDetails(r Record, pub *marketplace.Publication) bool {
	if pub == nil || pub.Listing == nil || pub.Listing.Details {
		return false
	}
	known := set{}
	for _, v := range r.Variants {
		known.add(v.ID)
	}
	return slices.ContainsFunc(pub.Listing.Variants, func(v marketplace.Variant) bool { return known.add(v.ID) })
}

// MovedUnseen reports whether a step ends a reading without details that found nothing changed though
// updatedAt has moved: then the details are what moved. The rest of a change whose figures are written
// is none.
func (st Step) MovedUnseen() bool {
	l := (*marketplace.Listing)(nil)
	if st.in.Read != nil {
		l = st.in.Read.Listing
	}
	r, seen := st.in.Rec, ""
	if l != nil {
		seen = st.in.Read.UpdatedAt
	}
	return l != nil && !l.Details && st.Unchanged() && r.UpdatedAt != seen && r.Echo != seen &&
		!remainder(st.in.Mark) && st.Changed == shopadapter.NoFields &&
		!slices.ContainsFunc(st.Rows, func(row Row) bool { return row.Supply != row.was.v.Supply })
}

// Unchanged reports whether a step finds that the shop holds what it should.
func (st Step) Unchanged() bool {
	return st.Do == Nothing && st.Refusal == nil && st.Removal == "" && !st.stands && !st.noted && !st.awaits && !st.forget
}
