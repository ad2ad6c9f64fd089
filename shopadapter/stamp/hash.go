package stamp

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"html"
	"regexp"
	"strings"
)

// A Hash stands for one text in a stamp. The zero Hash stands for a text that is not there.
type Hash struct {
	Exact string // of the text as the shop reads it back
	Words string // of its words alone, for a shop that tidies markup as it stores it; "" where Exact suffices
}

// hashSize is how many bytes of a SHA-256 a stamp keeps of a text. A stamp compares texts of one
// product: 64 bits are enough.
const hashSize = 8

// HashText is the hash of a text. Line ends and the space around the text do not count, since
// editors change them unasked.
func HashText(text string) Hash { return Hash{Exact: Digest(trimmed(text), hashSize)} }

// HashMarkup is the hash of a text that the shop may tidy: Words leaves out tags, entities and
// breaks.
func HashMarkup(text string) Hash {
	words := strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(text, " "))), " ")
	return Hash{Exact: Digest(trimmed(text), hashSize), Words: Digest(words, hashSize)}
}

var tag = regexp.MustCompile(`<[^>]*>`)

// HashList is the hash of a list of ids, the pictures of a product say. It is the zero Hash for an
// empty list: the state in which a product is made.
func HashList(ids []string) Hash {
	if len(ids) == 0 {
		return Hash{}
	}
	return HashText(strings.Join(ids, " "))
}

func trimmed(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")) }

// loosest is the part of the hash that survives the most of what a shop does to a text.
func (h Hash) loosest() string { return cmp.Or(h.Words, h.Exact) }

// Digest is the beginning of the SHA-256 of a text: that many bytes, as hexadecimal digits.
func Digest(text string, bytes int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:bytes])
}
