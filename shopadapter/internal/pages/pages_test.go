package pages_test

import (
	"errors"
	"iter"
	"strconv"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/pages"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
)

// A shelf holds products by their number; read is its page that begins behind skip.
type shelf []int

func (s shelf) read(skip, size int) (page []shopadapter.Listed, length int) {
	rest := s[min(skip, len(s)):]
	rest = rest[:min(size, len(rest))]
	for _, n := range rest {
		if n%10 != 9 { // the merchant's
			page = append(
				page,
				shopadapter.Listed{Ref: shopadapter.Ref{Listing: shopadapter.ListingID(strconv.Itoa(n))}},
			)
		}
	}
	return page, len(rest)
}

// listings ranges over pages of listings.
func listings(
	size int, read func(skip, size int) ([]shopadapter.Listed, int, error),
) iter.Seq2[shopadapter.Listed, error] {
	return pages.Range(size, func(l shopadapter.Listed) shopadapter.ListingID { return l.Ref.Listing }, read)
}

func filled(n int) (s shelf) {
	for i := range n {
		s = append(s, i)
	}
	return s
}

// Each product is named once, whatever number of pages it takes, and also where some before it are
// deleted between two pages.
func TestListings(t *testing.T) {
	for _, row := range []struct {
		name              string
		products, deleted int
	}{
		{"none", 0, 0}, {"less than a page", 7, 0}, {"a page", 20, 0}, {"many pages", 101, 0}, {"deleted meanwhile", 101, 5},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, reads, seen := filled(row.products), 0, map[shopadapter.ListingID]bool{}
			for listed, err := range listings(20, func(skip, size int) ([]shopadapter.Listed, int, error) {
				if reads++; reads == 2 {
					s = s[row.deleted:]
				}
				page, length := s.read(skip, size)
				return page, length, nil
			}) {
				if err != nil || seen[listed.Ref.Listing] {
					t.Fatalf("%s again, or an error: %v", listed.Ref.Listing, err)
				}
				seen[listed.Ref.Listing] = true
			}
			for n := range row.products {
				if want := n%10 != 9; seen[shopadapter.ListingID(strconv.Itoa(n))] != want {
					t.Errorf("product %d is listed: %v", n, !want)
				}
			}
		})
	}
}

func TestListingsEnd(t *testing.T) {
	broken, reads := errors.New("no answer"), 0
	read := func(skip, size int) ([]shopadapter.Listed, int, error) {
		if reads++; reads == 2 {
			return nil, 0, broken
		}
		page, length := filled(30).read(skip, size)
		return page, length, nil
	}
	var last error
	for _, err := range listings(20, read) {
		last = err
	}
	if !errors.Is(last, broken) || reads != 2 {
		t.Errorf("ended with %v after %d pages", last, reads)
	}
	reads = 0
	for range listings(20, read) {
		break
	}
	if reads != 1 {
		t.Errorf("%d pages read for one product", reads)
	}
}

// A page that exceeds the limits is read in halves; a product that exceeds them alone is the end.
func TestListingsExceed(t *testing.T) {
	tooLarge := shopadapter.Retry("the answer cannot be used: %w", &jsonlimit.Error{Limit: "bytes"})
	for _, row := range []struct{ most, seen int }{{7, 27}, {0, 0}} {
		seen, last := map[shopadapter.ListingID]bool{}, error(nil)
		for listed, err := range listings(20, func(skip, size int) ([]shopadapter.Listed, int, error) {
			if size > row.most {
				return nil, 0, tooLarge
			}
			page, length := filled(30).read(skip, size)
			return page, length, nil
		}) {
			if last = err; err == nil {
				seen[listed.Ref.Listing] = true
			}
		}
		if len(seen) != row.seen {
			t.Errorf("with %d at most, %d listings were seen, want %d", row.most, len(seen), row.seen)
		}
		if failed := last != nil; failed != (row.most == 0) {
			t.Errorf("with %d at most the error is %v", row.most, last)
		}
	}
}
