package publication

import (
	"cmp"
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

// tooLong says that a part of an answer is longer than is kept, "" where it is not.
func tooLong(what string, has, most int) string {
	if has <= most {
		return ""
	}
	return fmt.Sprintf("%s of %d bytes, at most %d are taken", what, has, most)
}

// overlong names the part of a publication's content that is too long to be kept, "" for none.
func overlong(pub *marketplace.Publication) string {
	l, longest := pub.Listing, 0
	for _, v := range l.Variants {
		longest = max(longest, len(v.ID))
	}
	return cmp.Or(
		tooLong("an updatedAt", len(pub.UpdatedAt), MaxUpdatedAt), tooLong("a status", len(pub.Status), MaxUpdatedAt),
		tooLong("a product address", len(pub.ProductURL), MaxAddress), tooLong("a listing's id", len(l.ID), MaxIdent),
		tooLong("a product's id", len(l.ProductID), MaxIdent), tooLong("a variant's id", longest, MaxIdent),
	)
}

// OverlongEntry names the part of an entry of the list that is too long to be kept, "" for none.
func OverlongEntry(e marketplace.Entry) string {
	return cmp.Or(tooLong("an id", len(e.ID), MaxIdent), tooLong("an updatedAt", len(e.UpdatedAt), MaxUpdatedAt),
		tooLong("a status", len(e.Status), MaxUpdatedAt))
}

// OverlongListed names the part of a listing in the shop that is too long to be kept, "" for none.
// No listing that pubsync made has such a part.
func OverlongListed(l shopadapter.Listed) string {
	return cmp.Or(tooLong("an id", max(len(l.Ref.Publication), len(l.Ref.Listing)), MaxIdent),
		tooLong("an address", len(l.URL), MaxAddress), tooLong("a state", len(l.Ref.State), MaxShopState))
}

// Unkeepable is why an adapter's answer cannot be kept, nil where it can. One of its parts is too
// long, or its id or address shows a secret: the merchant must mend the shop.
func Unkeepable(l shopadapter.Listing, secret func(string) bool) error {
	shown, longest := []string{string(l.ID), l.URL}, 0
	for _, v := range l.Variants {
		shown, longest = append(shown, v.ShopID), max(longest, len(v.ShopID))
	}
	if why := cmp.Or(tooLong("an id", len(l.ID), MaxIdent), tooLong("an address", len(l.URL), MaxAddress),
		tooLong("a state", len(l.State), MaxShopState), tooLong("a variant's id", longest, MaxIdent)); why != "" {
		return shopadapter.Block("the shop answers with %s", why)
	}
	if slices.ContainsFunc(shown, secret) {
		return shopadapter.Block("the shop's id or address for this product shows one of the secrets that it was sent: " +
			"it is not kept, since it would be told to others")
	}
	return nil
}
