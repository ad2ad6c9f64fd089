// Package pages ranges over what a shop lists in pages that begin at a number.
package pages

import (
	"iter"

	"github.com/pubsync/pubsync/shopadapter"
)

// Listings ranges over pages of a size. read gives those products of the page behind the first skip
// that are listed, and how many the page holds in all.
//
// A product that is deleted meanwhile moves those behind it forward. So a page begins before the
// last one ended, and what is met twice is named once.
func Listings(
	size int,
	read func(skip int) (page []shopadapter.Listed, length int, err error),
) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		seen := map[shopadapter.ListingID]bool{}
		for skip := 0; ; skip += size - size/overlap {
			page, length, err := read(skip)
			if err != nil {
				yield(shopadapter.Listed{}, err)
				return
			}
			for _, one := range page {
				if id := one.Ref.Listing; !seen[id] {
					seen[id] = true
					if !yield(one, nil) {
						return
					}
				}
			}
			if length < size {
				return
			}
		}
	}
}

// overlap is which part of a page, one in so many, the next page shows again.
const overlap = 4
