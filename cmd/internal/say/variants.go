package say

import (
	"fmt"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/publication"
)

// Variants says in one line whether productVariants is followed, and why.
func Variants(v desk.Variants, now time.Time) string {
	switch v.Mode {
	case publication.VariantsOff:
		return "productVariants is not followed: PUBSYNC_SWEEP_VARIANTS is off"
	case "":
		return "productVariants has not been asked for yet"
	default:
	}
	line := fmt.Sprintf("productVariants is followed (%s)", v.Mode)
	if !v.Followed {
		line = fmt.Sprintf("productVariants is not followed (%s)", v.Mode)
	}
	line += ": " + VariantFinding(v.Found)
	if v.Message != "" {
		line += ": " + v.Message
	}
	if v.Found != "" {
		line += ", found " + Ago(v.At)
	}
	if v.Again.After(now) {
		line += ", asked again " + v.Again.Local().Format(time.DateTime)
	}
	return line
}

// VariantFinding is a finding in words.
func VariantFinding(f publication.VariantFinding) string {
	switch f {
	case publication.VariantsOurs:
		return "it holds your listings"
	case publication.VariantsOthers:
		return "it holds none of your listings"
	case publication.VariantsNone:
		return "it is empty"
	case publication.VariantsRefused:
		return "the token may not read it"
	case publication.VariantsUnoffered:
		return "the marketplace does not offer it"
	case publication.VariantsFailing:
		return "it cannot be read"
	default:
		return "it is not known yet whether it holds your listings"
	}
}
