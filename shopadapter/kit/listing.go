package kit

import (
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// Made is the variants that the shop has, for Listing.Variants. id is the shop's own of one.
func Made[H any](list []Wanted[H], id func(*H) string) []shopadapter.ListedVariant {
	all := []shopadapter.ListedVariant{}
	for _, v := range list {
		if v.Held != nil {
			all = append(all, shopadapter.ListedVariant{ID: v.ID, ShopID: id(v.Held)})
		}
	}
	return all
}

// Unmade reports whether the shop has still to make one of the variants.
func Unmade[H any](list []Wanted[H]) bool {
	return slices.ContainsFunc(list, func(v Wanted[H]) bool { return v.Held == nil })
}

// Lacks is the pictures that were written and that the product no longer shows, where it shows the
// others in their order. There are none for any other list: somebody has added to it, or moved what
// it holds.
func Lacks(written, shown []string) (gone []string) {
	for _, id := range written {
		if len(shown) > 0 && shown[0] == id {
			shown = shown[1:]
		} else {
			gone = append(gone, id)
		}
	}
	if len(shown) > 0 {
		return nil
	}
	return gone
}

// Cleared is the error of a product that is a publication's listing and from which somebody deleted
// the mark of it. It stays as it is until a person asks for it.
func Cleared(product string, id shopadapter.PublicationID) error {
	return shopadapter.Block("product %s is its listing, and the mark of pubsync was deleted from it, so it is left as "+
		"it is: `pubsync retry %s` takes it back", product, id)
}

// Each is what one gives for each element of a list, in its order. It is never nil: in JSON it is a
// list, though an empty one.
func Each[A, B any](list []A, one func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = one(a)
	}
	return out
}
