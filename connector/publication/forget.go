package publication

import (
	"time"

	"github.com/pubsync/pubsync/store"
)

// Forgettable reports whether a publication has been withdrawn for so long, since its entry is
// gone, that it may be forgotten. An attempt whose end is not known keeps it: the shop may have it
// on sale.
func Forgettable(r store.Record, after time.Duration, now time.Time) bool {
	return r.State == store.StateWithdrawn && Gone(r) && !r.Open && r.Attempted == 0 &&
		now.Sub(r.Removal.At.Time()) >= after
}

// Forget forgets a publication that is forgettable, unless a report of it is owed. What is left
// says that it was ours, and which SKUs its listing has where the shop still holds that: an entry
// that is listed again is then no other tool's, and its SKUs are its own. It reports whether there
// is something to write.
func Forget(s *store.Settlement, owed *store.Report, after time.Duration, now time.Time) bool {
	r := &s.Record
	if owed != nil || !Forgettable(*r, after, now) {
		return false
	}
	r.ReportedAt = max(r.ReportedAt, r.Removal.At)
	if r.ShopID == "" { // it was deleted
		r.Variants, r.Claims = nil, nil
	}
	s.Forget, s.Leave = true, true
	return true
}

// wasForgotten reports whether a record is what is left of a publication that was forgotten, and
// that the shop has not been asked to take again.
func wasForgotten(r store.Record) bool {
	return r.ReportedAt != 0 && r.Reported == "" && r.ShopID == "" && r.Attempted == 0 && r.WrittenAt == 0
}
