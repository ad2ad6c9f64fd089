package harness

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// A ListingShop is a Shop that can enumerate what it made.
type ListingShop struct{ *Shop }

// Listings lists what the shop has.
func (s ListingShop) Listings(context.Context) iter.Seq2[shopadapter.Listed, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []shopadapter.Listed
	for _, id := range slices.Sorted(maps.Keys(s.Products)) {
		it := s.Products[id]
		all = append(all, shopadapter.Listed{
			Ref: shopadapter.Ref{
				Publication: id,
				Listing:     it.Listing,
			}, URL: addressOf(it.Listing), OnSale: it.onSale,
		})
	}
	return func(yield func(shopadapter.Listed, error) bool) {
		for _, l := range all {
			if !yield(l, nil) {
				return
			}
		}
	}
}
