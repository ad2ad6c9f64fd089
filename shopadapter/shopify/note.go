package shopify

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// noteVersion changes with the rules of the note's hashes.
const noteVersion = 1

// A note is what the adapter stores in a product. Until kit.Note.Product is set, the product was never complete and
// is written whole.
type note struct {
	kit.Note
	Title kit.Written `json:"title"`
	// languages whose titles belong to the title group; other titles belong to the description
	Titles       []string               `json:"titles,omitempty"`
	Description  kit.Written            `json:"description"`
	Category     kit.Written            `json:"category"`
	Brand        kit.Values             `json:"brand,omitempty"`
	Tags         []string               `json:"tags,omitempty"`         // added by the adapter
	Details      map[string]kit.Values  `json:"details,omitempty"`      // by detailKey
	Translations map[string]kit.Written `json:"translations,omitempty"` // by language and key
	Images       []picture              `json:"images,omitempty"`       // as last seen, in order
	Next         []picture              `json:"next,omitempty"`         // being written
	Writing      bool                   `json:"writing,omitempty"`      // Next counts
	Refused      map[string]string      `json:"refused,omitempty"`      // the reason, by mark
	// names of options and values after their last write
	Choices []kit.Known `json:"choices,omitempty"`
}

func (p *product) note() (n note) {
	if p == nil || p.Note == nil {
		return n
	}
	return kit.ReadNote[note](p.Note.Value, noteVersion)
}

func (n *note) refuse(mark, why string) {
	if n.Refused == nil {
		n.Refused = map[string]string{}
	}
	const longestWhy = 200 // characters
	n.Refused[mark] = cmp.Or(n.Refused[mark], cut(cmp.Or(why, "the shop refuses it"), longestWhy))
}

// digest does not depend on how the shop formats JSON.
func (n note) digest() string { return kit.Digest(kit.Encode(n), 8) }

func writeState(n note, id string) []byte { return []byte(n.digest() + " " + number(id)) }

func readState(ref shopadapter.Ref) (digest, id string) {
	digest, id, _ = strings.Cut(string(ref.State), " ")
	return digest, id
}

// titleGroup is the group of a language's title; primary is the store's own language.
func (n note) titleGroup(language, primary string) shopadapter.Fields {
	if slices.Contains(n.Titles, language) || len(n.Titles) == 0 && language == primary {
		return shopadapter.FieldTitle
	}
	return shopadapter.FieldDescription
}

// compare finds texts and pictures that differ from the note. Missing translations do not count: they are written
// again. The note precedes the translations, which may not have come.
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

func detailKey(id string) string { return kit.Digest(id, 6) }
