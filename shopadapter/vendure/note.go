package vendure

import (
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// noteVersion changes with the rules of the note's hashes.
const noteVersion = 1

// A note is what the adapter stores in a product, in the same request as the texts.
type note struct {
	kit.Note
	Text map[string]kit.Text `json:"text,omitempty"` // by language
	// languages whose names are the title; other names belong to the description
	Titles []string `json:"titles,omitempty"`
	// the supplier's last names of the option groups
	Groups   []string    `json:"groups,omitempty"`
	Images   kit.Written `json:"images"`   // of the asset ids
	Category kit.Written `json:"category"` // value codes, joined by commas
	Brand    kit.Written `json:"brand"`
}

func newNote(id shopadapter.PublicationID) note {
	return note{Note: kit.Note{Version: noteVersion, ID: string(id)}, Text: map[string]kit.Text{}}
}

func (n note) complete() bool { return n.Product != "" }

func (n note) unedited(texts []translation) bool {
	return !slices.ContainsFunc(texts, func(t translation) bool { return !n.Text[t.LanguageCode].Holds(t.texts()) })
}
