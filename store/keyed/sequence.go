package keyed

import (
	"encoding/binary"
	"fmt"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// sequenceKey is where a bucket's sequence is: the number that was given last.
func sequenceKey(b Bucket) Key { return Key{bucketSequence, string(b)} }

// next counts a bucket's sequence up.
func next(tx *Tx, b Bucket) (uint64, error) {
	n, err := sequence(tx, b)
	if err != nil {
		return 0, err
	}
	putSequence(tx, b, n+1)
	return n + 1, nil
}

func sequence(tx *Tx, b Bucket) (uint64, error) {
	data, err := get(tx, bucketSequence, string(b))
	if data == nil || err != nil {
		return 0, err
	}
	if data, err = value.Unseal("sequence", string(b), data); err == nil && len(data) != 8 {
		err = fmt.Errorf("%w: sequence of %s has %d bytes", store.ErrCorrupt, b, len(data))
	}
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(data), nil
}

func putSequence(tx *Tx, b Bucket, n uint64) {
	tx.Put(sequenceKey(b), value.Seal(string(b), binary.BigEndian.AppendUint64(nil, n)))
}
