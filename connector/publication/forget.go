package publication

import (
	"time"

	"github.com/pubsync/pubsync/store"
)

// ForgetAfter is how long a publication whose entry is gone stays withdrawn before it is forgotten.
const ForgetAfter = 90 * 24 * time.Hour

// Forgettable reports whether a publication whose entry is gone has been withdrawn for ForgetAfter.
// It is kept after an attempt whose end is not known: the shop may have it on sale.
func Forgettable(r store.Record, now time.Time) bool {
	return r.State == store.StateWithdrawn && Gone(r) && !r.Open && r.Attempted == 0 &&
		now.Sub(r.Removal.At.Time()) >= ForgetAfter
}

// Forget forgets a publication that is forgettable, unless a report of it is owed. The record keeps
// that it was ours, and the SKUs of a listing that the shop still holds. So when it is listed again
// it is not another tool's, and its SKUs are its own. It reports whether there is something to
// write.
func Forget(s *store.Settlement, owed *store.Report, now time.Time) bool {
	r := &s.Record
	if owed != nil || !Forgettable(*r, now) {
		return false
	}
	r.ReportedAt = max(r.ReportedAt, r.Removal.At)
	if r.ShopID == "" { // it was deleted
		r.Variants, r.Claims = nil, nil
	}
	s.Forget, s.Leave = true, true
	return true
}

// wasForgotten reports whether a record is of a forgotten publication that has not been published
// again.
func wasForgotten(r store.Record) bool {
	return r.ReportedAt != 0 && r.Reported == "" && r.ShopID == "" && r.Attempted == 0 && r.WrittenAt == 0
}
