package listener

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/publication"
)

// pointers are the identifiers that a body points at.
type pointers struct {
	publications, products, listings []string
	updatedAt                        string // of the publication, "" where it has none
	readable                         bool
	oversized                        bool // too long to be parsed
}

func (p pointers) none() bool { return len(p.publications)+len(p.products)+len(p.listings) == 0 }

// The texts of a body that are read. Where one is given twice, the last counts.
const (
	idOfPublication = iota
	idOfProduct
	idOfListedProduct
	idOfListing
	idOfVariantProduct
	updatedAtOfPublication
	textsOfBody
)

// A shape says which parts of an object are read.
type shape struct {
	texts map[string]int    // which of the texts a key holds
	keys  map[string]*shape // which keys hold an object that is read
}

// object is a shape whose id is read; -1: it has none.
func object(id int, keys map[string]*shape) *shape {
	if id < 0 {
		return &shape{keys: keys}
	}
	return &shape{texts: map[string]int{"id": id}, keys: keys}
}

var bodyShape = object(-1, map[string]*shape{"data": object(-1, map[string]*shape{
	"publication": {
		texts: map[string]int{"id": idOfPublication, "updatedAt": updatedAtOfPublication},
		keys:  map[string]*shape{"listing": object(-1, map[string]*shape{"product": object(idOfListedProduct, nil)})},
	},
	"product":        object(idOfProduct, nil),
	"listing":        object(idOfListing, nil),
	"productVariant": object(-1, map[string]*shape{"product": object(idOfVariantProduct, nil)}),
})})

// pointsAt reads identifiers, and nothing else, from a body, in one pass and in memory that does not grow with the body. A body that is no JSON, or no
// object with an object named data, points at nothing. The error is the reader's, which is read to its end.
func pointsAt(src io.Reader) (pointers, error) {
	s, _ := scanners.Get().(*scanner) //nolint:errcheck // it holds nothing else
	defer func() {
		*s = scanner{buf: s.buf, scratch: s.scratch[:0]}
		scanners.Put(s)
	}()
	s.src = src
	readable := s.document()
	for s.err == nil {
		s.at, s.end = 0, 0
		s.fill()
	}
	if s.err != io.EOF { //nolint:errorlint // a reader's end is never wrapped
		return pointers{}, s.err
	}
	if !readable {
		return pointers{}, nil
	}
	updatedAt := strings.Join(s.known(updatedAtOfPublication), "")
	if len(updatedAt) > publication.MaxUpdatedAt {
		updatedAt = ""
	}
	return pointers{
		readable: true, updatedAt: updatedAt, publications: s.known(idOfPublication), listings: s.known(idOfListing),
		products: s.known(idOfProduct, idOfListedProduct, idOfVariantProduct),
	}, nil
}

// known is the ids that were read of these, each once.
func (s *scanner) known(which ...int) (ids []string) {
	for _, i := range which {
		id := string(s.texts[i])
		if strings.HasPrefix(id, `"`) {
			id = ""
			_ = json.Unmarshal(s.texts[i], &id) //nolint:errcheck // the scanner has read it
		}
		if id != "" && len(id) <= publication.MaxIdent && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
