package keyed

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

// Begin records, before anything is sent to the shop, that the field groups are being attempted.
// Whatever becomes of the call, they count as unsettled until a settlement clears them, and the
// attempt is open until one ends it. It claims the SKUs in the same transaction and returns what
// each variant was given.
func (s *Store) Begin(ctx context.Context, a store.Attempt) (assigned map[string]string, err error) {
	declared := append(writtenKeys(a.ID), skuKeys(a.Keys)...)
	err = s.Update(ctx, declared, func(tx *Tx) error {
		old, known, err := getRecord(tx, a.ID)
		if err != nil {
			return err
		}
		held, err := holders(tx, a.Keys)
		if err != nil {
			return err
		}
		r := old
		assigned = a.Assign(held)
		by := store.OwnersOf(a.ID)
		for _, variant := range a.Order {
			claimSKU(tx, assigned[variant], by(variant))
			r.AddClaim(store.Claim{Variant: variant, SKU: assigned[variant]})
		}
		r.Attempted |= a.Fields
		r.Open = true
		if a.Apply != nil {
			a.Apply(&r)
		}
		r.ID = a.ID
		return putRecord(tx, old, r, known)
	})
	return assigned, err
}
