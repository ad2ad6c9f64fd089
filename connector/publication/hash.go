package publication

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"

	"github.com/pubsync/pubsync/shopadapter"
)

// figures are the groups that are compared by their numbers, which the record holds for each
// variant. All others are compared by one hash a group.
const figures = shopadapter.FieldPrice | shopadapter.FieldStock

// hashesOf is the hash of each group of a product but its figures, whether it is known or not. A
// variant that is added or removed changes the group variants and no other.
func hashesOf(p shopadapter.Product) map[shopadapter.Fields]uint64 {
	titles, descriptions := map[string]string{}, map[string]string{}
	for lang, t := range p.Translations {
		titles[lang], descriptions[lang] = t.Title, t.Description
	}
	var variants, details [][]any
	for _, v := range p.Variants {
		variants = append(variants, []any{v.ID, v.Title, v.SKU, v.EAN, v.Options})
		if len(v.Details.List()) > 0 {
			details = append(details, []any{v.ID, p.Units, v.Details})
		}
	}
	return map[shopadapter.Fields]uint64{
		shopadapter.FieldTitle:       hashOf(p.Language, p.Title, titles),
		shopadapter.FieldDescription: hashOf(p.Language, p.Description, descriptions),
		shopadapter.FieldImages:      hashOf(p.Images),
		shopadapter.FieldCategory:    hashOf(p.Category),
		shopadapter.FieldVariants:    hashOf(p.Options, variants),
		shopadapter.FieldShipping:    hashOf(p.Returns, p.Shipping),
		shopadapter.FieldBrand:       hashOf(p.Brand),
		shopadapter.FieldDetails:     hashOf(details),
	}
}

// contentOf is one hash of all that is wanted, figures too, which shows whether what was refused has
// changed. It is never 0.
func contentOf(rows []Row, sums map[shopadapter.Fields]uint64) uint64 {
	list := []any{sums}
	for _, row := range rows {
		w := row.Written
		list = append(list, []any{row.ID, w.Price, w.Cost, w.MSRP, w.Quantity, w.Backorders})
	}
	return max(hashOf(list...), 1)
}

// hashOf is a hash of values. Equal ones have equal hashes.
func hashOf(values ...any) uint64 {
	sum := sha256.Sum256([]byte(text(values)))
	return binary.BigEndian.Uint64(sum[:])
}

// text is a value as text. Equal values have equal texts.
func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot be: decimals, numbers and strings have a text
	}
	return string(data)
}
