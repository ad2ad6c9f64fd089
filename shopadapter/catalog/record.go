package catalog

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/amount"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

const (
	productsFolder = "products"
	slugLength     = 40
)

var unnamed = regexp.MustCompile(`[^a-z0-9]+`)

// fileName is the name, without extension, of a publication's files: a slug for people and a hash
// that tells all ids apart, also on a disk that folds case. It is lower-case ASCII of at most 70
// bytes, so an address needs no escaping.
func fileName(id shopadapter.PublicationID) string {
	slug := unnamed.ReplaceAllString(strings.ToLower(string(id[:min(len(id), 4*slugLength)])), "-")
	slug = strings.Trim(slug, "-")
	slug = strings.Trim(slug[:min(len(slug), slugLength)], "-")
	return cmp.Or(slug, "product") + "-" + digest(string(id), 17)
}

// anchor is the shop's id of a variant: the fragment under which the product's page shows it.
func anchor(variant string) string { return "v-" + digest(variant, 10) }

// digest is the first bytes of the SHA-256 of s, five bits a letter.
func digest(s string, bytes int) string {
	sum := sha256.Sum256([]byte(s))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:bytes]))[:bytes*8/5]
}

func recordPath(name string) string { return productsFolder + "/" + name + ".json" }

func pagePath(name string) string { return productsFolder + "/" + name + ".html" }

// A record is a product's JSON file: the product under the keys of the http shop protocol, and the
// stamp.
type record struct {
	shopadapter.Product
	Stamp  *stamp `json:"pubsync"`
	onSale bool   // its page is there
}

// A stamp proves that pubsync made the record, and tells the merchant's words from the supplier's.
type stamp struct {
	Format      int                       `json:"format"` // recordFormat
	Publication shopadapter.PublicationID `json:"publication"`
	Created     string                    `json:"created"` // createdLayout, UTC: the index is in this order
	Written     map[string]kit.Written    `json:"written"` // by the name of the text group
}

const (
	recordFormat  = 1
	createdLayout = "2006-01-02T15:04:05.000000000Z"
)

// read reads the record in the file with a name. The error is fs.ErrNotExist where there is none,
// errForeign for a file without the stamp of the publication that has this name, errBroken for one that somebody
// broke, and one of the disk else.
func (c *catalog) read(name string) (*record, error) {
	data, err := c.folder.read(recordPath(name))
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // editors on Windows put it there
	r := &record{}
	err = json.Unmarshal(data, r)
	_, typed := errors.AsType[*json.UnmarshalTypeError](err) // which does not make it ours
	switch ours := r.Stamp != nil && r.Stamp.Format > 0 && fileName(r.Stamp.Publication) == name; {
	case (err == nil || typed) && !ours:
		err = errForeign
	case err == nil && r.Stamp.Format > recordFormat:
		err = fmt.Errorf("%w: a newer release of pubsync wrote it", errBroken)
	case err != nil:
		err = fmt.Errorf("%w: %w", errBroken, err)
	default:
		r.onSale = c.folder.has(pagePath(name))
		return r, nil
	}
	return nil, c.folder.wrong(recordPath(name), err)
}

// encode is the file's content: indented, for it is made to be read and edited, and with < and & as
// they are.
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

// shown is p without what no page shows: other languages, details and shipping, what the supplier asks
// of the retailer, and the marketplace's date, for which alone nothing is written.
func shown(p shopadapter.Product) shopadapter.Product {
	p.Category = shopadapter.Category{Path: p.Category.Path, Name: p.Category.Trail(" › ")}
	p.Translations, p.UpdatedAt, p.Shipping, p.Returns = nil, "", nil, ""
	p.Variants = slices.Clone(p.Variants)
	for i := range p.Variants {
		p.Variants[i].Cost, p.Variants[i].Details = "", shopadapter.Details{}
	}
	return p
}

// textsOf are the groups that a merchant may edit, each with the text that its hash is of.
func textsOf(r *record) map[shopadapter.Fields]string {
	return map[shopadapter.Fields]string{
		shopadapter.FieldTitle: r.Title, shopadapter.FieldDescription: r.Description, shopadapter.FieldBrand: r.Brand,
		shopadapter.FieldImages:   strings.Join(r.Images, "\n"),
		shopadapter.FieldCategory: r.Category.Path + "\n" + r.Category.Name,
	}
}

// hash is that of a text. Absent and empty are the same: an editor may turn one into the other.
func hash(text string) kit.Hash {
	if strings.TrimSpace(text) == "" {
		return kit.Hash{}
	}
	return kit.HashText(text)
}

// merge is the record that publishing p over old leads to, and the text groups in changed that stay
// as the merchant edited them. Without old, or when old is not on sale, it holds all of p; else
// only the groups in changed and in ref.Reset are taken from p. p is the record's from then on.
func merge(
	ref shopadapter.Ref, old *record, p shopadapter.Product, changed shopadapter.Fields, now time.Time,
) (next *record, kept shopadapter.Fields) {
	m := kit.NewMerge(ref, changed)
	if m.Own = old == nil; m.Own {
		old = &record{Stamp: &stamp{Created: now.UTC().Format(createdLayout)}}
	}
	if !old.onSale {
		m.Changed = shopadapter.AllFields // it may have missed changes
	}
	m.Changed &^= p.Unknown
	next = &record{Product: p, Stamp: &stamp{
		Format: recordFormat, Publication: ref.Publication, Created: old.Stamp.Created,
		Written: map[string]kit.Written{},
	}}
	stays := shopadapter.NoFields
	held := textsOf(old)
	for group, text := range textsOf(next) {
		last := old.Stamp.Written[group.String()]
		if m.Decide(group, hash(held[group]), hash(text), &last); m.Keeps(group) {
			stays |= group
		}
		next.Stamp.Written[group.String()] = last
	}
	next.Product = p.With(shopadapter.AllFields&^m.Changed|stays, old.Product)
	next.ID = ref.Publication
	next.Variants = slices.DeleteFunc(next.Variants, func(v shopadapter.Variant) bool { return refusal(v) != "" })
	return next, m.Kept()
}

// refusal says why a variant cannot be sold as it is, "" when it can.
func refusal(v shopadapter.Variant) string {
	if price, ok := amount.Parse(v.Price); ok && price.IsPositive() {
		return ""
	}
	return "the price is not a decimal number above zero"
}
