package publication

import (
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
)

// The bounds, in bytes, of what is stored of a marketplace's or shop's answers: well above what any
// was seen to use. An entry or an answer beyond them is refused with a reason.
const (
	MaxIdent     = 1024
	MaxUpdatedAt = 100
	MaxAddress   = 4096
	MaxShopState = 1 << 20
)

// bounds are the parts of an answer that are kept.
type bounds []struct {
	what      string
	has, most int
}

// beyond names the first part that is too long to be kept, "" for none.
func (b bounds) beyond() string {
	for _, part := range b {
		if part.has > part.most {
			return fmt.Sprintf("%s of %d bytes, at most %d are taken", part.what, part.has, part.most)
		}
	}
	return ""
}

// overlong names the part of a publication's content that is too long to be kept, "" for none.
func overlong(pub *marketplace.Publication) string {
	l := pub.Listing
	parts := bounds{
		{"an updatedAt", len(pub.UpdatedAt), MaxUpdatedAt}, {"a status", len(pub.Status), MaxUpdatedAt},
		{"a product address", len(pub.ProductURL), MaxAddress}, {"a listing's id", len(l.ID), MaxIdent},
		{"a product's id", len(l.ProductID), MaxIdent},
	}
	longest := 0
	for _, v := range l.Variants {
		longest = max(longest, len(v.ID))
	}
	return append(parts, bounds{{"a variant's id", longest, MaxIdent}}...).beyond()
}

// OverlongEntry names the part of an entry of the list that is too long to be kept, "" for none.
func OverlongEntry(e marketplace.Entry) string {
	return bounds{
		{"an id", len(e.ID), MaxIdent}, {"an updatedAt", len(e.UpdatedAt), MaxUpdatedAt},
		{"a status", len(e.Status), MaxUpdatedAt},
	}.beyond()
}

// OverlongListed names the part of a listing in the shop that is too long to be kept, "" for none.
// No listing that pubsync made has such a part.
func OverlongListed(l shopadapter.Listed) string {
	return bounds{
		{"an id", len(l.Ref.Publication), MaxIdent}, {"an id", len(l.Ref.Listing), MaxIdent},
		{"an address", len(l.URL), MaxAddress}, {"a state", len(l.Ref.State), MaxShopState},
	}.beyond()
}

// Unkeepable is why an adapter's answer cannot be kept, nil where it can. One of its parts is too
// long, or its id or address shows a secret: the merchant must mend the shop.
func Unkeepable(l shopadapter.Listing, secret func(string) bool) error {
	shown, longest := []string{string(l.ID), l.URL}, 0
	for _, v := range l.Variants {
		shown, longest = append(shown, v.ShopID), max(longest, len(v.ShopID))
	}
	why := bounds{
		{"an id", len(l.ID), MaxIdent}, {"an address", len(l.URL), MaxAddress}, {"a state", len(l.State), MaxShopState},
		{"a variant's id", longest, MaxIdent},
	}.beyond()
	switch {
	case why != "":
		return shopadapter.Block("the shop answers with %s", why)
	case slices.ContainsFunc(shown, secret):
		return shopadapter.Block("the shop's id or address for this product shows one of the secrets that it was sent: " +
			"it is not kept, since it would be told to others")
	}
	return nil
}
