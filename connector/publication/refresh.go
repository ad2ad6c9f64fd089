package publication

import (
	"hash/fnv"
	"math"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// wholeEvery is which refresh of a publication reads its whole content, with what the product itself
// says. The others read what can change unsaid: price, stock and policy.
const wholeEvery = 30

// RefreshesFigures reports whether a look is a refresh that goes by the figures.
func (p Settings) RefreshesFigures(r store.Record, m store.Mark, now time.Time) bool {
	return m.Class == store.ClassRefresh && m.Cause == store.CauseRefresh && r.RemainderSince == 0 && figuresStand(r) &&
		!p.wholeTurn(r, now)
}

// wholeTurn reports whether a look at some time reads all of a publication: one refresh in
// wholeEvery by its id, so that the whole readings of all spread over the days, and any that comes
// after as many without.
func (p Settings) wholeTurn(r store.Record, now time.Time) bool {
	every := min(max(p.RefreshAfter, time.Minute), math.MaxInt64/wholeEvery)
	id := fnv.New32a()
	_, _ = id.Write([]byte(r.ID)) //nolint:errcheck // it never fails
	turn := uint64(id.Sum32()) + uint64(now.UnixNano()/int64(every))
	return turn%wholeEvery == 0 || now.Sub(r.ReadAt.Time()) >= wholeEvery*every
}

// ReadsDetails reports whether a look reads what the product itself says too, which makes a reading
// up to twice as dear: a new product, what a person or another setting asks for, what is to be
// written anyway, and each reading whose turn it is.
func (p Settings) ReadsDetails(r store.Record, m store.Mark, now time.Time) bool {
	const asked = store.CauseAsked | store.CauseSettings
	return r.WrittenAt == 0 || m.Cause&asked != 0 || m.Class == store.ClassFull && m.Cause&store.CauseRead != 0 ||
		(r.Attempted|r.Reset)&detailGroups != 0 || p.wholeTurn(r, now)
}

// WantsDetails reports whether a publication that was read without details is to be read with them:
// a variant is new.
func WantsDetails(r store.Record, pub *marketplace.Publication) bool {
	if pub == nil || pub.Listing == nil || pub.Listing.Details {
		return false
	}
	known := make(map[string]bool, len(r.Variants))
	for _, v := range r.Variants {
		known[v.ID] = true
	}
	for _, v := range pub.Listing.Variants {
		if !known[v.ID] {
			return true
		}
	}
	return false
}

// MovedUnseen reports whether the decision ends a reading without details that found nothing changed
// though updatedAt has moved: then the details are what moved. The remainder of a change whose
// figures were taken in is none.
func (d Decision) MovedUnseen() bool {
	return d.Step == Settle && d.Result == Unchanged && !d.figured && d.pub != nil && d.pub.Listing != nil &&
		!d.pub.Listing.Details && d.start.UpdatedAt != d.pub.UpdatedAt &&
		d.start.RemainderSince == 0 && d.Changed == shopadapter.NoFields
}
