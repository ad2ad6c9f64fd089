package store

import (
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

// NoteClaim remembers a claim that the written variants do not show yet.
func (r *Record) NoteClaim(c Claim) {
	shown := slices.ContainsFunc(r.Variants, func(v Variant) bool { return v.ID == c.Variant && v.SKU == c.SKU })
	if c.SKU != "" && !shown && !slices.Contains(r.Claims, c) {
		r.Claims = append(r.Claims, c)
	}
}
