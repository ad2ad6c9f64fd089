package publication

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// figures are the groups that are compared by their numbers, which the record holds for each
// variant. All others are compared by one hash a group.
const figures = shopadapter.FieldPrice | shopadapter.FieldStock

// hashed are the groups with a hash. A variant that is added or removed changes the group variants
// and no other.
var hashed = []struct {
	group shopadapter.Fields
	write func(*hasher, *shopadapter.Product)
}{
	{shopadapter.FieldTitle, func(h *hasher, p *shopadapter.Product) {
		h.add(p.Language, p.Title)
		for _, lang := range slices.Sorted(maps.Keys(p.Translations)) {
			h.add(lang, p.Translations[lang].Title)
		}
	}},
	{shopadapter.FieldDescription, func(h *hasher, p *shopadapter.Product) {
		h.add(p.Language, p.Description)
		for _, lang := range slices.Sorted(maps.Keys(p.Translations)) {
			h.add(lang, p.Translations[lang].Description)
		}
	}},
	{shopadapter.FieldImages, func(h *hasher, p *shopadapter.Product) { h.add(p.Images...) }},
	{shopadapter.FieldCategory, func(h *hasher, p *shopadapter.Product) {
		h.add(p.Category.Path, p.Category.Name)
		for _, level := range p.Category.Branch {
			h.add(level.Path, level.Name)
		}
	}},
	{shopadapter.FieldVariants, func(h *hasher, p *shopadapter.Product) {
		h.count(len(p.Options)).add(p.Options...)
		for _, v := range p.Variants {
			h.add(v.ID, v.Title, v.SKU, v.EAN).count(len(v.Options))
			for _, o := range v.Options {
				h.add(o.Name, o.Value)
			}
		}
	}},
	{shopadapter.FieldShipping, func(h *hasher, p *shopadapter.Product) {
		h.add(p.Returns)
		for _, s := range p.Shipping {
			h.add(s.CountryGroup, s.FixedCosts, s.VariableCosts, s.EstimatedDays)
		}
		for _, v := range p.Variants {
			if v.Later {
				h.add(v.ID, v.AvailableAt)
			}
		}
	}},
	{shopadapter.FieldBrand, func(h *hasher, p *shopadapter.Product) { h.add(p.Brand) }},
	{shopadapter.FieldDetails, func(h *hasher, p *shopadapter.Product) {
		for _, v := range p.Variants {
			list := v.Details.List()
			if len(list) == 0 {
				continue
			}
			h.add(v.ID, p.Units.Weight, p.Units.Length).count(len(list))
			for _, one := range list {
				h.add(one.Name, one.Value)
			}
			h.count(len(v.Tags)).add(v.Tags...).count(len(v.Materials)).add(v.Materials...)
		}
	}},
}

// hashesOf is the hash of each group of a product, whether it is known or not.
func hashesOf(p shopadapter.Product) map[shopadapter.Fields]uint64 {
	sums := make(map[shopadapter.Fields]uint64, len(hashed))
	var h hasher
	for _, one := range hashed {
		h.buf = h.buf[:0]
		one.write(&h, &p)
		sums[one.group] = h.sum()
	}
	return sums
}

// contentOf is one hash of all that is wanted, figures too, which shows whether what was refused has
// changed. It is never 0.
func contentOf(rows []Row, sums map[shopadapter.Fields]uint64) uint64 {
	var h hasher
	for _, one := range hashed {
		h.count(int(sums[one.group]))
	}
	for _, row := range rows {
		w := row.Written
		h.add(row.ID, w.Price, w.Cost, w.MSRP).count(w.Quantity)
		if w.Backorders {
			h.count(1)
		}
	}
	return max(h.sum(), 1)
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

func (h *hasher) sum() uint64 {
	sum := sha256.Sum256(h.buf)
	return binary.BigEndian.Uint64(sum[:])
}
