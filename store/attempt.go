package store

import (
	"context"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// An Attempt is what is about to be sent to the shop.
type Attempt struct {
	ID     string
	Fields shopadapter.Fields // the field groups sent
	Order  []string           // the variants' ids, in the order in which their SKUs are claimed
	Keys   []string           // every SKU that Choose may give, by [SKUKey]
	// Choose is the SKU that each variant is given, by its id, where held says who holds those of
	// Keys. It gives none that another publication holds. nil: no SKU is claimed.
	Choose func(held map[string]Owner) map[string]string
	Apply  func(*Record) // nil, or what else to record beforehand
}

// Assign is the SKU that each variant is given, where held says who holds those of Keys.
func (a Attempt) Assign(held map[string]Owner) map[string]string {
	if a.Choose == nil {
		return nil
	}
	return a.Choose(held)
}

// PreviewSKUs is the SKUs that Begin would give to the variants of an attempt now.
func PreviewSKUs(ctx context.Context, s Reader, a Attempt) (assigned map[string]string, err error) {
	held, err := s.Holders(ctx, a.Keys...)
	if err != nil {
		return nil, err
	}
	return a.Assign(held), nil
}

// AddClaim adds a claim to the record, unless one of its variants has that SKU already.
func (r *Record) AddClaim(c Claim) {
	shown := slices.ContainsFunc(r.Variants, func(v Variant) bool { return v.ID == c.Variant && v.SKU == c.SKU })
	if c.SKU != "" && !shown && !slices.Contains(r.Claims, c) {
		r.Claims = append(r.Claims, c)
	}
}
