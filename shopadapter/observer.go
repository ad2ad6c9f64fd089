package shopadapter

import (
	"context"
	"iter"
)

// An Observer can tell what stands in the shop. With it a price typed by mistake is put right, a
// variant that somebody deleted is made again, and a text that the merchant edited is named at
// once, and not only when the supplier changes it. An Observer makes no decision: it says what the
// shop holds, and the caller knows what was written.
type Observer interface {
	// Observe ranges over the listings that carry this adapter's stamp, on sale or not, in any
	// order. It changes nothing in the shop. It ends after the first error, which is ErrNoList
	// where this shop turns out to tell nothing; the adapter is then as one that is no Observer.
	//
	// It should cost the shop few requests: pages of many listings, and not a request for each.
	Observe(ctx context.Context, what Observation) iter.Seq2[Observed, error]
}

// An Observation says which listings are to be observed. The zero Observation is all of them, and
// what it does not name is not in the shop.
type Observation struct {
	// Refs are the listings that are asked for; nil for all, and an empty list for none. One that
	// the shop no longer has, or that is not ours, is not among the answers.
	Refs []Ref
}

// Wants reports whether a publication is asked for: for an adapter whose shop cannot be asked for
// single listings.
func (o Observation) Wants(id PublicationID) bool {
	if o.Refs == nil {
		return true
	}
	for _, ref := range o.Refs {
		if ref.Publication == id {
			return true
		}
	}
	return false
}

// Complete reports whether all listings are asked for, so that one that is not among the answers
// is not in the shop.
func (o Observation) Complete() bool { return o.Refs == nil }

// Observed is one listing as it stands in the shop. What a shop does not tell is left out: it
// counts as it was written.
type Observed struct {
	Listed
	// Variants are what a visitor can buy of the listing; nil where the shop does not tell, empty
	// where it has none.
	Variants []ObservedVariant
	// Images is the number of pictures that the listing shows; -1 where the shop does not tell.
	Images int
	// Compared is the text groups that were compared with what was last written, as far as the
	// shop and the stamp tell, and Edited those of them that hold something else. FieldImages is
	// among Edited where the merchant added, removed or moved pictures, and not where the shop's
	// library has lost them.
	Compared, Edited Fields
	// Untold is the groups of price and stock that this shop does not tell of its variants: they
	// count as they were written.
	Untold Fields
	// Prices is how the shop takes prices, as Taxer tells. Of a price without VAT a shop shows one
	// that may differ from what was written by a cent: two that are Prices.Alike are the same. The
	// zero value compares prices as they are.
	Prices Prices
}

// ObservedVariant is one variant as it stands in the shop.
type ObservedVariant struct {
	// ID is the shop's id of the variant, as in Listing.Variants, or the marketplace's own, as in
	// Variant.ID, where the shop keeps that; SKU finds it where both are unknown to the caller.
	ID, SKU string
	// Price is what stands where Publish writes Variant.Price, in the same form: with VAT where
	// that has VAT; see Observed.Prices. "" where the shop has none.
	Price string
	// CompareAt is the price that the shop shows as the former one, where Price may be the
	// merchant's own reduction of it; "" where it has none, and where a reduction stands beside
	// Price in a field of its own.
	CompareAt string
	// Quantity is how many may be sold, as Publish wrote it; less what the shop has sold since.
	Quantity int
	// Uncounted says that the shop sells the variant without counting: Quantity says nothing.
	Uncounted bool
	// Backorders says that it may be sold below zero.
	Backorders bool
	// OnSale says that a visitor can choose it, sold out or not. It says nothing where the listing
	// is not on sale.
	OnSale bool
}

// ObserverOf is the adapter as an Observer, nil where it is none. Where the shop decides that, an
// adapter has a method Observes beside Observe. It is asked before each observation, and keeps
// what it found out.
func ObserverOf(ctx context.Context, a Adapter) Observer {
	o, ok := a.(Observer)
	if !ok {
		return nil
	}
	if asked, ok := a.(interface {
		Observes(ctx context.Context) bool
	}); ok && !asked.Observes(ctx) {
		return nil
	}
	return o
}
