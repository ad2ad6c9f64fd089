package woocommerce

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// Where the notes are. The underscore keeps them out of the merchant's list of custom fields.
const (
	noteKey    = "_pubsync"
	detailsKey = "_pubsync_details"
	metaKeys   = noteKey + "," + detailsKey
)

// noteVersion counts the rules by which the hashes of a note are made. After a change of the rules
// every text is the merchant's until it is given back; the rest of the note still counts.
const noteVersion = 1

// A note is what the adapter remembers of a product inside the shop. It travels in the same request
// as the texts that it speaks of.
type note struct {
	kit.Note
	// the variant that the product itself is, percent-encoded; "" where there are several
	Variant     string      `json:"variant,omitempty"`
	Done        bool        `json:"done,omitempty"`    // it was finished once; one that was not is written whole
	Adopted     bool        `json:"adopted,omitempty"` // it was the merchant's before
	Title       kit.Written `json:"title"`
	Description kit.Written `json:"description"`
	Category    kit.Written `json:"category"`
	Images      kit.Written `json:"images"`
	// the brand, what its attributes tell, and the sizes of a product that is its own variant
	Details kit.Values `json:"details,omitempty"`
	// the name of the brand last written, which the merchant may have renamed since
	Brand string `json:"brand,omitempty"`
	// what the attributes to choose by, and their values, were called after the last write
	Choices  []kit.Known      `json:"choices,omitempty"`
	Pictures map[string]int64 `json:"pictures,omitempty"` // by mark of the address: the id in the media library
}

func newNote(id shopadapter.PublicationID) note {
	return note{Note: kit.Note{Version: noteVersion, ID: encodeID(string(id))}}
}

// readNote is the zero note where there is none that can be read.
func readNote(text string) (n note) {
	if json.Unmarshal([]byte(text), &n) != nil && n.ID == "" {
		return note{}
	}
	if n.ID != "" && n.Version != noteVersion {
		n.Version = noteVersion
		n.allMerchants()
	}
	return n
}

func (n *note) texts() map[shopadapter.Fields]*kit.Written {
	return map[shopadapter.Fields]*kit.Written{
		shopadapter.FieldTitle: &n.Title, shopadapter.FieldDescription: &n.Description,
		shopadapter.FieldCategory: &n.Category, shopadapter.FieldImages: &n.Images,
	}
}

func (n *note) allMerchants() {
	for _, last := range n.texts() {
		*last = kit.Merchants()
	}
}

// noteOf is the note on a product, the zero note where it is a copy of another's, or where the
// product is a variation.
func noteOf(p product) note {
	n := readNote(p.meta(noteKey))
	if p.ID <= 0 || p.Type == "variation" || !n.Original(idText(p.ID)) {
		return note{}
	}
	return n
}

func owned(p product, id shopadapter.PublicationID) bool {
	n := noteOf(p)
	return n.ID != "" && n.ID == encodeID(string(id))
}

func readDetails(f figures) (last kit.Values) {
	_ = json.Unmarshal([]byte(f.meta(detailsKey)), &last) // a note that cannot be read says nothing
	return last
}

// detailsMeta is the metadata for it. The empty one takes it away.
func detailsMeta(last kit.Values) map[string]any {
	if len(last) == 0 {
		return metaOf(detailsKey, nil)
	}
	return metaOf(detailsKey, kit.Encode(last))
}

// The mark of a variation: the publication's id and the variant's, and what is said beside. added:
// the adapter made it on a product that was taken over, where the other variations are the
// merchant's. waits: the adapter keeps it off sale until it is whole, or refused.
const (
	addedMark = "/added"
	waitsMark = "/waits"
)

func markOf(publication shopadapter.PublicationID, variant string, added, waits bool) string {
	mark := encodeID(string(publication)) + "/" + encodeID(variant)
	if added {
		mark += addedMark
	}
	if waits {
		mark += waitsMark
	}
	return mark
}

// readMark is the variant that a mark names, if it is the publication's.
func readMark(mark string, publication shopadapter.PublicationID) (variant string, added, waits, ours bool) {
	rest, ok := strings.CutPrefix(mark, encodeID(string(publication))+"/")
	rest, waits = strings.CutSuffix(rest, waitsMark)
	rest, added = strings.CutSuffix(rest, addedMark)
	variant, err := url.QueryUnescape(rest)
	return variant, added, waits, ok && err == nil
}

// A state is the hint that the adapter leaves with the caller. Nothing goes wrong without it.
type state struct {
	Version int `json:"v"`
	// hash of the publication's id: another publication's state is not believed
	Key string `json:"k"`
	ID  int64  `json:"id"` // of the product
	// what the pictures are that Refused speaks of, and why the shop refuses some, by mark
	Album   string            `json:"a,omitempty"`
	Refused map[string]string `json:"r,omitempty"`
	// PHP died over several new pictures at once: each has a request of its own
	OneByOne bool `json:"z,omitempty"`
	// when the shop was left loading pictures, in Unix milliseconds
	Loading int64 `json:"h,omitempty"`
	// when variations were written and the shop did not answer, in Unix milliseconds
	Unanswered int64 `json:"d,omitempty"`
}

const stateVersion = 1

// readState is the state in ref; known is false for one that is lost, or of another listing.
func readState(ref shopadapter.Ref) (s state, known bool) {
	key := kit.Digest(string(ref.Publication), 6)
	if json.Unmarshal(ref.State, &s) == nil && s.Version == stateVersion && s.Key == key && s.ID > 0 &&
		(ref.Listing == "" || s.ID == listingNumber(ref.Listing)) {
		return s, true
	}
	return state{Version: stateVersion, Key: key}, false
}

// stillWorking reports whether PHP may still be at work on something that it was sent at a time.
func stillWorking(since int64) bool { return time.Since(time.UnixMilli(since)) < requestTimeout }

func listingNumber(id shopadapter.ListingID) int64 {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
