package publication

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Doubt records in a record of a store that was put back from a backup what may be so no more: what
// is looked at next is written whole.
func Doubt(r *store.Record) {
	if r.ShopID != "" || r.WrittenAt != 0 || r.Attempted != 0 {
		r.Attempted = shopadapter.AllFields
	}
	r.Open = true // the shop may hold what was sent since
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

// TakenOver reports whether a record is one that Adopt made, and its publication has not been read
// since: nothing tells whether it is on the list.
func TakenOver(r store.Record) bool { return r.ShopID != "" && r.ReadAt == 0 }
