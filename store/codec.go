package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/fxamacker/cbor/v2"
)

// A checksum is a big-endian CRC-32C. It covers the key, so that a value under another key does not verify.
const checksumSize = 4

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	// Text of other systems may be invalid UTF-8, and comes back unchanged.
	decoding, _ = cbor.DecOptions{
		UTF8: cbor.UTF8DecodeInvalid, MaxArrayElements: math.MaxInt32, MaxMapPairs: math.MaxInt32,
	}.DecMode() //nolint:errcheck // these options are right
	// Sorted, so that equal values are equal bytes.
	encoding, _ = cbor.EncOptions{Sort: cbor.SortBytewiseLexical}.EncMode() //nolint:errcheck // likewise
)

func encode(key string, v any) ([]byte, error) {
	data, err := encoding.Marshal(v)
	return seal(key, data), err
}

func seal(key string, data []byte) []byte {
	return binary.BigEndian.AppendUint32(data, checksum(key, data))
}

func decode[T any](k Key, value []byte) (v T, err error) {
	if err := Verify(k, value); err != nil {
		return v, err
	}
	if err := decoding.Unmarshal(value[:len(value)-checksumSize], &v); err != nil {
		return v, fmt.Errorf("%w: %s %.80q: %w", ErrCorrupt, k.Bucket, k.Key, err)
	}
	return v, nil
}

func read[T any](tx *Tx, k Key, value []byte) T {
	v, err := decode[T](k, value)
	tx.fail(err)
	return v
}

// Verify returns ErrCorrupt for a value whose checksum is wrong.
func Verify(k Key, value []byte) error {
	if slices.Contains(plain, k.Bucket) || k == SchemaKey {
		return nil
	}
	n := len(value) - checksumSize
	if n < 0 || binary.BigEndian.Uint32(value[n:]) != checksum(k.Key, value[:n]) {
		return fmt.Errorf("%w: %s %.80q: checksum does not match", ErrCorrupt, k.Bucket, k.Key)
	}
	return nil
}

func checksum(key string, data []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(key), castagnoli), castagnoli, data)
}

func get[T any](tx *Tx, b Bucket, key string) *T {
	k := Key{b, key}
	value := tx.Get(k)[k]
	if value == nil {
		return nil
	}
	v := read[T](tx, k, value)
	return &v
}

func getOr[T any](tx *Tx, b Bucket, key string) T { return *cmp.Or(get[T](tx, b, key), new(T)) }

func keysIn(b Bucket, keys ...string) []Key {
	all := make([]Key, len(keys))
	for i, key := range keys {
		all[i] = Key{b, key}
	}
	return all
}

func put(tx *Tx, b Bucket, key string, v any) {
	if !validID(key) {
		tx.fail(fmt.Errorf("write store: id of %d bytes", len(key)))
		return
	}
	data, err := encode(key, v)
	tx.fail(err)
	tx.Put(Key{b, key}, data)
}

func remove(tx *Tx, b Bucket, key string) { tx.Put(Key{b, key}, nil) }

func validID(id string) bool { return id != "" && len(id) <= MaxID }

// SequenceKey holds the last number of a mark or report.
var SequenceKey = Key{BucketMeta, "sequence"}

// next returns a number that no mark or report of the store has had.
func next(tx *Tx) uint64 {
	n := getOr[uint64](tx, BucketMeta, SequenceKey.Key) + 1
	put(tx, BucketMeta, SequenceKey.Key, n)
	return n
}
