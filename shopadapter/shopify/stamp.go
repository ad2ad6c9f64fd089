package shopify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"html"
	"regexp"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// stampVersion counts the rules by which the hashes of a stamp are made.
const stampVersion = 1

// A stamp is what the adapter remembers of a product inside the shop: whose it is, and what was last written to each text group, so that the
// merchant's own words are told from the supplier's.
type stamp struct {
	Version      int                          `json:"v"`
	ID           string                       `json:"id"`             // the publication
	Done         bool                         `json:"done,omitempty"` // it was complete once; until then it is written whole
	Title        wrote                        `json:"title"`
	Description  wrote                        `json:"description"`
	Category     wrote                        `json:"category"`
	Translations map[string]map[string]hashes `json:"translations,omitempty"` // by language and key
	Images       []picture                    `json:"images,omitempty"`       // as last seen there, in their order
	Next         []picture                    `json:"next,omitempty"`         // as they are being written
	Writing      bool                         `json:"writing,omitempty"`      // Next counts
	Bad          []string                     `json:"bad,omitempty"`          // marks of pictures that the shop could not process
	Unmarked     bool                         `json:"unmarked,omitempty"`     // the variants carry no mark: there are too many
}

// wrote is the hash of a text that was written. Loose is of its words alone: the shop may tidy the markup, and until its answer shows the text as it
// is read back, the words have to do.
type wrote struct {
	Exact string `json:"h,omitempty"`
	Loose string `json:"w,omitempty"`
	Sent  string `json:"s,omitempty"` // what was sent, where the shop reads it back as something else
}

func wroteOf(text string) wrote { return wrote{Exact: exact(text), Loose: loose(text)} }

// hashes are the loose hashes of the last few texts written, the newest last. A translation and the stamp cannot be written in one step, so whichever
// of them the shop shows is the adapter's own.
type hashes []string

const mostHashes = 3

func (h hashes) with(text string) hashes {
	n := loose(text)
	list := hashes{}
	for _, old := range h {
		if old != n {
			list = append(list, old)
		}
	}
	list = append(list, n)
	return list[max(len(list)-mostHashes, 0):]
}

func (s stamp) encode() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic("shopify: a stamp of strings cannot fail to encode: " + err.Error())
	}
	return string(text)
}

// readStamp is the zero stamp when there is none that can be read.
func readStamp(text string) stamp {
	var s stamp
	if json.Unmarshal([]byte(text), &s) != nil || s.Version != stampVersion {
		return stamp{}
	}
	return s
}

// digest of the stamp does not depend on how the shop formats JSON.
func (s stamp) digest() string { return digest(s.encode(), 8) }

var plainKey = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,99}$`)

// key is the value by which a publication's product, or a variant, is found. As a rule it is the id itself, which the merchant can read. An id that
// the shop might trim, cut or take for another that differs in case is replaced by its hash.
func key(id string) string {
	if plainKey.MatchString(id) && !strings.HasPrefix(id, "sha256-") {
		return id
	}
	return "sha256-" + digest(id, sha256.Size)
}

func keyOf(id shopadapter.PublicationID) string { return key(string(id)) }

// exact is the hash of a text as it is, but for line ends and the space around it.
func exact(text string) string {
	return digest(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), 8)
}

var tag = regexp.MustCompile(`<[^>]*>`)

// loose is the hash of a text's words: without tags, entities and breaks.
func loose(text string) string {
	return digest(strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(text, " "))), " "), 8)
}

func digest(text string, bytes int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:bytes])
}
