package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

const (
	productsFolder = "products"
	slugLength     = 40
)

// fileName is the name, without extension, of a publication's files: a slug for people and a hash
// that tells all ids apart. It is lower-case ASCII of at most 70 bytes. So file systems that fold
// case or normalise Unicode keep it, and an address needs no escaping.
func fileName(id shopadapter.PublicationID) string {
	return cmp.Or(slugOf(string(id)), "product") + "-" + digest(string(id), 17)
}

// anchor is the shop's id of a variant: the fragment under which the product's page shows it.
func anchor(variant string) string {
	return "v-" + digest(variant, 10)
}

// digest is the first bytes of the SHA-256 of s, five bits a letter.
func digest(s string, bytes int) string {
	sum := sha256.Sum256([]byte(s))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:bytes]))[:bytes*8/5]
}

// slugOf keeps the ASCII letters and digits at the start of s, in lower case, and one hyphen for
// all that stands between two of them.
func slugOf(s string) string {
	var b strings.Builder
	gap := false
	for i := 0; i < len(s) && b.Len() < slugLength; i++ {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteByte(c)
	}
	return b.String()
}
