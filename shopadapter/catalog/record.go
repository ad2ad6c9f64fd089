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
	Stamp *stamp `json:"pubsync"`
}

// A stamp proves that pubsync made the record, and tells the merchant's words from the supplier's.
type stamp struct {
	Format      int                       `json:"format"` // recordFormat
	Publication shopadapter.PublicationID `json:"publication"`
	OnSale      bool                      `json:"onSale"`
	Created     string                    `json:"created"` // createdLayout, UTC: the index is in this order
	Written     map[string]kit.Written    `json:"written"` // by the name of the text group
}

const (
	recordFormat  = 1
	createdLayout = "2006-01-02T15:04:05.000000000Z"
)

var (
	errForeign = errors.New("not made by pubsync for this publication")
	errBroken  = errors.New("no record")
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
	if err != nil {
		err = fmt.Errorf("%w: %w", errBroken, err)
	}
	if _, typed := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !typed {
		return nil, err
	}
	if r.Stamp == nil || r.Stamp.Format < 1 || fileName(r.Stamp.Publication) != name {
		return nil, errForeign // a value of another type in it does not make it ours
	}
	if r.Stamp.Format > recordFormat {
		return nil, fmt.Errorf("%w: a newer release of pubsync wrote it", errBroken)
	}
	return r, err
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

// asReadBack is a copy of p as it will be read back: JSON cannot hold bytes that are not UTF-8, and
// what it makes of them must not look like an edit. It leaves out what no page shows: other languages,
// details and shipping, what the supplier asks of the retailer, and the marketplace's date, for which
// alone nothing is written.
func asReadBack(p shopadapter.Product) (shopadapter.Product, error) {
	p.Category = shopadapter.Category{Path: p.Category.Path, Name: p.Category.Trail(" › ")}
	p.Translations, p.UpdatedAt, p.Shipping, p.Returns = nil, "", nil, ""
	data, err := json.Marshal(p)
	if err != nil {
		return p, fmt.Errorf("encode product: %w", err)
	}
	again := shopadapter.Product{Unknown: p.Unknown} // no part of the JSON
	if err := json.Unmarshal(data, &again); err != nil {
		return p, fmt.Errorf("decode product: %w", err)
	}
	for i := range again.Variants {
		again.Variants[i].Cost, again.Variants[i].Details = "", shopadapter.Details{}
	}
	return again, nil
}

// texts are the groups that a merchant may edit: each with the text that its hash is of, and how it
// is taken from another product.
var texts = []struct {
	group shopadapter.Fields
	of    func(*shopadapter.Product) string
	take  func(to, from *shopadapter.Product)
}{
	{
		shopadapter.FieldTitle, func(p *shopadapter.Product) string { return p.Title },
		func(to, from *shopadapter.Product) { to.Title = from.Title },
	}, {
		shopadapter.FieldDescription, func(p *shopadapter.Product) string { return p.Description },
		func(to, from *shopadapter.Product) { to.Description = from.Description },
	}, {
		shopadapter.FieldImages, func(p *shopadapter.Product) string { return strings.Join(p.Images, "\n") },
		func(to, from *shopadapter.Product) { to.Images = from.Images },
	}, {
		shopadapter.FieldCategory, func(p *shopadapter.Product) string { return p.Category.Path + "\n" + p.Category.Name },
		func(to, from *shopadapter.Product) { to.Category = from.Category },
	}, {
		shopadapter.FieldBrand, func(p *shopadapter.Product) string { return p.Brand },
		func(to, from *shopadapter.Product) { to.Brand = from.Brand },
	},
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
	if !old.Stamp.OnSale {
		m.Changed = shopadapter.AllFields // it may have missed changes
	}
	m.Changed &^= p.Unknown
	next = &record{Product: p, Stamp: &stamp{
		Format: recordFormat, Publication: ref.Publication, OnSale: true, Created: old.Stamp.Created,
		Written: map[string]kit.Written{},
	}}
	next.ID, next.Variants = ref.Publication, nil
	for _, t := range texts {
		last := old.Stamp.Written[t.group.String()]
		m.Decide(t.group, hash(t.of(&old.Product)), hash(t.of(&p)), &last)
		if !m.Changed.Has(t.group) || m.Keeps(t.group) {
			t.take(&next.Product, &old.Product)
		}
		next.Stamp.Written[t.group.String()] = last
	}
	if !m.Changed.Has(shopadapter.FieldVariants) {
		next.Options = old.Options
	}
	for _, v := range p.Variants {
		if refusal(v) != "" {
			continue
		}
		i := slices.IndexFunc(old.Variants, func(was shopadapter.Variant) bool { return was.ID == v.ID })
		if i >= 0 {
			v = mergeVariant(old.Variants[i], v, m.Changed)
		}
		next.Variants = append(next.Variants, v)
	}
	return next, m.Kept()
}

// mergeVariant is given with the groups of was that are not to change.
func mergeVariant(was, given shopadapter.Variant, changed shopadapter.Fields) shopadapter.Variant {
	if !changed.Has(shopadapter.FieldVariants) {
		given.Title, given.SKU, given.EAN, given.Options = was.Title, was.SKU, was.EAN, was.Options
	}
	if !changed.Has(shopadapter.FieldPrice) {
		given.Price, given.MSRP = was.Price, was.MSRP
	}
	if !changed.Has(shopadapter.FieldStock) {
		given.Quantity, given.Backorders = was.Quantity, was.Backorders
	}
	return given
}

// refusal says why a variant cannot be sold as it is, "" when it can.
func refusal(v shopadapter.Variant) string {
	if price, ok := amount.Parse(v.Price); ok && price.IsPositive() {
		return ""
	}
	return "the price is not a decimal number above zero"
}
