package publication

import (
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
)

// The bounds, in bytes, of what is stored of a marketplace's or shop's answers: well above what any
// was seen to use. An entry or an answer beyond them is refused with a reason. Texts such as errors
// are cut instead.
const (
	MaxIdent     = 1024    // of an id of the marketplace's, from any source
	MaxUpdatedAt = 100     // of an entry's updatedAt and of its status
	MaxShopID    = 1024    // of an id of the shop's
	MaxAddress   = 4096    // of a product's address
	MaxShopState = 1 << 20 // of what an adapter leaves for its next call
)

// A length is the length of a bounded value.
type length struct {
	what      string
	has, most int
}

// beyond names the first that is too long, "" where none is.
func beyond(lengths ...length) string {
	for _, l := range lengths {
		if l.has > l.most {
			return fmt.Sprintf("%s of %d bytes, at most %d are taken", l.what, l.has, l.most)
		}
	}
	return ""
}

// OverlongEntry names the part of an entry of the list that is too long to be kept, "" for none.
func OverlongEntry(e marketplace.Entry) string {
	return beyond(
		length{"an id", len(e.ID), MaxIdent}, length{"an updatedAt", len(e.UpdatedAt), MaxUpdatedAt},
		length{"a status", len(e.Status), MaxUpdatedAt},
	)
}

// overlong names the part of a publication's content that is too long to be kept, "" for none.
func overlong(pub *marketplace.Publication) string {
	lengths := []length{
		{
			"an updatedAt",
			len(pub.UpdatedAt),
			MaxUpdatedAt,
		}, {"a status", len(pub.Status), MaxUpdatedAt}, {"a product address", len(pub.ProductURL), MaxAddress},
	}
	if pub.Listing != nil {
		lengths = append(
			lengths, length{"a listing's id", len(pub.Listing.ID), MaxIdent},
			length{"a product's id", len(pub.Listing.ProductID), MaxIdent},
		)
		for _, v := range pub.Listing.Variants {
			lengths = append(lengths, length{"a variant's id", len(v.ID), MaxIdent})
		}
	}
	return beyond(lengths...)
}

// Unkeepable is why an adapter's answer cannot be kept, nil where it can. One of its parts is too
// long, or its id or address shows a secret: the merchant must mend the shop.
func Unkeepable(l shopadapter.Listing, secret func(string) bool) error {
	lengths := []length{
		{"an id", len(l.ID), MaxShopID},
		{"an address", len(l.URL), MaxAddress},
		{"a state", len(l.State), MaxShopState},
	}
	shown := []string{string(l.ID), l.URL}
	for _, v := range l.Variants {
		lengths = append(lengths, length{"a variant's id", len(v.ShopID), MaxShopID})
		shown = append(shown, v.ShopID)
	}
	if why := beyond(lengths...); why != "" {
		return shopadapter.Block("the shop answers with %s", why)
	}
	if slices.ContainsFunc(shown, secret) {
		return shopadapter.Block(
			"the shop's id or address for this product shows one of the secrets that it was sent: it is not kept, " +
				"since it would be told to others",
		)
	}
	return nil
}

// OverlongListed names the part of a listing in the shop that is too long to be kept, "" for none.
// No listing that pubsync made has such a part.
func OverlongListed(l shopadapter.Listed) string {
	return beyond(length{"an id", len(l.Ref.Publication), MaxIdent}, length{"an id", len(l.Ref.Listing), MaxShopID},
		length{"an address", len(l.URL), MaxAddress}, length{"a state", len(l.Ref.State), MaxShopState})
}
