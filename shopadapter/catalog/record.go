package catalog

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/slug"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

const productsFolder = "products"

// fileName is lower-case ASCII, so an address needs no escaping. The hash tells all ids apart, also on a disk that
// folds case.
func fileName(id shopadapter.PublicationID) string {
	return cmp.Or(slug.ASCII(string(id), 40), "product") + "-" + digest(string(id), 17)
}

// anchor is the shop's id of a variant: the fragment of the product's page that shows it.
func anchor(variant string) string { return "v-" + digest(variant, 10) }

func digest(s string, bytes int) string {
	sum := sha256.Sum256([]byte(s))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:bytes*8/5]
}

func recordPath(name string) string { return productsFolder + "/" + name + ".json" }

func pagePath(name string) string { return productsFolder + "/" + name + ".html" }

// A record is a product's JSON file, under the keys of the http shop protocol.
type record struct {
	shopadapter.Product
	Stamp  *stamp `json:"pubsync"`
	onSale bool   // its page is there
}

// A stamp proves that pubsync made the record, and tells the merchant's words from the supplier's.
type stamp struct {
	Publication shopadapter.PublicationID `json:"publication"`
	Created     time.Time                 `json:"created"` // orders the index
	Written     map[string]kit.Written    `json:"written"` // by text group
}

// read returns errForeign for a file that is broken, or has not this name's stamp.
func (c *catalog) read(name string) (*record, error) {
	data, err := os.ReadFile(c.abs(recordPath(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // editors on Windows put it there
	r := &record{}
	err = json.Unmarshal(data, r)
	if err == nil && (r.Stamp == nil || fileName(r.Stamp.Publication) != name) {
		err = errors.New("it does not name the publication")
	}
	if err != nil {
		return nil, c.foreign(recordPath(name), err)
	}
	r.ID = r.Stamp.Publication
	_, missing := os.Stat(c.abs(pagePath(name)))
	r.onSale = missing == nil
	return r, nil
}

// encode is indented and leaves < and & as they are, for people who edit it.
func (r *record) encode() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		panic(err) // texts, numbers and lists can be written
	}
	return b.Bytes()
}

// shown is p without what no page shows, and without the marketplace's date: nothing is written for that alone.
func shown(p shopadapter.Product) shopadapter.Product {
	p.Category = shopadapter.Category{Path: p.Category.Path, Name: p.Category.Trail(" › ")}
	p.Translations, p.UpdatedAt, p.Shipping, p.Returns = nil, "", nil, ""
	p.Variants = slices.Clone(p.Variants)
	for i := range p.Variants {
		p.Variants[i].Cost, p.Variants[i].Details = "", shopadapter.Details{}
	}
	return p
}

// hashes are of the text groups. Absent and empty are alike: an editor may turn one into the other.
func (r *record) hashes() map[shopadapter.Fields]kit.Hash {
	all := map[shopadapter.Fields]kit.Hash{}
	for group, text := range map[shopadapter.Fields]string{
		shopadapter.FieldTitle: r.Title, shopadapter.FieldDescription: r.Description, shopadapter.FieldBrand: r.Brand,
		shopadapter.FieldImages:   strings.Join(r.Images, "\n"),
		shopadapter.FieldCategory: r.Category.Path + "\n" + r.Category.Name,
	} {
		if all[group] = (kit.Hash{}); strings.TrimSpace(text) != "" {
			all[group] = kit.HashText(text)
		}
	}
	return all
}

// merge takes all of p if there is no old or it is off sale, else only the groups in changed and ref.Reset.
func merge(
	ref shopadapter.Ref, old *record, p shopadapter.Product, changed shopadapter.Fields,
) (next *record, kept shopadapter.Fields) {
	m := kit.NewMerge(ref, changed)
	if m.Own = old == nil; m.Own {
		old = &record{Stamp: &stamp{Created: time.Now().UTC()}}
	}
	if !old.onSale {
		m.Changed = shopadapter.AllFields // it may have missed changes
	}
	m.Changed &^= p.Unknown
	next = &record{Product: p, onSale: true, Stamp: &stamp{
		Publication: ref.Publication, Created: old.Stamp.Created, Written: map[string]kit.Written{},
	}}
	held, stays := old.hashes(), shopadapter.NoFields
	for group, want := range next.hashes() {
		last := old.Stamp.Written[group.String()]
		if m.Decide(group, held[group], want, &last); m.Keeps(group) {
			stays |= group
		}
		next.Stamp.Written[group.String()] = last
	}
	next.Product = p.With(shopadapter.AllFields&^m.Changed|stays, old.Product)
	next.ID = ref.Publication
	return next, m.Kept()
}
