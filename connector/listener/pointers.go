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

// A text is a string, or a number as it is written: marketplaces write ids in both ways. Any other
// value is "".
type text string

func (t *text) UnmarshalJSON(value []byte) error {
	switch c := value[0]; {
	case len(value) > 6*publication.MaxIdent+2: // more bytes than an id has where each is escaped
	case c == '"':
		return json.Unmarshal(value, (*string)(t))
	case c == '-' || c >= '0' && c <= '9':
		*t = text(value)
	}
	return nil
}

type object struct {
	ID text `json:"id"`
}

type within struct {
	Product object `json:"product"`
}

// A payload is all that is read of a body.
type payload struct {
	Data struct {
		Publication struct {
			object
			UpdatedAt text   `json:"updatedAt"`
			Listing   within `json:"listing"`
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
	at := pointers{
		publications: known(d.Publication.ID), listings: known(d.Listing.ID),
		products: known(d.Product.ID, d.Publication.Listing.Product.ID, d.ProductVariant.Product.ID),
	}
	if len(d.Publication.UpdatedAt) <= publication.MaxUpdatedAt {
		at.updatedAt = string(d.Publication.UpdatedAt)
	}
	return at
}

// known is the ids among values that are not too long, each once.
func known(values ...text) (ids []string) {
	for _, id := range values {
		if id := string(id); id != "" && len(id) <= publication.MaxIdent && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
