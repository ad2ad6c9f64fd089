// Package value is the form in which every engine keeps what a store remembers: CBOR (RFC 8949)
// with the numbers of the struct tags as keys, and behind it a checksum.
//
// A field that is empty is left out, a key that is not known is passed over, and no number is ever
// used again for something else. So a version reads what an earlier one wrote, and the reverse.
package value

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/fxamacker/cbor/v2"

	"github.com/pubsync/pubsync/store"
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

// Encode is the sealed form of v, which is found under a key.
func Encode(key string, v any) ([]byte, error) {
	data, err := encoding.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return Seal(key, data), nil
}

// Decode reads v from a value found under a key. Where that is damaged the error is
// store.ErrCorrupt, which names what it was.
func Decode(what, key string, data []byte, v any) error {
	data, err := Unseal(what, key, data)
	if err != nil {
		return err
	}
	if err := decoding.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%w: %s %.80q: %w", store.ErrCorrupt, what, key, err)
	}
	return nil
}

// Seal appends the checksum to data.
func Seal(key string, data []byte) []byte {
	return binary.BigEndian.AppendUint32(data, checksum(key, data))
}

// Unseal is the data of a value whose checksum is right, else the error is store.ErrCorrupt.
func Unseal(what, key string, value []byte) ([]byte, error) {
	n := len(value) - checksumSize
	if n < 0 || binary.BigEndian.Uint32(value[n:]) != checksum(key, value[:n]) {
		return nil, fmt.Errorf("%w: %s %.80q: checksum does not match", store.ErrCorrupt, what, key)
	}
	return value[:n], nil
}

func checksum(key string, data []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(key), castagnoli), castagnoli, data)
}
