package woocommerce

import (
	"encoding/json"
	"net/url"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// noteKey is where the notes are. The underscore keeps them out of the merchant's list of custom
// fields.
const noteKey = "_pubsync"

// noteVersion counts the rules by which the hashes of a note are made. After a change of the rules
// every text is the merchant's until it is given back; the rest of the note still counts.
const noteVersion = 1

// A note is what the adapter remembers of a product inside the shop. It travels in the same request
// as the texts that it speaks of.
type note struct {
	kit.Note
	// the variant that the product itself is, percent-encoded; "" where there are several
	Variant     string      `json:"variant,omitempty"`
	Adopted     bool        `json:"adopted,omitempty"` // it was the merchant's before
	Title       kit.Written `json:"title"`
	Description kit.Written `json:"description"`
	Category    kit.Written `json:"category"` // ids, as of Brand
	Images      kit.Written `json:"images"`
	// the marks of its pictures by their ids, as far as they were known: a title may be changed in the
	// media library
	Pictures map[string]string `json:"pictures,omitempty"`
	Brand    kit.Written       `json:"brandIDs"`
	// what its attributes tell, and the sizes of a product that is its own variant
	Details kit.Values `json:"details,omitempty"`
	// what the attributes to choose by, and their values, were called after the last write
	Choices []kit.Known `json:"choices,omitempty"`
}

// finished reports whether the product was complete once; one that was not is written whole.
func (n *note) finished() bool { return n.Product != "" }

func newNote(id shopadapter.PublicationID) note {
	return note{Note: kit.Note{Version: noteVersion, ID: encodeID(string(id))}}
}

// readNote is the zero note where there is none that can be read.
func readNote(text string) note { return kit.ReadNote[note](text, noteVersion) }

func (n *note) texts() map[shopadapter.Fields]*kit.Written {
	return map[shopadapter.Fields]*kit.Written{
		shopadapter.FieldTitle: &n.Title, shopadapter.FieldDescription: &n.Description,
		shopadapter.FieldCategory: &n.Category, shopadapter.FieldImages: &n.Images, shopadapter.FieldBrand: &n.Brand,
	}
}

// allMerchants leaves the texts to the merchant. A brand is written where there is none.
func (n *note) allMerchants() {
	for group, last := range n.texts() {
		if *last = kit.Merchants(); group == shopadapter.FieldBrand {
			*last = kit.Written{}
		}
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

// metaOf is the metadata of a request that writes a note, or takes it away with nil.
func metaOf(note any) []map[string]any {
	entry := map[string]any{"key": noteKey, "value": nil}
	if note != nil {
		entry["value"] = kit.Encode(note)
	}
	return []map[string]any{entry}
}

// A mark is what the adapter remembers of a variation inside the shop, under the same key.
type mark struct {
	ID      string `json:"id"`      // the publication, percent-encoded
	Variant string `json:"variant"` // the same of the variant
	// the adapter made it on a product that was taken over, where the other variations are the merchant's
	Added   bool       `json:"added,omitempty"`
	Waits   bool       `json:"waits,omitempty"` // the adapter keeps it off sale until it is whole, or refused
	Details kit.Values `json:"details,omitempty"`
}

// readMark is the mark of a variation and the variant that it names, if it is the publication's.
func readMark(f figures, publication shopadapter.PublicationID) (m mark, variant string, ours bool) {
	err := json.Unmarshal([]byte(f.meta(noteKey)), &m)
	variant, failed := url.QueryUnescape(m.Variant)
	if err != nil || failed != nil || m.ID == "" || m.ID != encodeID(string(publication)) {
		return mark{}, "", false
	}
	return m, variant, true
}

// A state is the hint that the adapter leaves with the caller. Nothing goes wrong without it.
type state struct {
	ID int64 `json:"id"` // of the product
	// what the pictures are that Refused speaks of, and why the shop refuses some, by mark; "" for one
	// on which PHP died once
	Album   string            `json:"a,omitempty"`
	Refused map[string]string `json:"r,omitempty"`
	// those of the note, which has them from the write after
	Pictures map[string]string `json:"p,omitempty"`
	// when the shop was left loading pictures, and writing variations, in Unix milliseconds
	Loading    int64 `json:"h,omitempty"`
	Unanswered int64 `json:"d,omitempty"`
}

// readState is the state in ref; known is false for one that is lost, or of another listing.
func readState(ref shopadapter.Ref) (s state, known bool) {
	if json.Unmarshal(ref.State, &s) == nil && s.ID > 0 &&
		(ref.Listing == "" || number(s.ID) == listingNumber(ref.Listing)) {
		return s, true
	}
	return state{}, false
}

// stillWorking reports whether PHP may still be at work on something that it was sent at a time.
func stillWorking(since int64) bool { return time.Since(time.UnixMilli(since)) < requestTimeout }

func listingNumber(id shopadapter.ListingID) number {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return number(n)
}
