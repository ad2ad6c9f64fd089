package publication

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// hashRule is the version of the hashes. A record says which version made its hashes, and they are
// compared by that version, so that an upgrade alone rewrites no shop.
//
// Version 1 had no branch of a category. Version 2 adds a hash of the branch, zero where none is
// known. Version 3 adds hashes of brand and details, zero where there are none: to a record of an
// earlier version, both are new.
const hashRule = 3

const (
	hashSize    = 8
	hashGroups  = 8
	groupsEnd   = hashGroups * hashSize
	branchEnd   = groupsEnd + hashSize
	detailsFrom = branchEnd + hashSize
)

// A fingerprint is a hash of each field group of a product, in the order of the groups, and before
// those of brand and details one of the category's branch. Price and stock are compared by their
// figures, which the record holds for each variant: a variant that is added or removed changes the
// group variants and no other.
type fingerprint [detailsFrom + hashSize]byte

// later are the groups that version 3 added, and where their hashes begin.
var later = []struct {
	group shopadapter.Fields
	at    int
	write func(*hasher, *shopadapter.Product)
}{
	{shopadapter.FieldBrand, branchEnd, hashBrand},
	{shopadapter.FieldDetails, detailsFrom, hashDetails},
}

// usualGroup is how many bytes most groups need. Only the description is longer.
const usualGroup = 1 << 10

func fingerprintOf(p shopadapter.Product) fingerprint {
	var f fingerprint
	h := &hasher{buf: make([]byte, 0, usualGroup+(len(p.Translations)+1)*len(p.Description))}
	for i, write := range [hashGroups]func(*hasher, *shopadapter.Product){
		hashTitle, hashDescription, hashImages, hashCategory, hashVariants, hashPrice, hashStock, hashShipping,
	} {
		h.buf = h.buf[:0]
		write(h, &p)
		sum := h.sum()
		copy(f[i*hashSize:], sum[:])
	}
	if len(p.Category.Branch) > 0 {
		h.buf = h.buf[:0]
		hashBranch(h, p.Category)
		sum := h.sum()
		copy(f[groupsEnd:branchEnd], sum[:])
	}
	for _, one := range later {
		h.buf = h.buf[:0]
		if one.write(h, &p); len(h.buf) > 0 {
			sum := h.sum()
			copy(f[one.at:one.at+hashSize], sum[:])
		}
	}
	return f
}

// at is the hash that begins at a place.
func (f fingerprint) at(place int) [hashSize]byte { return [hashSize]byte(f[place:]) }

// branchKnown reports whether a branch was hashed.
func (f fingerprint) branchKnown() bool { return f.at(groupsEnd) != [hashSize]byte{} }

// keeping is f as it is recorded after r. Unknown groups, and an unknown branch of the same
// category, keep the hashes of r. The hashes of price and stock are zero: they are never compared.
func (f fingerprint) keeping(r store.Record, unknown shopadapter.Fields) []byte {
	const category = 3 * hashSize
	for i := range hashGroups {
		if ruled(r) && unknown.Any(shopadapter.Fields(1<<i)) {
			copy(f[i*hashSize:(i+1)*hashSize], r.Hashes[i*hashSize:])
		}
	}
	if ruled(r) && r.HashRule > 1 && !f.branchKnown() &&
		bytes.Equal(f[category:category+hashSize], r.Hashes[category:category+hashSize]) {
		copy(f[groupsEnd:branchEnd], r.Hashes[groupsEnd:branchEnd])
	}
	for _, one := range later {
		if unknown.Any(one.group) {
			was := laterHash(r, one.at)
			copy(f[one.at:one.at+hashSize], was[:])
		}
	}
	for i := range hashGroups {
		if figures.Any(shopadapter.Fields(1 << i)) {
			clear(f[i*hashSize : (i+1)*hashSize])
		}
	}
	return f[:]
}

// ruled reports whether a record has hashes of a known version.
func ruled(r store.Record) bool {
	switch r.HashRule {
	case 1:
		return len(r.Hashes) == groupsEnd
	case 2:
		return len(r.Hashes) == branchEnd
	case hashRule:
		return len(r.Hashes) == len(fingerprint{})
	default:
		return false
	}
}

// laterHash is a record's hash of a group that version 3 added, zero where it has none.
func laterHash(r store.Record, at int) (hash [hashSize]byte) {
	if ruled(r) && r.HashRule == hashRule {
		copy(hash[:], r.Hashes[at:])
	}
	return hash
}

const figures = shopadapter.FieldPrice | shopadapter.FieldStock

// differing is the groups in which the product differs from what the record says was last written.
func (f fingerprint) differing(p shopadapter.Product, r store.Record) shopadapter.Fields {
	if !ruled(r) {
		return shopadapter.AllFields &^ p.Unknown
	}
	var fields shopadapter.Fields
	// An unknown branch is no change. Nor is a branch where the record has version 1: an upgrade
	// changes nothing in the shop.
	if r.HashRule > 1 && f.branchKnown() && !bytes.Equal(f[groupsEnd:branchEnd], r.Hashes[groupsEnd:branchEnd]) {
		fields = shopadapter.FieldCategory
	}
	for _, one := range later {
		if f.at(one.at) != laterHash(r, one.at) {
			fields |= one.group
		}
	}
	for i := range hashGroups {
		group := shopadapter.Fields(1 << i)
		if !figures.Any(group) && !bytes.Equal(f[i*hashSize:(i+1)*hashSize], r.Hashes[i*hashSize:(i+1)*hashSize]) {
			fields |= group
		}
	}
	return fields&^p.Unknown | differingFigures(p.Variants, r)
}

