package sandbox

import (
	"cmp"
	"errors"
	"sort"
	"strconv"
	"time"
)

// VariantList is what the list of product variants shows.
type VariantList int

// What the list may show.
const (
	VariantsOfListings VariantList = iota // the variants behind the import list
	VariantsRefused                       // nothing: the token may not read it
	VariantsOfOthers                      // products of the account's own, which no import list has
	VariantsFailing                       // nothing: each request for it fails
)

// errVariantsRefused is the answer where the token may not read the list.
//
//nolint:staticcheck,revive // the words of a server
var errVariantsRefused = errors.New(
	"Access denied: products_read is missing",
)

// errVariantsFailing is the answer where the list fails.
var errVariantsFailing = errors.New("Internal server error") //nolint:staticcheck,revive // the words of a server

// ownProducts is how many products of its own an account has, for VariantsOfOthers.
const ownProducts = 5

// ShowVariants changes what the list of product variants shows, as a token that gains or loses a
// right does.
func (m *Marketplace) ShowVariants(what VariantList) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opts.Variants, m.variants = what, nil
}

// sortVariants sorts all product variants anew after a change. The caller holds the lock for
// writing.
func (m *Marketplace) sortVariants() {
	if m.variants != nil {
		return
	}
	m.variants = []variantPlace{}
	records := m.byID
	if m.opts.Variants == VariantsOfOthers {
		records = m.own()
	}
	for _, r := range records {
		if r.Listing == nil {
			continue
		}
		for i, v := range r.Listing.Variants {
			m.variants = append(m.variants, variantPlace{r, i, r.marks[i].at, v.ID})
		}
	}
	sort.Slice(m.variants, func(i, j int) bool {
		a, b := m.variants[i], m.variants[j]
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id)) < 0
	})
}

// own is the products that the account sells itself. They never change.
func (m *Marketplace) own() []*record {
	records := make([]*record, ownProducts)
	for i := range records {
		n := strconv.Itoa(i + 1)
		at := time.Date(2024, time.January, 1, i, 0, 0, 0, time.UTC)
		records[i] = &record{Publication: Publication{CreatedAt: at, UpdatedAt: at}}
		records[i].setListing(
			&Listing{
				ProductID: "own-product-" + n,
				Variants:  []Variant{{ID: "own-variant-" + n, Cost: "5.00", MSRP: "9.00"}},
			},
			at,
		)
	}
	return records
}
