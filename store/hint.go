package store

import (
	"bytes"
	"slices"

	bolt "go.etcd.io/bbolt"
)

const (
	hintProduct = 'p'
	hintListing = 'l'
)

func hintKey(kind byte, value, id string) []byte {
	key := append([]byte{kind}, value...)
	key = append(key, 0)
	return append(key, id...)
}

func moveHint(tx *bolt.Tx, kind byte, from, to, id string) error {
	if from == to {
		return nil
	}
	b := bucket(tx, bucketHint)
	if from != "" {
		if err := b.Delete(hintKey(kind, from, id)); err != nil {
			return err
		}
	}
	if to == "" || len(to) > maxID {
		return nil
	}
	return b.Put(hintKey(kind, to, id), nil)
}

// Resolve is the ids of the known publications among those given, and of those whose product or listing is named. Each comes once, in order.
func (s *Store) Resolve(publications, products, listings []string) (ids []string, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		for _, id := range publications {
			if id != "" && bucket(tx, bucketPublication).Get([]byte(id)) != nil {
				ids = append(ids, id)
			}
		}
		c := bucket(tx, bucketHint).Cursor()
		for kind, values := range map[byte][]string{hintProduct: products, hintListing: listings} {
			for _, value := range values {
				prefix := hintKey(kind, value, "")
				for key, _ := c.Seek(prefix); bytes.HasPrefix(key, prefix) && value != ""; key, _ = c.Next() {
					ids = append(ids, string(key[len(prefix):]))
				}
			}
		}
		return nil
	})
	slices.Sort(ids)
	return slices.Compact(ids), err
}
