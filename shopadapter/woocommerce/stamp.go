package woocommerce

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// stampVersion counts the rules by which the marks of a stamp are made. A stamp of another version still says whose a product is; its marks are
// not compared, so that every text is the merchant's until it is given back.
const stampVersion = 1

// merchants is the mark of a text that the adapter never wrote.
const merchants = "merchant"

// A stamp is what the adapter remembers of a product inside the shop: whose it is, and what was last written to each text group. It travels in
// the same call as the text.
type stamp struct {
	Version     int              `json:"v"`
	ID          string           `json:"id"`                // the publication, percent-encoded: a backslash would not survive every plugin
	Product     int64            `json:"product,omitempty"` // the shop's id of it, from the second write on; a copy has another
	Variant     string           `json:"variant,omitempty"` // the one that the product itself is, percent-encoded; "" where there are several
	Done        bool             `json:"done,omitempty"`    // it was finished once; one that was not is written whole
	Adopted     bool             `json:"adopted,omitempty"` // it was the merchant's before
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Category    string           `json:"category"`
	Images      string           `json:"images"`
	Pictures    map[string]int64 `json:"pictures,omitempty"` // by mark of the address: the id in the media library
}

func encodeID(id string) string { return url.QueryEscape(id) }

func (s stamp) encode() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic("woocommerce: a stamp of strings and numbers cannot fail to encode: " + err.Error())
	}
	return string(text)
}

// readStamp is the zero stamp where there is none that can be read.
func readStamp(value string) stamp {
	var s stamp
	if json.Unmarshal([]byte(value), &s) != nil || s.ID == "" {
		return stamp{}
	}
	if s.Version != stampVersion {
		s.Title, s.Description, s.Category, s.Images = merchants, merchants, merchants, merchants
		s.Version = stampVersion
	}
	return s
}

// owns tells whether the stamp on the product with this id is that publication's, and no copy of it.
func (s stamp) owns(id int64, publication shopadapter.PublicationID) bool {
	return s.ID == encodeID(string(publication)) && s.original(id)
}

// original tells whether the stamp was written for the product it stands on. The merchant's copies of a product carry its stamp along.
func (s stamp) original(id int64) bool { return s.ID != "" && (s.Product == 0 || s.Product == id) }

// variantStamp is what stands on a variation: the publication's and the variant's id.
func variantStamp(publication shopadapter.PublicationID, variant string) string {
	return encodeID(string(publication)) + "/" + encodeID(variant)
}

// readVariantStamp is the variant that a stamp names, if it is the publication's.
func readVariantStamp(value string, publication shopadapter.PublicationID) (variant string, ours bool) {
	rest, ok := strings.CutPrefix(value, encodeID(string(publication))+"/")
	if !ok {
		return "", false
	}
	variant, err := url.QueryUnescape(rest)
	return variant, err == nil
}
