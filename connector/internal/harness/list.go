package harness

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// A ListingShop is a Shop that can enumerate what it made.
type ListingShop struct{ *Shop }

// Listings lists what the shop has and List shows.
func (s ListingShop) Listings(context.Context) iter.Seq2[shopadapter.Listed, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Shop.Lists++
	var all []shopadapter.Listed
	for _, id := range slices.Sorted(maps.Keys(s.Products)) {
		it := s.Products[id]
		all = append(all, shopadapter.Listed{
			Ref: shopadapter.Ref{
				Publication: id,
				Listing:     it.Listing,
			}, URL: strings.Replace(addressOf(it.Listing), origin, cmp.Or(s.Moved, origin), 1), OnSale: it.onSale,
		})
	}
	return func(yield func(shopadapter.Listed, error) bool) {
		for _, l := range all {
			if s.List != nil {
				shown, err := s.List(l)
				if err != nil {
					yield(shopadapter.Listed{}, err)
					return
				}
				if !shown {
					continue
				}
			}
			if !yield(l, nil) {
				return
			}
		}
	}
}
