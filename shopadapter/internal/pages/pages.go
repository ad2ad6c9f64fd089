// Package pages ranges over what a shop lists in pages that begin at a number.
package pages

import (
	"errors"
	"iter"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
)

// Range ranges over pages of a size. read gives those products of the page behind the first skip
// that count, and how many the page holds in all; id tells them apart.
//
// A product that is deleted meanwhile moves those behind it forward. So a page begins before the
// last one ended, and what is met twice is named once. A page that exceeds the adapter's limits is
// read in halves, and so are those behind it.
func Range[T any](
	size int,
	id func(T) shopadapter.ListingID,
	read func(skip, size int) (page []T, length int, err error),
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		seen := map[shopadapter.ListingID]bool{}
		for skip := 0; ; {
			page, length, err := read(skip, size)
			if size > 1 && Exceeded(err) {
				size /= 2
				continue
			}
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, one := range page {
				if id := id(one); !seen[id] {
					seen[id] = true
					if !yield(one, nil) {
						return
					}
				}
			}
			if length < size {
				return
			}
			skip += size - size/overlap
		}
	}
}

// overlap is which part of a page, one in so many, the next page shows again.
const overlap = 4

// Exceeded reports whether a request failed because its answer exceeds the adapter's limits: for
// less at a time the answer is smaller.
func Exceeded(err error) bool {
	var excess *jsonlimit.Error
	return errors.As(err, &excess)
}
