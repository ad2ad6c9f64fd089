package words

import (
	"net/url"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

const (
	// MaxSKU is the longest SKU that WooCommerce keeps whole in its lookup table, in characters.
	MaxSKU = 100
	// maxPlainID is the longest publication id that is legible in a SKU.
	maxPlainID = 64
)

// KeySKU is the SKU of a product whose variants have SKUs of their own, or of a variant without
// one. WooCommerce compares SKUs without regard to case, splits look-ups at commas and trims. So an
// id is replaced by its hash unless it consists of lower-case letters, digits, hyphens and
// underscores.
func KeySKU(id shopadapter.PublicationID) string {
	plain := id != "" && len(id) <= maxPlainID && strings.IndexFunc(string(id), func(r rune) bool {
		return (r < 'a' || 'z' < r) && (r < '0' || '9' < r) && r != '-' && r != '_'
	}) < 0
	if plain {
		return "pubsync-" + string(id)
	}
	return "pubsync." + stamp.Digest(string(id), 16)
}

// CleanSKU is a SKU in the form in which WooCommerce keeps it, as a line of text: no tags, no
// percent-encoded characters, single spaces.
func CleanSKU(sku string) string {
	for again := WithoutTags(octet.ReplaceAllString(sku,
		"")); again != sku; again = WithoutTags(octet.ReplaceAllString(sku, "")) {
		sku = again
	}
	return strings.Join(strings.Fields(sku), " ")
}

// SameSKU compares as the shop does.
func SameSKU(a, b string) bool {
	return a != "" && strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// EncodeID is an id as a stamp holds it, percent-encoded: a backslash would not survive every
// plugin.
func EncodeID(id string) string { return url.QueryEscape(id) }
