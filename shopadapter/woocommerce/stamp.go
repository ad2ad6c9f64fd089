package woocommerce

import (
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/detail"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// stampVersion counts the rules by which the hashes of a stamp are made. After a change of the
// rules every text is the merchant's until it is given back; the rest of the stamp still counts.
const stampVersion = 1

// A productStamp is what the adapter remembers of a product inside the shop: whose it is, and what
// was last written to each text group. It travels in the same call as the text.
type productStamp struct {
	stamp.Head // the id is percent-encoded: a backslash would not survive every plugin
	// the shop's id of it, from the second write on; a copy has another
	Product int64 `json:"product,omitempty"`
	// the one that the product itself is, percent-encoded; "" where there are several
	Variant     string        `json:"variant,omitempty"`
	Done        bool          `json:"done,omitempty"`    // it was finished once; one that was not is written whole
	Adopted     bool          `json:"adopted,omitempty"` // it was the merchant's before
	Title       stamp.Written `json:"title"`
	Description stamp.Written `json:"description"`
	Category    stamp.Written `json:"category"`
	Images      stamp.Written `json:"images"`
	// of the details that stand on the product itself
	Details detail.Note `json:"details,omitzero"`
	// the name of the brand last written, which the merchant may have renamed since
	Brand string `json:"brand,omitempty"`
	// digests of the sizes and of the EANs of all variants as last written; "" where some are not
	// what the supplier says
	Sizes string `json:"sizes,omitempty"`
	EANs  string `json:"eans,omitempty"`
	// see state.OneByOne; it counts where the state is lost
	OneByOne bool             `json:"oneByOne,omitempty"`
	Pictures map[string]int64 `json:"pictures,omitempty"` // by mark of the address: the id in the media library
}

func newStamp(id shopadapter.PublicationID) productStamp {
	return productStamp{Head: stamp.Head{Version: stampVersion, ID: words.EncodeID(string(id))}}
}

// readStamp is the zero stamp where there is none that can be read.
func readStamp(value string) productStamp {
	s, ok := stamp.Read[productStamp](value, stampVersion)
	if s.ID != "" && !ok {
		s.Version = stampVersion
		s.allMerchants()
	}
	return s
}

// allMerchants leaves every text to the merchant.
func (s *productStamp) allMerchants() {
	for _, last := range s.texts() {
		*last = stamp.Merchants()
	}
}

// texts are what the stamp says of the text groups.
func (s *productStamp) texts() map[shopadapter.Fields]*stamp.Written {
	return map[shopadapter.Fields]*stamp.Written{
		shopadapter.FieldTitle: &s.Title, shopadapter.FieldDescription: &s.Description,
		shopadapter.FieldCategory: &s.Category, shopadapter.FieldImages: &s.Images,
	}
}

// sizes are the digests of what stands on each variation, by the group that it changes with.
func (s *productStamp) sizes() map[shopadapter.Fields]*string {
	return map[shopadapter.Fields]*string{shopadapter.FieldDetails: &s.Sizes, shopadapter.FieldVariants: &s.EANs}
}

// speaksOf reports whether the texts are the ones that the stamp says.
func (s *productStamp) speaksOf(held map[shopadapter.Fields]stamp.Hash) bool {
	for group, last := range s.texts() {
		if last.Exact != held[group].Exact {
			return false
		}
	}
	return true
}

// owns reports whether the stamp on the product with this id is that publication's, and no copy of
// it.
func (s productStamp) owns(id int64, publication shopadapter.PublicationID) bool {
	return s.ID == words.EncodeID(string(publication)) && s.original(id)
}

// original reports whether the stamp was written for the product it stands on. The merchant's
// copies of a product carry its stamp along.
func (s productStamp) original(id int64) bool {
	return s.ID != "" && (s.Product == 0 || s.Product == id)
}
