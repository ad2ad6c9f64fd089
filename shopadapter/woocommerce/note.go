package woocommerce

import (
	"encoding/json"
	"net/url"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// noteKey begins with an underscore, which keeps it out of the merchant's list of custom fields.
const noteKey = "_pubsync"

// noteVersion counts the rules for hashes. After a change every text is the merchant's until it is given back; the
// rest of the note still counts.
const noteVersion = 1

// A note is what the adapter remembers in the shop. It travels in one request with the texts.
type note struct {
	kit.Note
	// the variant that the product itself is, percent-encoded; "" for several
	Variant     string      `json:"variant,omitempty"`
	Adopted     bool        `json:"adopted,omitempty"`
	Title       kit.Written `json:"title"`
	Description kit.Written `json:"description"`
	Category    kit.Written `json:"category"` // ids
	Images      kit.Written `json:"images"`
	// marks by picture id, as far as known: a title may change in the media library
	Pictures map[string]string `json:"pictures,omitempty"`
	Brand    kit.Written       `json:"brandIDs"`
	// of features, and of a simple product
	Details kit.Values `json:"details,omitempty"`
	// names in the shop after the last write
	Choices []kit.Known `json:"choices,omitempty"`
}

// finished reports whether the product was complete once; else it is written whole.
func (n *note) finished() bool { return n.Product != "" }

func newNote(id shopadapter.PublicationID) note {
	return note{Note: kit.Note{Version: noteVersion, ID: encodeID(string(id))}}
}

func readNote(text string) note { return kit.ReadNote[note](text, noteVersion) }

func (n *note) texts() map[shopadapter.Fields]*kit.Written {
	return map[shopadapter.Fields]*kit.Written{
		shopadapter.FieldTitle: &n.Title, shopadapter.FieldDescription: &n.Description,
		shopadapter.FieldCategory: &n.Category, shopadapter.FieldImages: &n.Images, shopadapter.FieldBrand: &n.Brand,
	}
}

// noteOf returns the zero note for a copy, and for a variation.
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

// metaOf takes the note away with nil.
func metaOf(note any) []map[string]any {
	entry := map[string]any{"key": noteKey, "value": nil}
	if note != nil {
		entry["value"] = kit.Encode(note)
	}
	return []map[string]any{entry}
}

// A mark is the note on a variation.
type mark struct {
	ID      string `json:"id"`      // of the publication, percent-encoded
	Variant string `json:"variant"` // percent-encoded
	// made on an adopted product, where the others are the merchant's
	Added   bool       `json:"added,omitempty"`
	Waits   bool       `json:"waits,omitempty"` // off sale: not whole yet, or refused
	Details kit.Values `json:"details,omitempty"`
}

func readMark(f figures, publication shopadapter.PublicationID) (m mark, variant string, ours bool) {
	err := json.Unmarshal([]byte(f.meta(noteKey)), &m)
	variant, failed := url.QueryUnescape(m.Variant)
	if err != nil || failed != nil || m.ID == "" || m.ID != encodeID(string(publication)) {
		return mark{}, "", false
	}
	return m, variant, true
}

// A state is a hint that the adapter leaves with the caller. Its loss does no harm.
type state struct {
	ID int64 `json:"id"`
	// Album hashes the list that Refused is about. Refused has reasons by mark, "" where PHP died once
	Album   string            `json:"a,omitempty"`
	Refused map[string]string `json:"r,omitempty"`
	// as in the note, which gets them with the next write
	Pictures map[string]string `json:"p,omitempty"`
	// Unix milliseconds when the shop was left loading pictures, or writing variations
	Loading    int64 `json:"h,omitempty"`
	Unanswered int64 `json:"d,omitempty"`
}

// readState returns the state in ref; known is false if it is lost, or another listing's.
func readState(ref shopadapter.Ref) (s state, known bool) {
	if json.Unmarshal(ref.State, &s) == nil && s.ID > 0 &&
		(ref.Listing == "" || number(s.ID) == listingNumber(ref.Listing)) {
		return s, true
	}
	return state{}, false
}

// stillWorking reports whether PHP may still be at work on a request sent at since, in Unix milliseconds.
func stillWorking(since int64) bool { return time.Since(time.UnixMilli(since)) < requestTimeout }

func listingNumber(id shopadapter.ListingID) number {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return number(n)
}
