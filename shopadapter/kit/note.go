// Package kit holds what adapters decide alike, as plain functions. The order of requests stays in each adapter,
// since shops differ there.
//
// A [Note] is what a product says of itself inside the shop; [Merge] decides by it which texts stay the merchant's.
// Write it in the same request as its texts: then a lost answer never looks like a merchant's edit. If the shop takes
// two requests the note goes first, with [Written.Then].
package kit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"html"
	"regexp"
	"slices"
	"strings"
)

// A Note begins what an adapter stores on a product. A struct that embeds it adds a [Written] for each text. The note
// tells whose the product is:
//
//	ID is ""        the product is the merchant's
//	Product is ""   a draft of the adapter's, never complete
//	Product is set  complete once; a product with another id is a copy, and the merchant's
type Note struct {
	Version int    `json:"v"`  // of the adapter's hashing rules
	ID      string `json:"id"` // the publication, as the adapter writes it
	// the shop's id, from the first complete write on
	Product ProductID `json:"product,omitempty"`
}

// A ProductID is the shop's id of a product, in notes a string or a number.
type ProductID string

// UnmarshalJSON reads both forms; 0 is none.
func (p *ProductID) UnmarshalJSON(data []byte) error {
	if *p = ProductID(strings.Trim(string(data), `"`)); *p == "0" || *p == "null" {
		*p = ""
	}
	return nil
}

// Owns reports whether the note has this ID, and was written for this product.
func (n Note) Owns(publication, product string) bool {
	return n.ID != "" && n.ID == publication && n.Original(product)
}

// Original reports whether the note was written for this product, and is no copy.
func (n Note) Original(product string) bool {
	return n.ID != "" && (n.Product == "" || string(n.Product) == product)
}

// Encode returns a note as one line of JSON. It panics unless the note is made of strings, numbers, lists and maps.
func Encode(note any) string {
	text, err := json.Marshal(note)
	if err != nil {
		panic("kit: encode note: " + err.Error())
	}
	return string(text)
}

// ReadNote reads what Encode wrote, else zero. A member in another form counts as not written; a version in another
// form voids the note. Another version tells only whose the product is: its texts are the merchant's.
func ReadNote[N any, P interface {
	*N
	head() *Note
}](text string, version int) (n N) {
	form, err := (*json.UnmarshalTypeError)(nil), json.Unmarshal([]byte(text), &n)
	is := *P(&n).head()
	if err != nil && (is.Version == 0 || !errors.As(err, &form)) || is.ID == "" {
		return *new(N)
	}
	if is.Version != version {
		n = *new(N)
		*P(&n).head() = Note{Version: is.Version, ID: is.ID}
	}
	return n
}

func (n *Note) head() *Note { return n }

// Key returns an id of a publication or variant that every shop finds again, mostly the id itself. A hash replaces an
// id that a shop might trim, cut, or match in another case.
func Key[T ~string](id T) string {
	if text := string(id); plainKey.MatchString(text) && !strings.HasPrefix(text, hashedKey) {
		return text
	}
	return hashedKey + Digest(string(id), 32)
}

var plainKey = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,99}$`)

const hashedKey = "sha256-"

// Digest returns so many bytes of a text's SHA-256 in hexadecimal.
func Digest(text string, bytes int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:bytes])
}

// A Hash stands for one text in a note, the zero Hash for a missing one.
type Hash struct {
	Exact string `json:"h,omitempty"` // of the text as read back
	// of its words alone, for a shop that tidies markup; "" where Exact suffices
	Words string `json:"w,omitempty"`
}

// hashSize is in bytes: 64 bits tell one product's texts apart.
const hashSize = 8

// HashText hashes a text without the space around it, and with CRLF as LF: editors change both unasked.
func HashText(text string) Hash {
	return Hash{Exact: Digest(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), hashSize)}
}

// HashMarkup hashes a text that the shop may tidy: Words omits tags, entities and breaks.
func HashMarkup(text string) Hash {
	h := HashText(text)
	h.Words = Digest(strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(text, " "))), " "), hashSize)
	return h
}

var tag = regexp.MustCompile(`<[^>]*>`)

// HashList hashes ids, such as pictures; an empty list is the zero Hash, as in a new product.
func HashList(ids []string) Hash {
	if len(ids) == 0 {
		return Hash{}
	}
	return HashText(strings.Join(ids, " "))
}

func (h Hash) loosest() string { return cmp.Or(h.Words, h.Exact) }

// Written is a note of the last write of one text. Zero means none: a text in the shop is the merchant's. JSON names
// are short, since a note may hold hundreds.
type Written struct {
	Hash // as the shop holds it after the write
	// Exact of what was sent; "" if it reads back unchanged
	Sent   string   `json:"s,omitempty"`
	Before []string `json:"b,omitempty"` // hashes of texts that the shop may still hold, see Then
}

// Merchants marks a text from before the adapter. It stays the merchant's, even if it equals the supplier's, until a
// Reset.
func Merchants() Written { return Written{Hash: Hash{Exact: merchants}} }

// merchants is not a hash: no text has it.
const merchants = "merchant"

// IsMerchants reports whether w is Merchants.
func (w Written) IsMerchants() bool { return w.Exact == merchants }

// IsOwn reports whether held is what the adapter wrote. If the last write's outcome is unknown (unsure), the same
// words in other markup count too, and so does Before.
func (w Written) IsOwn(held Hash, unsure bool) bool {
	form := held.loosest()
	return held.Exact == w.Exact || unsure && (form == w.loosest() || slices.Contains(w.Before, form))
}

// ReadBack notes the shop's form of a text just written, and reports whether it differs. If so, write the note again,
// or the supplier's own words pass for an edit.
func (w *Written) ReadBack(held Hash) bool {
	if held.Exact == w.Exact {
		return false
	}
	if w.Sent == "" {
		w.Sent = w.Exact
	}
	w.Hash = held
	return true
}

// Then returns the note of a text that a later request writes. Until that the shop holds w or an earlier text.
func (w Written) Then(next Hash) Written {
	const most = 2 // hashes
	forms := slices.Clone(w.Before)
	if form := w.loosest(); form != "" {
		forms = append(forms, form)
	}
	forms = slices.DeleteFunc(forms, func(form string) bool { return form == next.loosest() })
	return Written{Hash: next, Before: forms[max(len(forms)-most, 0):]}
}

type written Written

// MarshalJSON writes a string where the exact hash suffices, else an object.
func (w Written) MarshalJSON() ([]byte, error) {
	if w.Words == "" && w.Sent == "" && len(w.Before) == 0 {
		return json.Marshal(w.Exact)
	}
	return json.Marshal(written(w))
}

// UnmarshalJSON reads both forms; any other means an unknown text, and never an error.
func (w *Written) UnmarshalJSON(data []byte) error {
	var long written
	if json.Unmarshal(data, &long.Exact) != nil && json.Unmarshal(data, &long) != nil {
		long = written{}
	}
	*w = Written(long)
	return nil
}
