package publication

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Suspect records in a record that the shop may hold something else than it says, since its store
// is a backup that was put back. The next look writes the listing whole.
func Suspect(r *store.Record) {
	if r.ShopID != "" || r.WrittenAt != 0 || r.Attempted != 0 {
		r.Attempted = shopadapter.AllFields
	}
	r.Open = true // something may have been sent to the shop since the backup
	r.ReportError = ""
}

// Adopt takes over a listing that the shop holds as ours, unless the record knows its listing
// already. It reports whether there is something to write.
func Adopt(r *store.Record, known bool, listed shopadapter.Listed, now time.Time) bool {
	if known && r.ShopID != "" {
		return false
	}
	r.ShopID, r.ShopState, r.URL, r.OnSale = string(listed.Ref.Listing), listed.Ref.State, listed.URL, listed.OnSale
	r.Attempted = shopadapter.AllFields
	r.ListedAt = store.At(now)
	r.State = StateOf(*r)
	return true
}

// TakenOver reports whether Adopt made a record whose publication has not been read since: it is
// not known whether it is on the list.
func TakenOver(r store.Record) bool { return r.ShopID != "" && r.ReadAt == 0 }
