package vendure

import (
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// noteVersion counts the rules by which the hashes of a note are made.
const noteVersion = 1

// A note is what the adapter remembers of a product inside the shop. It travels in the same request
// as the texts that it speaks of.
type note struct {
	kit.Note
	Text map[string]kit.Text `json:"text,omitempty"` // by language
	// the languages whose names are the title; each other name belongs to the description
	Titles []string `json:"titles,omitempty"`
	// the names of the option groups as the supplier gave them last
	Groups   []string    `json:"groups,omitempty"`
	Images   kit.Written `json:"images"`   // of the asset ids
	Category kit.Written `json:"category"` // codes of the facet's values, joined by commas; so the brand
	Brand    kit.Written `json:"brand"`
}

func newNote(id shopadapter.PublicationID) note {
	return note{Note: kit.Note{Version: noteVersion, ID: string(id)}, Text: map[string]kit.Text{}}
}

// complete reports whether the product was ever finished. One that was not is written whole.
func (n note) complete() bool { return n.Product != "" }

// unedited reports whether the texts are those that the adapter wrote.
func (n note) unedited(texts []translation) bool {
	return !slices.ContainsFunc(texts, func(t translation) bool { return !n.Text[t.LanguageCode].Holds(t.texts()) })
}
