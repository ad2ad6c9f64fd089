package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A record is a product's JSON file: the product under the keys of the http shop protocol, and the
// stamp.
type record struct {
	shopadapter.Product
	Stamp *stamp `json:"pubsync"`
}

// A stamp proves that pubsync made the record, and tells the merchant's words from the supplier's.
type stamp struct {
	Format      int                       `json:"format"` // recordFormat
	Publication shopadapter.PublicationID `json:"publication"`
	OnSale      bool                      `json:"onSale"`
	Created     string                    `json:"created"`           // createdLayout, UTC: the index is in this order
	Written     map[string]kit.Written    `json:"written"`           // by the name of the text group
	Brand       kit.Values                `json:"brand,omitempty"`   // as last written
	Details     map[string]kit.Values     `json:"details,omitempty"` // as last written, by the variant's id
	Units       units                     `json:"units,omitzero"`    // of the variants' details
}

type units struct {
	Weight string `json:"weight"`
	Length string `json:"length"`
}

const (
	recordFormat  = 1
	createdLayout = "2006-01-02T15:04:05.000000000Z"
)

var errForeign = errors.New("not made by pubsync for this publication")

// read reads the record in the file with a name. The error is fs.ErrNotExist where there is none,
// errForeign for a file without the stamp of the publication that has this name, and one of the
// disk, or of the file, else.
func (c *catalog) read(name string) (*record, error) {
	data, err := c.folder.read(recordPath(name))
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // editors on Windows put it there
	r := &record{}
	err = json.Unmarshal(data, r)
	if _, typed := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !typed {
		return nil, err
	}
	if r.Stamp == nil || r.Stamp.Format < 1 || fileName(r.Stamp.Publication) != name {
		return nil, errForeign // a value of another type in it does not make it ours
	}
	if r.Stamp.Format > recordFormat {
		return nil, errors.New("a newer release of pubsync wrote it")
	}
	return r, err
}

// explainRecord says what is wrong with the file that stands where the publication's record
// belongs.
func (c *catalog) explainRecord(path string, err error) error {
	if errors.Is(err, errForeign) {
		return shopadapter.Block("the file %s in the catalogue folder is in the way and was not made by pubsync: "+
			"move it elsewhere", path)
	}
	if _, disk := errors.AsType[*fs.PathError](err); disk {
		return c.explain("read "+path, err)
	}
	return shopadapter.Block("the file %s in the catalogue folder cannot be read: mend it, or remove it "+
		"together with its page (%w)", path, err)
}

// encode is the file's content: indented, for it is made to be read and edited, and with < and & as
// they are.
func (r *record) encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	return b.Bytes(), nil
}

// asReadBack is a copy of p as it will be read back: JSON cannot hold bytes that are not UTF-8, and
// what it makes of them must not look like an edit. The category has the name that a visitor reads.
func asReadBack(p shopadapter.Product) (shopadapter.Product, error) {
	p.Category = shopadapter.Category{Path: p.Category.Path, Name: p.Category.Trail(" › ")}
	data, err := json.Marshal(p)
	if err != nil {
		return p, fmt.Errorf("encode product: %w", err)
	}
	again := shopadapter.Product{Units: p.Units, Unknown: p.Unknown} // no part of the JSON
	if err := json.Unmarshal(data, &again); err != nil {
		return p, fmt.Errorf("decode product: %w", err)
	}
	return again, nil
}

// textGroups are the groups that a merchant may edit as a whole; for brand and details see merge.go.
var textGroups = [...]shopadapter.Fields{
	shopadapter.FieldTitle, shopadapter.FieldDescription, shopadapter.FieldImages, shopadapter.FieldCategory,
}

// textHash is the hash of one text group of p. Absent and empty are the same: an editor may turn
// one into the other.
func textHash(p *shopadapter.Product, group shopadapter.Fields) kit.Hash {
	var value any
	switch group {
	case shopadapter.FieldTitle:
		value = p.Title
	case shopadapter.FieldDescription:
		value = []any{p.Description, len(p.Translations), p.Translations}
		if len(p.Translations) == 0 {
			value = []any{p.Description}
		}
	case shopadapter.FieldImages:
		value = append([]string{}, p.Images...)
	case shopadapter.FieldCategory:
		value = []string{p.Category.Path, p.Category.Name}
	}
	data, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings in slices and maps always encode
	}
	return kit.HashText(string(data))
}

func timestamp(t time.Time) string { return t.UTC().Format(createdLayout) }
