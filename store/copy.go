package store

import (
	"context"
	"errors"
)

var (
	// ErrHalf is the error of [Store.Whole].
	ErrHalf = errors.New("store is a copy that was cut off: remove its file, or its account's rows of pubsync.kv, and " +
		"copy once more")
	// ErrNotEmpty refuses a copy.
	ErrNotEmpty = errors.New("store holds something already")
)

const metaCopying = "copying"

// Whole returns ErrHalf if a copy into the store is unfinished.
func (s Store) Whole(ctx context.Context) error {
	if half, err := s.Meta(ctx, metaCopying); half == "" || err != nil {
		return err
	}
	return ErrHalf
}

// Copy copies a snapshot of a store, to which others may write meanwhile, to an empty one of any engine, and returns
// the number of publications.
func Copy(ctx context.Context, from, to Store) (publications int, err error) {
	if err := to.Update(ctx, nil, func(tx *Tx) error {
		if half := getOr[string](tx, BucketMeta, metaCopying); half != "" {
			return ErrHalf
		}
		for _, b := range Buckets[1:] { // facts are written over
			for range tx.Scan(b, "", "") {
				return ErrNotEmpty
			}
		}
		put(tx, BucketMeta, metaCopying, "begun")
		return nil
	}); err != nil {
		return 0, err
	}
	page := map[Key][]byte{}
	write := func() error {
		delete(page, SchemaKey)
		defer clear(page)
		return to.Update(ctx, nil, func(tx *Tx) error {
			for k, value := range page {
				tx.Put(k, value)
			}
			return nil
		})
	}
	read := false
	if err := from.View(ctx, func(tx *Tx) error {
		if read { // what was written is of another snapshot
			return errors.New("the database has lost the snapshot that is copied: copy again")
		}
		read = true
		for _, b := range Buckets {
			for p := range tx.Scan(b, "", "") {
				if page[Key{b, p.Key}] = p.Value; len(page) < pageSize {
					continue
				}
				if err := write(); err != nil {
					return err
				}
			}
		}
		if err := tx.Err(); err != nil { // a scan ends at an error
			return err
		}
		return write()
	}); err != nil {
		return 0, err
	}
	counts, err := to.Counts(ctx)
	for _, n := range counts {
		publications += n
	}
	return publications, errors.Join(err, to.SetMeta(ctx, metaCopying, ""))
}
