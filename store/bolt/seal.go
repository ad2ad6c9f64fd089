package bolt

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/pubsync/pubsync/store"
)

// Records, marks, reports, cursors and facts end with a checksum: the CRC-32C of the key and of what precedes it, four bytes, big-endian. It covers the key
// too, so that a flipped bit in either is found: bbolt itself checks nothing but its first two pages.

const checksumSize = 4

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) } // kept by crc32: this is a look-up

func checksum(key, fields []byte) uint32 {
	table := castagnoli()
	return crc32.Update(crc32.Checksum(key, table), table, fields)
}

// seal adds the checksum to fields.
func seal(key, fields []byte) []byte {
	return binary.BigEndian.AppendUint32(fields, checksum(key, fields))
}

// unseal is the fields of a value whose checksum is right.
func unseal(what string, key, value []byte) ([]byte, error) {
	n := len(value) - checksumSize
	if n < 0 || binary.BigEndian.Uint32(value[n:]) != checksum(key, value[:n]) {
		return nil, fmt.Errorf("%w: %s %.80q: checksum does not match", store.ErrCorrupt, what, key)
	}
	return value[:n], nil
}
