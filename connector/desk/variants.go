package desk

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Variants is what is known of the list of product variants, the second source of change.
type Variants struct {
	Mode     publication.VariantMode    `json:"mode"` // "": no sweep has been made
	Followed bool                       `json:"followed"`
	Found    publication.VariantFinding `json:"found,omitempty"`
	At       time.Time                  `json:"foundAt,omitzero"`
	// where it is not followed because of what was found
	Again   time.Time `json:"askedAgain,omitzero"`
	Message string    `json:"message,omitempty"`
}

// variantsOf is what the store tells of the list of product variants.
func variantsOf(ctx context.Context, s store.Store) (Variants, error) {
	var v publication.VariantSource
	if _, err := store.MetaJSON(ctx, s, publication.MetaVariants, &v); err != nil {
		return Variants{}, err
	}
	return Variants{Found: v.Found, At: v.At.Time(), Message: v.Message}.In(v.Mode), nil
}

// In returns what is known if the list is followed in a mode.
func (v Variants) In(mode publication.VariantMode) Variants {
	again := publication.VariantSource{Found: v.Found, At: store.At(v.At)}.Again()
	v.Mode, v.Again = mode, time.Time{}
	switch mode {
	case publication.VariantsOn:
		v.Followed = again.IsZero()
	case publication.VariantsAuto:
		v.Followed, v.Again = again.IsZero(), again
	default:
	}
	return v
}
