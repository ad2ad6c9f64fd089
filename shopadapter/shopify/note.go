package shopify

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// noteVersion counts the rules by which the hashes of a note are made.
const noteVersion = 1

// A note is what the adapter remembers of a product inside the shop. The product was complete once
// where kit.Note.Product is set; until then it is written whole.
type note struct {
	kit.Note
	Title kit.Written `json:"title"`
	// the languages whose titles are those of the title group, the product's own or its
	// translations; each other title belongs to the description
	Titles       []string               `json:"titles,omitempty"`
	Description  kit.Written            `json:"description"`
	Category     kit.Written            `json:"category"`
	Brand        kit.Values             `json:"brand,omitempty"`
	Tags         []string               `json:"tags,omitempty"`         // that the adapter added
	Details      map[string]kit.Values  `json:"details,omitempty"`      // by detailKey
	Translations map[string]kit.Written `json:"translations,omitempty"` // by language and key
	Images       []picture              `json:"images,omitempty"`       // as last seen there, in their order
	Next         []picture              `json:"next,omitempty"`         // as they are being written
	Writing      bool                   `json:"writing,omitempty"`      // Next counts
	Refused      map[string]string      `json:"refused,omitempty"`      // by mark: why the shop does not take it
	// what options and values were called after the last write of them
	Choices []kit.Known `json:"choices,omitempty"`
}

// note is the product's, zero for none.
func (p *product) note() (n note) {
	if p == nil || p.Note == nil {
		return n
	}
	return kit.ReadNote[note](p.Note.Value, noteVersion)
}

// longestWhy bounds what is kept of the shop's words on a picture, in characters.
const longestWhy = 200

// refuse notes that the shop does not take the picture with this mark.
func (n *note) refuse(mark, why string) {
	if n.Refused == nil {
		n.Refused = map[string]string{}
	}
	n.Refused[mark] = cmp.Or(n.Refused[mark], cut(cmp.Or(why, "the shop refuses it"), longestWhy))
}

// digest is what the caller remembers of a note that the shop confirmed. It does not depend on how
// the shop formats JSON.
func (n note) digest() string { return kit.Digest(kit.Encode(n), 8) }

// writeState is what the caller remembers of a product: the digest of the note that the shop
// confirmed, and whose note it was.
func writeState(n note, id string) []byte { return []byte(n.digest() + " " + number(id)) }

func readState(ref shopadapter.Ref) (digest, id string) {
	digest, id, _ = strings.Cut(string(ref.State), " ")
	return digest, id
}

// titleGroup is the group that the title in a language belongs to. primary is the store's own
// language.
func (n note) titleGroup(language, primary string) shopadapter.Fields {
	if slices.Contains(n.Titles, language) || len(n.Titles) == 0 && language == primary {
		return shopadapter.FieldTitle
	}
	return shopadapter.FieldDescription
}

// compare tells which texts and pictures differ from what the note says. A translation that was not
// written, or that somebody removed, does not count: it is written again. The note goes before the
// translations, so what they are compared with may not have come.
func (p *product) compare(s *shop) (c kit.Comparison) {
	n := p.note()
	if n.Product == "" {
		return c
	}
	c.Compare(n.titleGroup(s.primary, s.primary), kit.HashMarkup(p.Title), n.Title)
	c.Compare(shopadapter.FieldDescription, kit.HashMarkup(p.Description), n.Description)
	c.Compare(shopadapter.FieldCategory, kit.HashMarkup(p.Type), n.Category)
	c.CompareValues(shopadapter.FieldBrand, map[string]string{brandName: s.brand(p.Vendor)}, n.Brand)
	c.Unsure = true
	for locale, texts := range p.Translations {
		for _, t := range texts {
			last, wrote := n.Translations[locale+" "+t.Key]
			if !wrote || t.Value == "" {
				continue
			}
			group := shopadapter.FieldDescription
			if t.Key == keyTitle {
				group = n.titleGroup(locale, s.primary)
			}
			c.Compare(group, kit.HashMarkup(t.Value), last)
		}
	}
	c.Compared |= shopadapter.FieldImages
	if _, foreign := n.settled(p.Media); foreign {
		c.Edited |= shopadapter.FieldImages
	}
	return c
}

// detailKey is the name of a variant in note.Details.
func detailKey(id string) string { return kit.Digest(id, 6) }
