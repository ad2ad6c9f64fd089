package keyed

import (
	"context"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/store"
)

// Load copies what another store holds of a publication, with the generation of its mark and the
// sequence of its report. It claims no SKUs, see Hold.
func (s *Store) Load(ctx context.Context, e store.Entry) error {
	id := e.Record.ID
	return s.Update(ctx, writtenKeys(id), func(tx *Tx) error {
		switch old, known, err := getRecord(tx, id); {
		case err != nil:
			return err
		case e.Known:
			if err := putRecord(tx, old, e.Record, known); err != nil {
				return err
			}
		case e.Record.ReportedAt != 0 || len(e.Record.Claims) > 0:
			if err := putValue(tx, bucketLeft, id, e.Record); err != nil {
				return err
			}
		}
		if e.Mark != nil {
			if err := reach(tx, bucketMark, e.Mark.Gen); err != nil {
				return err
			}
			if err := setMark(tx, tx.storedMark(*e.Mark)); err != nil {
				return err
			}
		}
		if e.Owed == nil {
			return nil
		}
		if err := reach(tx, bucketOutbox, e.Owed.Seq); err != nil {
			return err
		}
		return putValue(tx, bucketOutbox, id, *e.Owed)
	})
}

// Hold copies claims of SKUs, by [store.SKUKey]. It leaves a SKU that is held already as it is.
func (s *Store) Hold(ctx context.Context, claims map[string]store.Owner) error {
	keys := slices.Collect(maps.Keys(claims))
	return s.Update(ctx, skuKeys(keys), func(tx *Tx) error {
		held, err := holders(tx, keys)
		for _, key := range keys {
			if held[key] == "" {
				tx.Put(Key{bucketSKU, key}, []byte(claims[key]))
			}
		}
		return err
	})
}
