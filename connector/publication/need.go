package publication

import (
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Repriceable reports whether a record tells all that its figures need, and nothing else of it is to
// be done.
func Repriceable(r store.Record) bool {
	if !isListed(r) || len(r.Hashes) == 0 || r.Removal != (store.Removal{}) || r.UntitledSince != 0 ||
		r.Problem.Kind != "" || r.Open() || r.Unsure()&^figures != 0 || r.Reset != 0 {
		return false
	}
	priced := false
	for _, v := range r.Variants {
		if !v.Supply.Known || v.ID == "" || v.Refused != "" && !v.Unpriced || v.Written.Price == "" && v.Refused == "" {
			return false
		}
		priced = priced || !v.Unpriced
	}
	return priced
}

// WithFigures is a record with the supplier's figures as read alone; ok is false where the variants
// are others than those of the record, so that the content must be read.
func WithFigures(r store.Record, seen marketplace.Figures) (out store.Record, ok bool) {
	if !Repriceable(r) || !seen.Whole || len(seen.Variants) != len(r.Variants) || len(seen.UpdatedAt) > MaxUpdatedAt {
		return r, false
	}
	read := make(map[string]store.Supply, len(seen.Variants))
	for _, v := range seen.Variants {
		read[v.ID] = supplyOf(v)
	}
	r.Variants = slices.Clone(r.Variants)
	for i, v := range r.Variants {
		supply, found := read[v.ID]
		if !found {
			return r, false
		}
		r.Variants[i].Supply = supply
	}
	return r, len(read) == len(r.Variants)
}

// Need is what a look at a mark has to read.
type Need int

// The needs.
const (
	NeedNothing Need = iota // the record answers
	NeedFigures             // prices and stock
	NeedContent
)

// seenBefore reports whether a mark is for content that was read already, and written.
func seenBefore(r store.Record, m store.Mark) bool {
	return m.Class == store.ClassSweep && m.Seen != "" && (m.Seen == r.UpdatedAt || m.Seen == r.Echo) &&
		r.ReadAt >= m.Since && !r.Open() && r.Unsure() == 0
}

// Needs is what a look has to read. backlog says that more is due than the points allow: then figures
// come first, and the rest of a change later. shut says that neither side can be used.
func (s *Settings) Needs(r store.Record, m store.Mark, backlog bool, shut string, now time.Time) Need {
	content := s.wholeTurn(r, now) || r.ReadAt > store.At(now)
	switch {
	case s.overdue(r, shut, now) && shut != "":
		return NeedNothing
	case seenBefore(r, m) && r.ReadAt <= store.At(now):
		return NeedNothing
	case m.Class == store.ClassRules &&
		(Repriceable(r) || r.Problem.Kind == store.ProblemRejected && len(r.Variants) > 0):
		return NeedNothing
	case !Repriceable(r):
		return NeedContent
	case m.Class == store.ClassRefresh && !content,
		(m.Class == store.ClassHook || m.Class == store.ClassSweep) && backlog && m.Tries == 0:
		return NeedFigures
	default:
		return NeedContent
	}
}

// ReadsDetails reports whether a look reads what the product itself says too, which makes a reading
// up to twice as dear: a new product, what a person or another setting asks for, what is to be
// written anyway, and each reading of what was not read whole for long.
func (s *Settings) ReadsDetails(r store.Record, m store.Mark, now time.Time) bool {
	return r.WrittenAt == 0 || m.Class == store.ClassAsked || m.Class == store.ClassFull && !remainder(m) ||
		(r.Dirty|r.Reset)&detailGroups != 0 || s.wholeTurn(r, now)
}

// remainder reports whether a mark is for the rest of a change whose figures are written.
func remainder(m store.Mark) bool { return m.Class == store.ClassFull && m.Seen != "" }

// wholeEvery is how many refreshes of figures there are to one of the content.
const wholeEvery = 30

func (s *Settings) wholeTurn(r store.Record, now time.Time) bool {
	return now.Sub(r.ReadAt.Time()) >= wholeEvery*s.RefreshAfter
}

// WantsDetails reports whether a publication that was read without details is to be read with them:
// a variant is new.
func WantsDetails(r store.Record, pub *marketplace.Publication) bool {
	if pub == nil || pub.Listing == nil || pub.Listing.Details {
		return false
	}
	known := placesOf(r.Variants, variantID)
	return slices.ContainsFunc(pub.Listing.Variants, func(v marketplace.Variant) bool {
		_, had := known[v.ID]
		return !had
	})
}

// MovedUnseen reports whether a step ends a reading without details that found nothing changed though
// updatedAt has moved: then the details are what moved. The rest of a change whose figures are written
// is none.
func (st Step) MovedUnseen() bool {
	pub, r := st.in.Read, st.in.Rec
	return pub != nil && pub.Listing != nil && !pub.Listing.Details && st.Unchanged() &&
		r.UpdatedAt != pub.UpdatedAt && r.Echo != pub.UpdatedAt &&
		!remainder(st.in.Mark) && st.Changed == shopadapter.NoFields &&
		!slices.ContainsFunc(st.Rows, func(row Row) bool { return row.Supply != row.was.Supply })
}
