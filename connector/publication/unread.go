package publication

import (
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// unknown is the groups that could not be fully read and that the shop has from an earlier write:
// they are left as they are. A new listing is made of what could be read.
func (d *Decision) unknown() (groups shopadapter.Fields) {
	if d.rec.WrittenAt == 0 || d.pub == nil || d.pub.Listing == nil {
		return shopadapter.NoFields
	}
	if !knowsDetails(d.pub.Listing) || !d.by.Rules.Details {
		groups |= detailGroups
	} else {
		groups |= lostDetails(d.rec, d.pub.Listing)
	}
	for _, field := range d.pub.Listing.Unread {
		switch field {
		case marketplace.UnreadCategory:
			groups |= shopadapter.FieldCategory
		case marketplace.UnreadShipping, marketplace.UnreadReturns:
			groups |= shopadapter.FieldShipping
		case marketplace.UnreadImages:
			groups |= shopadapter.FieldImages
		case marketplace.UnreadEAN:
			if sameVariants(d.desired.product.Variants, d.start.Variants) {
				groups |= shopadapter.FieldVariants
			}
		}
	}
	return groups
}

// owed is the groups that could not be read, and are to be written once they can be: not those that
// nobody wants, or that were not asked for.
func (d *Decision) owed() shopadapter.Fields {
	if !d.by.Rules.Details || d.pub != nil && d.pub.Listing != nil && !d.pub.Listing.Details {
		return d.Product.Unknown &^ detailGroups
	}
	return d.Product.Unknown
}

// sameVariants reports whether variants are those last written, by all that the record has of them
// but their figures.
func sameVariants(variants []shopadapter.Variant, written []store.Variant) bool {
	before := make(map[string]store.Variant, len(written))
	for _, w := range written {
		if !w.Unpriced {
			before[w.ID] = w
		}
	}
	for _, v := range variants {
		if w, ok := before[v.ID]; !ok || w.Title != v.Title || w.SKU != v.SKU {
			return false
		}
	}
	return len(variants) == len(before)
}

// unread is the fields of the listing that could not be read, in words.
func (d *Decision) unread() string {
	fields := d.pub.Listing.Unread
	if d.by.Rules.Details && knowsDetails(d.pub.Listing) && d.rec.WrittenAt != 0 &&
		lostDetails(d.rec, d.pub.Listing) != shopadapter.NoFields {
		fields = append(slices.Clone(fields), marketplace.UnreadDetails)
	}
	return strings.Join(fields, ", ")
}