// differingFigures is FieldPrice and FieldStock, each where figures differ from the last written
// ones.
func differingFigures(variants []shopadapter.Variant, r store.Record) (fields shopadapter.Fields) {
	sent := make(map[string]store.Variant, len(r.Variants))
	for _, v := range r.Variants {
		sent[v.ID] = v
	}
	for _, v := range variants {
		w, ok := sent[v.ID]
		if !ok || w.Price == "" || w.Unpriced {
			continue
		}
		if w.Price != v.Price || w.Cost != v.Cost || w.MSRP != v.MSRP {
			fields |= shopadapter.FieldPrice
		}
		if w.Quantity != v.Quantity || w.Backorders != v.Backorders {
			fields |= shopadapter.FieldStock
		}
	}
	return fields
}

// writtenVariants is the variants whose price the shop accepted, by id. A variant without a price
// now keeps its last one: the brake compares with that when it comes back.
func writtenVariants(r store.Record) map[string]store.Variant {
	written := make(map[string]store.Variant, len(r.Variants))
	for _, v := range r.Variants {
		if v.Price != "" && (v.Refused == "" || v.Unpriced) {
			written[v.ID] = v
		}
	}
	return written
}

// content is one short hash of all, which shows whether a refused product has changed.
func (f fingerprint) content() []byte {
	all := f[:]
	switch {
	case f.at(branchEnd) != [hashSize]byte{} || f.at(detailsFrom) != [hashSize]byte{}:
	case f.branchKnown():
		all = f[:branchEnd] // as in version 2
	default:
		all = f[:groupsEnd] // as in version 1
	}
	sum := sha256.Sum256(all)
	return sum[:hashSize]
}

// A hasher hashes lists of strings, so that no two different lists look alike.
type hasher struct{ buf []byte }

func (h *hasher) add(values ...string) *hasher {
	for _, v := range values {
		h.buf = binary.AppendUvarint(h.buf, uint64(len(v)))
		h.buf = append(h.buf, v...)
	}
	return h
}

func (h *hasher) count(n int) *hasher {
	h.buf = binary.AppendVarint(h.buf, int64(n))
	return h
}

func (h *hasher) flag(b bool) *hasher {
	if b {
		return h.count(1)
	}
	return h.count(0)
}

func (h *hasher) sum() (short [hashSize]byte) {
	sum := sha256.Sum256(h.buf)
	return [hashSize]byte(sum[:])
}

// languagesOf is the product's languages in a fixed order.
func languagesOf(p *shopadapter.Product) []string { return slices.Sorted(maps.Keys(p.Translations)) }

func hashTitle(h *hasher, p *shopadapter.Product) {
	h.add(p.Language, p.Title)
	for _, lang := range languagesOf(p) {
		h.add(lang, p.Translations[lang].Title)
	}
}

func hashDescription(h *hasher, p *shopadapter.Product) {
	h.add(p.Language, p.Description)
	for _, lang := range languagesOf(p) {
		h.add(lang, p.Translations[lang].Description)
	}
}

func hashImages(h *hasher, p *shopadapter.Product) { h.add(p.Images...) }

func hashCategory(h *hasher, p *shopadapter.Product) {
	h.add(p.Category.Path, p.Category.Name)
}

func hashBranch(h *hasher, c shopadapter.Category) {
	for _, level := range c.Branch {
		h.add(level.Path, level.Name)
	}
}

func hashVariants(h *hasher, p *shopadapter.Product) {
	h.count(len(p.Options)).add(p.Options...)
	for _, v := range p.Variants {
		h.add(v.ID, v.Title, v.SKU, v.EAN).count(len(v.Options))
		for _, o := range v.Options {
			h.add(o.Name, o.Value)
		}
	}
}

func hashPrice(h *hasher, p *shopadapter.Product) {
	for _, v := range p.Variants {
		h.add(v.ID, v.Price, v.Cost, v.MSRP)
	}
}

func hashStock(h *hasher, p *shopadapter.Product) {
	for _, v := range p.Variants {
		h.add(v.ID).count(v.Quantity).flag(v.Backorders)
	}
}

func hashShipping(h *hasher, p *shopadapter.Product) {
	h.add(p.Returns)
	for _, s := range p.Shipping {
		h.add(s.CountryGroup, s.FixedCosts, s.VariableCosts, s.EstimatedDays)
	}
	for _, v := range p.Variants {
		if v.Later {
			h.add(v.ID, v.AvailableAt)
		}
	}
}

// hashBrand adds nothing where there is no brand.
func hashBrand(h *hasher, p *shopadapter.Product) {
	if p.Brand != "" {
		h.add(p.Brand)
	}
}

// hashDetails adds nothing where no variant has details.
func hashDetails(h *hasher, p *shopadapter.Product) {
	for _, v := range p.Variants {
		list := v.Details.List()
		if len(list) == 0 {
			continue
		}
		if len(h.buf) == 0 {
			h.add(p.Units.Weight, p.Units.Length)
		}
		h.add(v.ID).count(len(list))
		for _, one := range list {
			h.add(one.Name, one.Value)
		}
		h.count(len(v.Tags)).add(v.Tags...).count(len(v.Materials)).add(v.Materials...)
	}
}
