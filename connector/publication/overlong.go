package publication

import (
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
)

// OverlongEntry names the part of an entry of the list that is too long to be kept, "" for none.
func OverlongEntry(e marketplace.Entry) string {
	return firstBeyond(
		bound{"an id", len(e.ID), MaxIdent}, bound{"an updatedAt", len(e.UpdatedAt), MaxUpdatedAt},
		bound{"a status", len(e.Status), MaxUpdatedAt},
	)
}

// OverlongListed names the part of a listing in the shop that is too long to be kept, "" for none.
// No listing that pubsync made has such a part.
func OverlongListed(l shopadapter.Listed) string {
	return firstBeyond(
		bound{"an id", len(l.Ref.Publication), MaxIdent}, bound{"an id", len(l.Ref.Listing), MaxIdent},
		bound{"an address", len(l.URL), MaxAddress}, bound{"a state", len(l.Ref.State), MaxShopState},
	)
}
