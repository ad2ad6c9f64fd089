package medusa

import (
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// noteVersion counts the rules by which the hashes of a note are made.
const noteVersion = 1

// A note is the stamp on a product.
type note struct {
	stamp.Head
	Product string `json:"product,omitempty"` // Medusa's id of the product, from the first complete write on
	textNote
	Images       stamp.Written       `json:"images"`
	Category     stamp.Written       `json:"category"`
	Options      []string            `json:"options,omitempty"` // titles of the options that the adapter made
	Translations map[string]textNote `json:"translations,omitempty"`
	Pending      bool                `json:"pending,omitempty"` // translations are being written, with an outcome not known yet
}

// A textNote is about the product's own texts, or those of one locale.
type textNote struct {
	Title       stamp.Written `json:"title"`
	Description stamp.Written `json:"description"`
}

// complete reports whether the product was ever finished. One that was not is written whole.
func (n note) complete() bool { return n.Product != "" }

// certain forgets what the shop may hold instead of each text.
func (n *note) certain() {
	for _, text := range []*stamp.Written{&n.Title, &n.Description, &n.Images, &n.Category} {
		text.Instead()
	}
	for locale, t := range n.Translations {
		t.Title.Instead()
		t.Description.Instead()
		n.Translations[locale] = t
	}
}

// folded are letters of the marketplace's languages in the form that a handle takes.
var folded = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "à", "a", "â", "a", "á", "a", "ç", "c", "é", "e", "è", "e", "ê", "e", "ë", "e",
	"î", "i", "ï", "i", "í", "i", "ô", "o", "ó", "o", "œ", "oe", "ù", "u", "û", "u", "ú", "u", "ñ", "n", "å", "a", "ø", "o", "æ", "ae")

// maxHandle is how many bytes of a handle come from the title.
const maxHandle = 60

// handle is the last part of a product's address: the words of its title, and a digest of the publication, with which no two products share one.
func handle(title string, publication shopadapter.PublicationID) string {
	return plain(title, maxHandle) + stamp.Digest(string(publication), 5)
}

// plain is a text in lower-case letters, digits and hyphens, with a hyphen at its end; it is "" for a text without any.
func plain(text string, most int) string {
	words := strings.FieldsFunc(folded.Replace(strings.ToLower(text)), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	var b strings.Builder
	for _, word := range words {
		if b.Len()+len(word) > most {
			break
		}
		b.WriteString(word + "-")
	}
	return b.String()
}
