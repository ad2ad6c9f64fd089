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
	Order  []string           // the variants' ids; where two want the same SKU, the first has it
	SKUs   map[string]string  // variant id -> SKU wanted
	Apply  func(*Record)      // nil, or what else to note beforehand
}

// Keys is every SKU that Assign may give to a variant, by [SKUKey].
func (a Attempt) Keys() []string { return candidates(a.ID, a.Order, a.SKUs) }

// Assign is the SKU that each variant gets, where held says who holds those of Keys.
func (a Attempt) Assign(held map[string]Owner) map[string]string {
	return assignSKUs(held, a.ID, a.Order, a.SKUs)
}

// PreviewSKUs is the SKUs that Begin would give to the variants of an attempt now.
func PreviewSKUs(ctx context.Context, s Reader, a Attempt) (assigned map[string]string, err error) {
	held, err := s.Holders(ctx, a.Keys()...)
	if err != nil {
		return nil, err
	}
	return a.Assign(held), nil
}

// NoteClaim remembers a claim that the written variants do not show yet.
func (r *Record) NoteClaim(c Claim) {
	shown := slices.ContainsFunc(r.Variants, func(v Variant) bool { return v.ID == c.Variant && v.SKU == c.SKU })
	if c.SKU != "" && !shown && !slices.Contains(r.Claims, c) {
		r.Claims = append(r.Claims, c)
	}
}
