package cost

import (
	"slices"
	"sync"
)

const (
	// AssumedVariants is how many variants a listing has, until some have been read.
	AssumedVariants = 20
	// AssumedImages is the same of images.
	AssumedImages = 10

	remembered = 200  // listings that an extent is of
	enough     = 20   // listings after which what was assumed is given up
	shareWhole = 0.95 // of the listings seen are read whole by their first page
	leastPage  = 4    // a smaller page saves less than the second requests cost that it leads to
)

// Steps are the sizes that first pages may have. They are few, so that few different documents are
// sent, whose costs are known soon.
var Steps = [...]int{1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 25, 30, 40, 50, 60, 80, LargestPage}

// Step is the index of the smallest step of at least n, or of the last one.
func Step(n int) int {
	i, _ := slices.BinarySearch(Steps[:len(Steps)-1], n)
	return i
}

// An Extent knows how many entries one connection, variants or images, had in the last listings
// that were read. It is lost when the process ends.
type Extent struct {
	Assumed int

	mu    sync.Mutex
	last  []uint8 // steps of the last listings, in a ring
	next  int     // where the oldest of a full ring is
	count [len(Steps)]int
}

// Saw records that a listing has n entries.
func (e *Extent) Saw(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := Step(n)
	e.count[i]++
	if len(e.last) < remembered {
		e.last = append(e.last, uint8(i))
		return
	}
	e.count[e.last[e.next]]--
	e.last[e.next] = uint8(i)
	e.next = (e.next + 1) % remembered
}

// Page is the size of a page, after n entries that were read already, that reads nearly every
// listing to its end.
func (e *Extent) Page(n int) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	longer := 0
	from := len(Steps)
	for i, size := range Steps {
		if size > n {
			from = min(from, i)
			longer += e.count[i]
		}
	}
	size := leastPage
	if len(e.last) < enough {
		size = e.Assumed
	}
	if longer == 0 {
		// no listing was as long: expect as much again
		return min(max(size, n), LargestPage)
	}
	for left := longer; from < len(Steps); from++ {
		if left -= e.count[from]; float64(left) <= (1-shareWhole)*float64(longer) {
			break
		}
	}
	return max(Steps[from]-n, size)
}
