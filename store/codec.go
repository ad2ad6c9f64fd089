package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/fxamacker/cbor/v2"
)

// checksumSize is the size in bytes of a CRC-32C, big-endian. It covers the key too, so that a
// value found under another key is not believed.
const checksumSize = 4

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	// Text from elsewhere may be no UTF-8: it comes back as it was.
	decoding = must(cbor.DecOptions{
		UTF8: cbor.UTF8DecodeInvalid, MaxArrayElements: math.MaxInt32, MaxMapPairs: math.MaxInt32,
	}.DecMode())
	// In one order: the same value is the same bytes, with maps in it too.
	encoding = must(cbor.EncOptions{Sort: cbor.SortBytewiseLexical}.EncMode())
)

func must[T any](mode T, err error) T {
	if err != nil {
		panic(err)
	}
	return mode
}

// encode is the sealed form of v, which is found under a key.
func encode(key string, v any) ([]byte, error) {
	data, err := encoding.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return seal(key, data), nil
}

// decode reads a value of a bucket. Where it is damaged the error is ErrCorrupt, which names what
// it was.
func decode[T any](k Key, data []byte) (v T, err error) {
	if data, err = Unseal(k, data); err != nil {
		return v, err
	}
	if err := decoding.Unmarshal(data, &v); err != nil {
		return v, fmt.Errorf("%w: %s %.80q: %w", ErrCorrupt, k.Bucket, k.Key, err)
	}
	return v, nil
}

// seal appends the checksum to data.
func seal(key string, data []byte) []byte {
	return binary.BigEndian.AppendUint32(data, checksum(key, data))
}

// Unseal is the data of a value whose checksum is right, else the error is ErrCorrupt.
func Unseal(k Key, value []byte) ([]byte, error) {
	n := len(value) - checksumSize
	if n < 0 || binary.BigEndian.Uint32(value[n:]) != checksum(k.Key, value[:n]) {
		return nil, fmt.Errorf("%w: %s %.80q: checksum does not match", ErrCorrupt, k.Bucket, k.Key)
	}
	return value[:n], nil
}

func checksum(key string, data []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(key), castagnoli), castagnoli, data)
}

// get is the value under a key, nil where there is none.
func get[T any](tx *Tx, b Bucket, key string) (*T, error) {
	k := Key{b, key}
	found, err := tx.Get(k)
	if err != nil || found[k] == nil {
		return nil, err
	}
	v, err := decode[T](k, found[k])
	return &v, err
}

// getOr is the value under a key, the zero T where there is none.
func getOr[T any](tx *Tx, b Bucket, key string) (v T, err error) {
	found, err := get[T](tx, b, key)
	if found != nil {
		v = *found
	}
	return v, err
}

func keysIn(b Bucket, keys ...string) []Key {
	all := make([]Key, len(keys))
	for i, key := range keys {
		all[i] = Key{b, key}
	}
	return all
}

// put writes v, sealed, under a key.
func put(tx *Tx, b Bucket, key string, v any) error {
	if !validID(key) {
		return fmt.Errorf("write store: id of %d bytes", len(key))
	}
	data, err := encode(key, v)
	if err == nil {
		tx.Put(Key{b, key}, data)
	}
	return err
}

func remove(tx *Tx, b Bucket, key string) { tx.Put(Key{b, key}, nil) }

func validID(id string) bool { return id != "" && len(id) <= MaxID }

// after is the first key behind those that begin with a prefix; "" is no bound.
func after(prefix string) string {
	end := []byte(prefix)
	for len(end) > 0 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if len(end) > 0 {
		end[len(end)-1]++
	}
	return string(end)
}

// next is a number that no mark or report of the store has had.
func next(tx *Tx) (uint64, error) {
	last, err := getOr[uint64](tx, BucketMeta, SequenceKey.Key)
	if err != nil {
		return 0, err
	}
	return last + 1, put(tx, BucketMeta, SequenceKey.Key, last+1)
}

// SequenceKey is where the number is that was given last: it moves with each mark.
var SequenceKey = Key{BucketMeta, "sequence"}
