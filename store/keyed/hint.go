package keyed

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/store"
)

const (
	hintProduct = 'p'
	hintListing = 'l'
	hintHash    = 8 // bytes of the value's hash
)

// hintKey is the kind, a hash of the value, and the id. The hash has a fixed length, so that no
// value together with the beginning of an id looks like another value. It is short, since each
// publication has two hints. Two values may have the same hash, so Resolve asks the record.
func hintKey(kind byte, value, id string) string {
	sum := sha256.Sum256([]byte(value))
	key := make([]byte, 0, 1+hintHash+len(id))
	key = append(key, kind)
	key = append(key, sum[:hintHash]...)
	return string(append(key, id...))
}

// moveHint replaces the value by which a record is found; "" is none.
func moveHint(tx *Tx, kind byte, from, to, id string) {
	if from == to {
		return
	}
	if from != "" {
		remove(tx, bucketHint, hintKey(kind, from, id))
	}
	if to != "" {
		tx.Put(Key{bucketHint, hintKey(kind, to, id)}, []byte{})
	}
}

// Resolve is the ids of the known publications among those given, and of those whose product or
// listing is named. Each comes once, in order.
func (s *Store) Resolve(ctx context.Context, publications, products, listings []string) (ids []string, err error) {
	if len(publications)+len(products)+len(listings) == 0 {
		return nil, nil
	}
	err = s.View(ctx, func(tx *Tx) error {
		ids = nil
		named := make([]Key, len(publications))
		for i, id := range publications {
			named[i] = Key{bucketPublication, id}
		}
		found, err := tx.Get(named...)
		if err != nil {
			return err
		}
		for k := range found {
			ids = append(ids, k.Key)
		}
		for _, product := range products {
			agrees := func(r store.Record) bool { return r.Product == product }
			if err := hinted(tx, hintProduct, product, agrees, &ids); err != nil {
				return err
			}
		}
		for _, listing := range listings {
			agrees := func(r store.Record) bool { return r.Listing == listing }
			if err := hinted(tx, hintListing, listing, agrees, &ids); err != nil {
				return err
			}
		}
		return nil
	})
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// hinted adds the ids that the hints give for a value and whose record agrees.
func hinted(tx *Tx, kind byte, value string, agrees func(store.Record) bool, ids *[]string) error {
	if value == "" {
		return nil
	}
	prefix := hintKey(kind, value, "")
	for page, err := range pages(tx.Scan(bucketHint, prefix, after(prefix)), pageSize) {
		if err != nil {
			return err
		}
		named := make([]string, len(page))
		for i, p := range page {
			named[i] = strings.TrimPrefix(p.Key, prefix)
		}
		records, err := getRecords(tx, named...)
		if err != nil {
			return err
		}
		for _, r := range records {
			if agrees(r) {
				*ids = append(*ids, r.ID)
			}
		}
	}
	return nil
}
