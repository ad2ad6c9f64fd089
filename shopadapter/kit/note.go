// Package kit holds what adapters decide alike, as plain functions. The order of a write stands in
// each adapter, since shops differ there. Nothing here asks the shop or calls the adapter back,
// but for the functions that are given to Pages and to Load.
//
// A [Note] is what a product says of itself inside the shop, and [Merge] decides by it which text stays
// the merchant's. It must reach the shop in the same request as the texts that it speaks of. Then a lost
// answer never looks like an edit of the merchant's. Where a shop takes them in two requests the
// note goes first, with [Written.Then].
package kit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"html"
	"regexp"
	"slices"
	"strings"
)

// A Note begins what an adapter keeps on a product inside the shop. A struct that embeds it adds a
// [Written] for each text. It tells whose the product is, and whether it is the one that the note
// was written for:
//
//	ID is ""        the product is the merchant's
//	Product is ""   a draft of the adapter's, never complete
//	Product is set  complete once; on any other product the note was copied, and that is the merchant's
type Note struct {
	Version int    `json:"v"`  // counts the rules by which the adapter makes its hashes
	ID      string `json:"id"` // the publication, as the adapter writes it
	// the shop's id of the product, from the first complete write on
	Product ProductID `json:"product,omitempty"`
}

// A ProductID is the shop's id of a product, in notes a string or a number.
type ProductID string

// UnmarshalJSON reads both. A number 0 is none.
func (p *ProductID) UnmarshalJSON(data []byte) error {
	if *p = ProductID(strings.Trim(string(data), `"`)); *p == "0" || *p == "null" {
		*p = ""
	}
	return nil
}

// Owns reports whether the note is that of a publication, given as the adapter writes it, on the
// product with this id.
func (n Note) Owns(publication, product string) bool {
	return n.ID != "" && n.ID == publication && n.Original(product)
}

// Original reports whether the note was written for the product with this id, and is no copy.
func (n Note) Original(product string) bool {
	return n.ID != "" && (n.Product == "" || string(n.Product) == product)
}

// Encode is a note as the shop keeps it, in one line of JSON. It must be made of strings, numbers,
// lists and maps. Any other note is a fault in the adapter, and panics.
func Encode(note any) string {
	text, err := json.Marshal(note)
	if err != nil {
		panic("kit: encode note: " + err.Error())
	}
	return string(text)
}

// ReadNote reads what Encode wrote of a struct that embeds a Note, zero for anything else. A member in
// another form counts as not written, and a note whose version is in another form as none. Of a note of another
// version of the rules only whose the product is counts: its texts are then the merchant's.
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

// Key is the id of a publication, or of a variant, in a form that every shop finds again: as a rule
// the id itself, which the merchant can read. An id that a shop might trim, cut, or take for
// another that differs in case is replaced by its hash.
func Key[T ~string](id T) string {
	if text := string(id); plainKey.MatchString(text) && !strings.HasPrefix(text, hashedKey) {
		return text
	}
	return hashedKey + Digest(string(id), 32)
}

var plainKey = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,99}$`)

const hashedKey = "sha256-"

// Digest is the beginning of the SHA-256 of a text: that many bytes, as hexadecimal digits.
func Digest(text string, bytes int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:bytes])
}

// A Hash stands for one text in a note. The zero Hash stands for a text that is not there.
type Hash struct {
	Exact string `json:"h,omitempty"` // of the text as the shop reads it back
	// of its words alone, for a shop that tidies markup as it stores it; "" where Exact suffices
	Words string `json:"w,omitempty"`
}

// hashSize is how many bytes of a SHA-256 a note keeps of a text. A note compares texts of one
// product: 64 bits are enough.
const hashSize = 8

// HashText is the hash of a text. Line ends and the space around the text do not count, since
// editors change them unasked.
func HashText(text string) Hash {
	return Hash{Exact: Digest(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), hashSize)}
}

// HashMarkup is the hash of a text that the shop may tidy: Words leaves out tags, entities and
// breaks.
func HashMarkup(text string) Hash {
	h := HashText(text)
	h.Words = Digest(strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(text, " "))), " "), hashSize)
	return h
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

// loosest is the part of the hash that survives the most of what a shop does to a text.
func (h Hash) loosest() string {
	if h.Words != "" {
		return h.Words
	}
	return h.Exact
}

// Written is what a note says of one text: what the adapter wrote last. The zero value is a text
// that the adapter never wrote; a text that the shop holds all the same is then the merchant's. A note may
// hold hundreds, so the names of its form are short.
type Written struct {
	Hash // of the text as the shop holds it after the write
	// Exact of what was sent, where the shop reads it back as something else; "" where it does not
	Sent   string   `json:"s,omitempty"`
	Before []string `json:"b,omitempty"` // hashes of texts that the shop may hold instead: a write has begun, see Then
}

// Merchants is a text that was the merchant's before the adapter took the product over. It stays
// the merchant's, even where it equals the supplier's, until it is given back to the supplier.
func Merchants() Written { return Written{Hash: Hash{Exact: merchants}} }

// merchants is no hash, so that no text has it.
const merchants = "merchant"

// IsMerchants reports whether w is Merchants.
func (w Written) IsMerchants() bool { return w.Exact == merchants }

// IsOwn reports whether held is what the adapter wrote. unsure: the outcome of the last write is
// not known. The shop may then hold the text in a form that no answer has shown yet, or one of
// Before.
func (w Written) IsOwn(held Hash, unsure bool) bool {
	form := held.loosest()
	return held.Exact == w.Exact || unsure && (form == w.loosest() || slices.Contains(w.Before, form))
}

// ReadBack notes that the shop holds a text just written in another form, and reports whether that
// makes a difference. The note in the shop is then to be written once more: the supplier's own
// words would pass for the merchant's edit.
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

// Then is the note of a text that is about to be written in a step of its own, after the note.
// Until that step the shop holds w, or an earlier text.
func (w Written) Then(next Hash) Written {
	const most = 2 // forms that are remembered
	forms := slices.Clone(w.Before)
	if form := w.loosest(); form != "" {
		forms = append(forms, form)
	}
	forms = slices.DeleteFunc(forms, func(form string) bool { return form == next.loosest() })
	return Written{Hash: next, Before: forms[max(len(forms)-most, 0):]}
}

type written Written

// MarshalJSON writes a string where the exact hash is all there is, and an object otherwise.
func (w Written) MarshalJSON() ([]byte, error) {
	if w.Words == "" && w.Sent == "" && len(w.Before) == 0 {
		return json.Marshal(w.Exact)
	}
	return json.Marshal(written(w))
}

// UnmarshalJSON reads both forms. It never fails: of a text in any other form nothing is known, and
// the rest of the note still counts.
func (w *Written) UnmarshalJSON(data []byte) error {
	var long written
	if json.Unmarshal(data, &long.Exact) != nil && json.Unmarshal(data, &long) != nil {
		long = written{}
	}
	*w = Written(long)
	return nil
}
