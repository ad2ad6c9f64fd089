package shopify

import (
	"cmp"

	axes "github.com/pubsync/pubsync/shopadapter/internal/choice"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// stampVersion counts the rules by which the hashes of a stamp are made.
const stampVersion = 1

// A productStamp is what the adapter remembers of a product inside the shop.
type productStamp struct {
	stamp.Head
	// it was complete once; until then it is written whole
	Done  bool          `json:"done,omitempty"`
	Title stamp.Written `json:"title"`
	// the languages whose titles are those of the title group, the product's own or its
	// translations; each other title belongs to the description. None in a stamp from before they
	// were kept.
	Titles      []string      `json:"titles,omitempty"`
	Description stamp.Written `json:"description"`
	Category    stamp.Written `json:"category"`
	// It knows of brand and details. Before it did, the barcode followed the supplier.
	Detailed     bool                                `json:"detailed,omitempty"`
	Brand        stamp.Details                       `json:"brand,omitempty"`
	Tags         []string                            `json:"tags,omitempty"`         // that the adapter added
	Details      map[string]string                   `json:"details,omitempty"`      // of each variant, see note.go
	Translations map[string]map[string]stamp.Written `json:"translations,omitempty"` // by language and key
	// as last seen there, in their order
	Images  []picture `json:"images,omitempty"`
	Next    []picture `json:"next,omitempty"`    // as they are being written
	Writing bool      `json:"writing,omitempty"` // Next counts
	// pictures that the shop does not take
	Refused []refusedPicture `json:"refused,omitempty"`
	// what options and values were called after the last write of them
	Choices []axes.Known `json:"choices,omitempty"`
	// the variants carry no mark: there are too many
	Unmarked bool `json:"unmarked,omitempty"`
}

// refusal is why the shop does not take the picture with this mark, "" when it does.
func (s *productStamp) refusal(mark string) string {
	for _, r := range s.Refused {
		if r.Mark == mark {
			return r.Why
		}
	}
	return ""
}

// longestWhy bounds what is kept of the shop's words on a picture, in characters.
const longestWhy = 200

func (s *productStamp) refuse(mark, why string) {
	if s.refusal(mark) == "" {
		s.Refused = append(s.Refused, refusedPicture{mark, cut(cmp.Or(why, "the shop refuses it"), longestWhy)})
	}
}

// digest is what the caller remembers of a stamp that the shop confirmed. It does not depend on how
// the shop formats JSON.
func (s productStamp) digest() string { return stamp.Digest(stamp.Encode(s), 8) }
