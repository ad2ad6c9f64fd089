package keyed

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

// A Store is a store above a KV. See [store.Store] for its methods.
type Store struct{ KV }

// Get is what the store holds of one publication.
func (s *Store) Get(ctx context.Context, id string) (e store.Entry, err error) {
	e.Record.ID = id
	err = s.View(ctx, func(tx Tx) error {
		var err error
		if e.Record, e.Known, err = getRecord(tx, id); err != nil {
			return err
		}
		if e.Owed, err = getReport(tx, id); err != nil {
			return err
		}
		m, ok, err := getMark(tx, id)
		if e.Mark = nil; ok {
			e.Mark = &m
		}
		return err
	})
	return e, err
}

func getRecord(tx Tx, id string) (store.Record, bool, error) {
	known := true
	data := tx.Get(bucketPublication, id)
	if data == nil {
		known, data = false, tx.Get(bucketLeft, id)
	}
	if data == nil {
		return store.Record{ID: id}, false, nil
	}
	r, err := decodeRecord(id, data)
	return r, known && err == nil, err
}

// putRecord writes a record with its keys and hints, and keeps the tally.
func putRecord(tx Tx, old, r store.Record, known bool) error {
	change := tally{}
	if known {
		change.count(old, -1)
	} else if err := tx.Delete(bucketLeft, r.ID); err != nil {
		return err
	}
	change.count(r, 1)
	if err := putCounts(tx, change); err != nil {
		return err
	}
	if err := moveKeys(tx, old, r, known); err != nil {
		return err
	}
	if err := moveHint(tx, hintProduct, old.Product, r.Product, r.ID); err != nil {
		return err
	}
	if err := moveHint(tx, hintListing, old.Listing, r.Listing, r.ID); err != nil {
		return err
	}
	return putValue(tx, bucketPublication, r.ID, r)
}

// forgetRecord removes every trace of a publication but what is left of its record, and a mark that
// arrived meanwhile.
func forgetRecord(tx Tx, old, left store.Record, known bool) error {
	if err := tx.Delete(bucketOutbox, old.ID); err != nil || !known {
		return err
	}
	change := tally{}
	change.count(old, -1)
	if err := putCounts(tx, change); err != nil {
		return err
	}
	if err := dropKeys(tx, old); err != nil {
		return err
	}
	if err := moveHint(tx, hintProduct, old.Product, "", old.ID); err != nil {
		return err
	}
	if err := moveHint(tx, hintListing, old.Listing, "", old.ID); err != nil {
		return err
	}
	if len(left.Claims) == 0 {
		if _, err := settleClaims(tx, old, store.Record{ID: old.ID, WrittenAt: 1}); err != nil {
			return err
		}
	}
	if left.ReportedAt != 0 || len(left.Claims) > 0 {
		if err := putValue(tx, bucketLeft, left.ID, left); err != nil {
			return err
		}
	}
	return tx.Delete(bucketPublication, old.ID)
}

var (
	_ store.Store    = (*Store)(nil)
	_ store.Portable = (*Store)(nil)
)
