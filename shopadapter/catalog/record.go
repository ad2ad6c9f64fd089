package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A record is a product's JSON file: the product under the keys of the http shop protocol, and the
// stamp.
type record struct {
	shopadapter.Product
	Stamp *recordStamp `json:"pubsync"`
}

// A recordStamp proves that pubsync made the record, and tells the merchant's words from the
// supplier's.
type recordStamp struct {
	Format      int                      `json:"format"` // recordFormat
	Publication key                      `json:"publication"`
	OnSale      bool                     `json:"onSale"`
	Created     string                   `json:"created"` // createdLayout, UTC: the index is in this order
	Written     map[string]stamp.Written `json:"written"` // by the name of the text group
	// ids of variants that were not accepted, and may be later
	Refused []string            `json:"refused,omitempty"`
	Branch  []shopadapter.Level `json:"branch,omitempty"` // of the category last written
	Brand   stamp.Details       `json:"brand,omitempty"`  // as last written
	// as last written, by the variant's id; null before there were any
	Details map[string]stamp.Details `json:"details"`
	Units   units                    `json:"units,omitzero"`  // of the variants' details
	Later   []string                 `json:"later,omitempty"` // ids of variants whose availableAt lies ahead
}

// units are those of a product, under names of a record's own.
type units struct {
	Weight string `json:"weight"`
	Length string `json:"length"`
}

const (
	recordFormat  = 1
	createdLayout = "2006-01-02T15:04:05.000000000Z"
	recordLimit   = 64 << 20 // bytes; a larger file is none of ours
)

// A key is a publication id in JSON. An id that is not valid UTF-8 would not survive as a string
// and is written as {"base64": "…"}.
type key shopadapter.PublicationID

// MarshalJSON writes the id so that reading it gives the same bytes.
func (k key) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(k)) {
		return json.Marshal(string(k))
	}
	return json.Marshal(map[string][]byte{"base64": []byte(k)})
}

// UnmarshalJSON reads either form.
func (k *key) UnmarshalJSON(data []byte) error {
	var raw struct {
		Base64 []byte `json:"base64"`
	}
	if bytes.HasPrefix(data, []byte{'{'}) {
		err := json.Unmarshal(data, &raw)
		*k = key(raw.Base64)
		return err
	}
	return json.Unmarshal(data, (*string)(k))
}

var (
	errForeign = errors.New("not made by pubsync for this publication")
	errNewer   = errors.New("written by a newer release of pubsync")
)

// decode reads the record of the publication whose file name is name. The error is errForeign for a
// JSON file without its stamp, and errNewer for a format that is not known yet. It is a syntax
// error for a file that is no JSON.
func decode(name string, data []byte) (*record, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // editors on Windows put it there
	r := &record{}
	err := json.Unmarshal(data, r)
	s := r.Stamp
	if err != nil {
		// What is wrong may lie outside the stamp, which still tells whose the file is.
		var mark struct {
			Stamp json.RawMessage `json:"pubsync"`
		}
		if markErr := json.Unmarshal(data, &mark); markErr != nil {
			if _, other := errors.AsType[*json.UnmarshalTypeError](markErr); other {
				return nil, errForeign
			}
			return nil, markErr
		}
		if s = nil; json.Unmarshal(mark.Stamp, &s) != nil {
			return nil, errForeign
		}
	}
	switch {
	case s == nil || s.Format < 1 || fileName(shopadapter.PublicationID(s.Publication)) != name:
		return nil, errForeign
	case s.Format > recordFormat:
		return nil, errNewer
	case err != nil:
		return nil, err
	}
	if s.Written[shopadapter.FieldCategory.String()].Exact == textHash(&r.Product, shopadapter.FieldCategory).Exact {
		r.Category.Branch = s.Branch // that of a category which the merchant chose is not known
	}
	return r, nil
}

// encode is the file's content: indented, for it is made to be read and edited, and with < and & as
// they are. The branch stands in the stamp, so that a merchant who writes another category has no
// second place to change.
func (r *record) encode() ([]byte, error) {
	laid := *r
	if r.Stamp != nil {
		r.Stamp.Branch, laid.Category.Branch = r.Category.Branch, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(laid); err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	return b.Bytes(), nil
}

// asReadBack is a copy of p as it will be read back: JSON cannot hold bytes that are not UTF-8, and
// what it makes of them must not look like an edit. Absent lists become empty ones.
func asReadBack(p shopadapter.Product) (shopadapter.Product, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return p, fmt.Errorf("encode product: %w", err)
	}
	given := p
	p = shopadapter.Product{Units: given.Units, Unknown: given.Unknown} // no part of the JSON
	if err := json.Unmarshal(data, &p); err != nil {
		return p, fmt.Errorf("decode product: %w", err)
	}
	if p.Translations == nil {
		p.Translations = map[string]shopadapter.Translation{}
	}
	p.Options, p.Images = append([]string{}, p.Options...), append([]string{}, p.Images...)
	p.Shipping = append([]shopadapter.Shipping{}, p.Shipping...)
	for i := range p.Variants {
		p.Variants[i].Options = append([]shopadapter.Option{}, p.Variants[i].Options...)
		p.Variants[i].Later = given.Variants[i].Later
	}
	return p, nil
}

// textGroups are the groups that a merchant may edit, each on its own; for brand and
// details see detail.go.
var textGroups = [...]shopadapter.Fields{
	shopadapter.FieldTitle, shopadapter.FieldDescription, shopadapter.FieldImages, shopadapter.FieldCategory,
}

// textHash is the hash of one text group of p. Absent and empty are the same: an editor may turn
// one into the other.
func textHash(p *shopadapter.Product, group shopadapter.Fields) stamp.Hash {
	var value any
	switch group {
	case shopadapter.FieldTitle:
		value = p.Title
	case shopadapter.FieldDescription:
		others := p.Translations
		if others == nil {
			others = map[string]shopadapter.Translation{}
		}
		value = []any{p.Description, others}
	case shopadapter.FieldImages:
		value = append([]string{}, p.Images...)
	case shopadapter.FieldCategory:
		value = shopadapter.Category{Path: p.Category.Path, Name: p.Category.Name}
	}
	data, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings in slices and maps always encode
	}
	return stamp.Hash{Exact: stamp.Digest(string(data), 16)}
}

func timestamp(t time.Time) string { return t.UTC().Format(createdLayout) }
