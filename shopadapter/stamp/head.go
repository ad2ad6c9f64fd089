package stamp

import (
	"encoding/json"
	"regexp"
	"strings"
)

// A Head begins every stamp: by which rules it was made, and whose the product is.
type Head struct {
	Version int    `json:"v"`  // counts the rules by which the adapter makes its hashes
	ID      string `json:"id"` // the publication, as the adapter writes it
}

func (h *Head) head() *Head { return h }

// Encode is a stamp as the shop keeps it, in one line of JSON. s must be made of strings, numbers,
// lists and maps. Any other stamp is a fault in the adapter, and panics.
func Encode(s any) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic("stamp: encode: " + err.Error())
	}
	return string(text)
}

// Decode reads a stamp: a struct that embeds a Head. It is the zero stamp where the text holds
// none. Of a stamp of another version only the Head is left: whose the product is stays true when
// the rules of the hashes change. An adapter whose stamp holds more such facts decodes with [Read].
func Decode[S any, P interface {
	*S
	head() *Head
}](text string, version int) S {
	s, ok := Read[S, P](text, version)
	if !ok {
		head := *P(&s).head()
		s = *new(S)
		*P(&s).head() = head
	}
	return s
}

// Read is Decode that leaves a stamp of another version whole. ok tells whether its hashes are of
// this version.
func Read[S any, P interface {
	*S
	head() *Head
}](text string, version int) (s S, ok bool) {
	if json.Unmarshal([]byte(text), &s) != nil || P(&s).head().ID == "" {
		s = *new(S)
	}
	return s, P(&s).head().Version == version
}

var plainKey = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,99}$`)

const hashedKey = "sha256-"

// Key is the id of a publication, or of a variant, in a form that every shop finds again: as a rule
// the id itself, which the merchant can read. An id that a shop might trim, cut, or take for
// another that differs in case is replaced by its hash.
func Key[T ~string](id T) string {
	if text := string(id); plainKey.MatchString(text) && !strings.HasPrefix(text, hashedKey) {
		return text
	}
	return hashedKey + Digest(string(id), 32)
}
