package memory

import (
	"context"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// Load copies what another store holds of a publication, with the generation of its mark and the
// sequence of its report. It claims no SKUs, see Hold.
func (s *Store) Load(ctx context.Context, e store.Entry) error {
	return s.write(ctx, func(tx *transaction) error {
		id := e.Record.ID
		if e.Known {
			_, known, err := tx.record(id)
			if err != nil {
				return err
			}
			if err := tx.putRecord(e.Record, known); err != nil {
				return err
			}
		} else if e.Record.ReportedAt != 0 || len(e.Record.Claims) > 0 {
			data, err := value.Encode(id, e.Record)
			if err != nil {
				return err
			}
			set(tx, tx.left, id, data, true)
		}
		if e.Mark != nil {
			tx.gen = max(tx.gen, e.Mark.Gen)
			tx.setMark(*e.Mark)
		}
		if e.Owed != nil {
			tx.seq = max(tx.seq, e.Owed.Seq)
			tx.setReport(*e.Owed)
		}
		return nil
	})
}

// Hold copies claims of SKUs, by [store.SKUKey]. It leaves a SKU that is held already as it is.
func (s *Store) Hold(ctx context.Context, claims map[string]store.Owner) error {
	return s.write(ctx, func(tx *transaction) error {
		for key, by := range claims {
			if _, held := tx.claims[key]; !held {
				set(tx, tx.claims, key, by, true)
			}
		}
		return nil
	})
}
