package store

import (
	"slices"

	bolt "go.etcd.io/bbolt"
)

// An Attempt is what is about to be sent to the shop.
type Attempt struct {
	ID     string
	Fields uint16            // the field groups sent
	Order  []string          // the variants' ids; where two want the same SKU, the first has it
	SKUs   map[string]string // variant id -> SKU wanted
	Apply  func(*Record)     // nil, or what else to note beforehand
}

// Begin notes, before anything is sent to the shop, that the field groups are being attempted: whatever becomes of the call, they count as
// unsettled until a settlement has none left, and the attempt is open until one says that it is not. It claims the SKUs in the same transaction and
// returns what each variant got: the one it wants, or that with a suffix where another variant has it.
func (s *Store) Begin(a Attempt) (assigned map[string]string, err error) {
	err = s.write(func(tx *bolt.Tx) error {
		old, known, err := getRecord(tx, a.ID)
		if err != nil {
			return err
		}
		r := old
		assigned = assignSKUs(heldIn(tx), a.ID, a.Order, a.SKUs, len(old.Variants)+len(old.Claims) == 0)
		by := owners(a.ID)
		for _, variant := range a.Order {
			if err := claimSKU(tx, assigned[variant], by(variant)); err != nil {
				return err
			}
			r.noteClaim(Claim{Variant: variant, SKU: assigned[variant]})
		}
		r.Attempted |= a.Fields
		r.Open = true
		if a.Apply != nil {
			a.Apply(&r)
		}
		r.ID = a.ID
		return s.putRecord(tx, old, r, known)
	})
	return assigned, err
}

// noteClaim remembers a claim that the written variants do not show yet.
func (r *Record) noteClaim(c Claim) {
	shown := slices.ContainsFunc(r.Variants, func(v Variant) bool { return v.ID == c.Variant && v.SKU == c.SKU })
	if c.SKU != "" && !shown && !slices.Contains(r.Claims, c) {
		r.Claims = append(r.Claims, c)
	}
}
