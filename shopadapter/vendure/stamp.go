package vendure

import (
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// stampVersion counts the rules by which the hashes of a stamp are made.
const stampVersion = 1

// A productStamp is what the adapter remembers of a product inside the shop. It travels in the same
// call as the texts that it speaks of.
type productStamp struct {
	stamp.Owner
	Text map[string]textStamp `json:"text,omitempty"` // by language
	// the languages whose names are the title; each other name belongs to the description
	Titles []string `json:"titles,omitempty"`
	// the names of the option groups as the supplier gave them last
	Groups   []string      `json:"groups,omitempty"`
	Images   stamp.Written `json:"images"`             // of the asset ids
	Pictures []string      `json:"pictures,omitempty"` // the asset ids; none in a stamp from before they were kept
	// some picture could not be fetched and is to be tried again
	Missing  bool          `json:"missing,omitempty"`
	Category stamp.Written `json:"category"`          // codes of the facet's values, joined by commas
	Details  stamp.Details `json:"details,omitempty"` // of the brand, the codes of the facet's values
}

type textStamp struct {
	Name        stamp.Written `json:"name"`
	Description stamp.Written `json:"description"`
}

func newStamp(id shopadapter.PublicationID) productStamp {
	return productStamp{Owner: stamp.Owner{Head: head(id)}, Text: map[string]textStamp{}}
}

func head(id shopadapter.PublicationID) stamp.Head {
	return stamp.Head{Version: stampVersion, ID: string(id)}
}

// readStamp is the zero stamp where there is none that can be read.
func readStamp(text *string) productStamp {
	if text == nil {
		return productStamp{}
	}
	return stamp.Decode[productStamp](*text, stampVersion)
}

// wrote makes the stamp say that the shop holds these texts in a language.
func (s productStamp) wrote(language, name, description string) {
	s.Text[language] = textStamp{
		stamp.Written{Hash: stamp.HashText(name)},
		stamp.Written{Hash: stamp.HashText(description)},
	}
}

// unedited reports whether the texts are those that the adapter wrote.
func (s productStamp) unedited(texts []translation) bool {
	return !slices.ContainsFunc(texts, func(t translation) bool {
		own := s.Text[t.LanguageCode]
		return !own.Name.IsOwn(stamp.HashText(t.Name), false) ||
			!own.Description.IsOwn(stamp.HashText(t.Description), false)
	})
}
