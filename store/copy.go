package store

import (
	"context"
	"errors"
)

var (
	// ErrHalf is the error of a store into which a copy was not finished.
	ErrHalf = errors.New("store is half a copy: run pubsync store copy once more, which begins anew")
	// ErrNotEmpty is the error of a copy into a store that holds something.
	ErrNotEmpty = errors.New("store holds something already")
)

// metaCopying is the fact of a store that is being copied into.
const metaCopying = "copying"

// Whole is ErrHalf of a store into which a copy was not finished.
func (s Store) Whole(ctx context.Context) error {
	if half, err := s.Meta(ctx, metaCopying); half == "" || err != nil {
		return err
	}
	return ErrHalf
}

// Copy carries all that a store holds, as it is at one moment, to an empty one of any engine, and
// returns how many publications it knows. Others may go on writing to the first. It copies a page a
// transaction, and the other store says meanwhile that it is half a copy; what an earlier copy left
// there is removed.
func Copy(ctx context.Context, from, to Store) (publications int, err error) {
	for more := true; more; {
		if err := to.Update(ctx, nil, func(tx *Tx) error {
			half := getOr[string](tx, BucketMeta, metaCopying)
			more = false
			for _, b := range Buckets[1:] { // facts are written over
				page, err := tx.Page(b, "", "", pageSize)
				if err != nil {
					return err
				}
				if more = more || len(page) > 0; more && half == "" {
					return ErrNotEmpty
				}
				for _, p := range page {
					remove(tx, b, p.Key)
				}
			}
			put(tx, BucketMeta, metaCopying, "begun")
			return nil
		}); err != nil {
			return 0, err
		}
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
	if err := from.View(ctx, func(tx *Tx) error {
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
		if err := tx.Err(); err != nil { // what could not be read whole is not written
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
