package vendure

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pubsync/pubsync/shopadapter"
)

// stampVersion counts the rules by which the hashes of a stamp are made.
const stampVersion = 1

// A stamp is what the adapter remembers of a product inside the shop: whose it is, and what was last written to each text, so that the merchant's
// own words are told from the supplier's. It travels in the same call as the text.
type stamp struct {
	Version  int                  `json:"v"`
	ID       string               `json:"id"`                // the publication
	Product  string               `json:"product,omitempty"` // Vendure's id of the product, from the first complete write on; a duplicate has another
	Text     map[string]textStamp `json:"text,omitempty"`    // by language
	Images   string               `json:"images,omitempty"`  // hash of the asset ids; "" while none were written
	Missing  bool                 `json:"missing,omitempty"` // some picture could not be fetched and is to be tried again
	Category string               `json:"category"`          // codes of the facet's values, joined by commas
}

type textStamp struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// complete tells whether the product was ever finished. One that was not is written whole.
func (s stamp) complete() bool { return s.Product != "" }

func (s stamp) encode() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic("vendure: a stamp of strings cannot fail to encode: " + err.Error())
	}
	return string(text)
}

// readStamp is the zero stamp when there is none that can be read.
func readStamp(text *string) stamp {
	var s stamp
	if text == nil || json.Unmarshal([]byte(*text), &s) != nil || s.Version != stampVersion {
		return stamp{}
	}
	return s
}

// maxKey is the longest publication id that is a key as it is, in bytes: MySQL keeps such a field in 255 characters.
const maxKey = 200

// key is the value of the custom field pubsyncId for a publication. As a rule it is the id itself, which the merchant can read and search
// for; an id that a database might cut, trim or refuse is replaced by its hash.
func key(id shopadapter.PublicationID) string {
	text := string(id)
	plain := len(text) <= maxKey && utf8.ValidString(text) && strings.TrimSpace(text) == text &&
		strings.IndexFunc(text, unicode.IsControl) < 0 && !strings.HasPrefix(text, "sha256:")
	if plain {
		return text
	}
	return "sha256:" + digest(text, sha256.Size)
}

// hash is what a stamp holds of a text: sixteen hexadecimal digits. Line ends and space around the text make no difference, since editors change
// them unasked.
func hash(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	return digest(text, 8)
}

func digest(text string, bytes int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:bytes])
}
