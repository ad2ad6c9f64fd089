package rest

import "encoding/json"

// Sizes are the fields of a product or a variation for its weight, its size and its EAN. A
// variation without a value of its own shows that of its product.
type Sizes struct {
	Weight     Text       `json:"weight"`
	Dimensions Dimensions `json:"dimensions"`
	EAN        Text       `json:"global_unique_id"`
}

// SizeFields is what is asked for of sizes.
const SizeFields = "weight,dimensions,global_unique_id"

// Dimensions are three decimals in the shop's unit.
type Dimensions struct{ Length, Width, Height Text }

// UnmarshalJSON never fails.
func (d *Dimensions) UnmarshalJSON(data []byte) error {
	var fields map[string]Text
	_ = json.Unmarshal(data, &fields)
	*d = Dimensions{fields["length"], fields["width"], fields["height"]}
	return nil
}

// NoteKey is where a variation holds what was last written of its details.
const NoteKey = "_pubsync_details"

// MetaKeys are all that the adapter reads of metadata.
const MetaKeys = StampKey + "," + NoteKey

// Note is the value of a variation's note, "" without any.
func Note(list List[meta]) string { return valueOf(list, NoteKey) }

func valueOf(list List[meta], key string) string {
	for _, m := range list {
		if m.Key == Text(key) {
			return string(m.Value)
		}
	}
	return ""
}

// The codes with which a shop refuses an EAN that another product has.
const (
	codeEAN      = "product_invalid_global_unique_id"
	codeOlderEAN = "woocommerce_product_invalid_global_unique_id"
)

// RefusesEAN reports whether a code refuses the EAN.
func RefusesEAN(code string) bool { return code == codeEAN || code == codeOlderEAN }
