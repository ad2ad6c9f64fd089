package listener

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/pubsync/pubsync/connector/publication"
)

// pointers are the identifiers that a body points at.
type pointers struct {
	publications, products, listings []string
	updatedAt                        string // of the publication, "" where it has none
	unread                           string // why it points at nothing, "" where it is readable
}

func (p pointers) none() bool { return len(p.publications)+len(p.products)+len(p.listings) == 0 }

type object struct {
	ID json.RawMessage `json:"id"`
}

type within struct {
	Product object `json:"product"`
}

// A payload is all that is read of a body.
type payload struct {
	Data struct {
		Publication struct {
			object
			UpdatedAt json.RawMessage `json:"updatedAt"`
			Listing   within          `json:"listing"`
		} `json:"publication"`
		Product        object `json:"product"`
		Listing        object `json:"listing"`
		ProductVariant within `json:"productVariant"`
	} `json:"data"`
}

// pointsAt reads identifiers, and nothing else, from a body. It points at nothing where it is no
// object with an object named data. A part of another shape points at nothing; the others count.
func pointsAt(body []byte) pointers {
	var p payload
	err := json.Unmarshal(body, &p)
	if odd, ok := errors.AsType[*json.UnmarshalTypeError](err); err != nil &&
		(!ok || odd.Field == "" || odd.Field == "data") {
		return pointers{unread: "unreadable"}
	}
	d := &p.Data
	return pointers{
		updatedAt:    text(d.Publication.UpdatedAt, publication.MaxUpdatedAt),
		publications: known(d.Publication.ID), listings: known(d.Listing.ID),
		products: known(d.Product.ID, d.Publication.Listing.Product.ID, d.ProductVariant.Product.ID),
	}
}

func known(values ...json.RawMessage) (ids []string) {
	for _, value := range values {
		if id := text(value, publication.MaxIdent); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// text is a string, or a number as it is written: marketplaces write ids in both ways. Any other
// value, and one of more than most bytes, is "".
func text(value json.RawMessage, most int) (s string) {
	switch {
	case len(value) == 0 || len(value) > 6*most+2: // more bytes than it has where each is escaped
	case value[0] == '"':
		_ = json.Unmarshal(value, &s) //nolint:errcheck // it was a part of a document
	case value[0] == '-' || value[0] >= '0' && value[0] <= '9':
		s = string(value)
	}
	if len(s) > most {
		return ""
	}
	return s
}
