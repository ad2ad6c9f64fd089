package postgres

import (
	"crypto/sha256"

	"github.com/pubsync/pubsync/store"
)

// mostKey is how many bytes of an id are a key. PostgreSQL's index takes rows of 2,700 bytes, of
// which some have a place in an order beside the key.
const mostKey = 1024

// keyOf is an id as a key of a table, and as its id column: nil where the key is the id. A longer
// id's key begins with the id and ends with its hash, so that keys sort like ids of which one is
// not the beginning of another for 1,024 bytes.
func keyOf(id string) (key, long []byte) {
	if len(id) <= mostKey {
		return []byte(id), nil
	}
	sum := sha256.Sum256([]byte(id))
	return append([]byte(id[:mostKey]), sum[:]...), []byte(id)
}

// key is keyOf without the id.
func key(id string) []byte {
	k, _ := keyOf(id)
	return k
}

// keysOf is the keys of some ids. It is never nil, which would be no array.
func keysOf(ids []string) [][]byte {
	keys := make([][]byte, len(ids))
	for i, id := range ids {
		keys[i] = key(id)
	}
	return keys
}

// idOf is the id of a row by its key and its id column.
func idOf(key, long []byte) string {
	if long != nil {
		return string(long)
	}
	return string(key)
}

// namedSize is the size in bytes of a hash of a product's or a listing's id: no two have the same.
const namedSize = 16

// named is a product's or a listing's id as a column, nil for none.
func named(id string) []byte {
	if id == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(id))
	return sum[:namedSize]
}

// column is an instant as a column that sorts: what is before 1970 is never.
func column(i store.Instant) int64 { return int64(max(i, 0)) }
