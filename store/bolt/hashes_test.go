package bolt

import (
	"bytes"
	"errors"
	"testing"

	"github.com/pubsync/pubsync/store"
)

func TestHashesLeaveOutWhatIsZero(t *testing.T) {
	full, zero := bytes.Repeat([]byte{7}, 8), make([]byte, 8)
	for _, tt := range []struct {
		name   string
		hashes []byte
		took   int // bytes, tag and length included
	}{
		{"none", nil, 0},
		{"all full", bytes.Repeat(full, 9), 77},
		{"some zero", bytes.Join([][]byte{full, zero, full, zero, full}, nil), 28},
		{"the last zero", bytes.Join([][]byte{full, zero}, nil), 12},
		{"all zero", bytes.Repeat(zero, 9), 4},
		{"no whole block", []byte("hash"), 6},
		{"too many blocks", bytes.Repeat(zero, 33), 267},
	} {
		t.Run(tt.name, func(t *testing.T) {
			none := store.Record{ID: "a", State: store.StateLive}
			r := none
			r.Hashes = tt.hashes
			value := encodeRecord(r)
			if took := len(value) - len(encodeRecord(none)); took != tt.took {
				t.Errorf("they take %d bytes, want %d", took, tt.took)
			}
			got, err := decodeRecord("a", seal([]byte("a"), value))
			if err != nil || !bytes.Equal(got.Hashes, tt.hashes) {
				t.Errorf("read as %x, %v", got.Hashes, err)
			}
		})
	}
}

func TestHashesThatAreCutOff(t *testing.T) {
	for _, data := range [][]byte{{}, {1}, {33, 0}, {1, 2}, {2, 1}, {1, 1, 0, 0, 0}, {1, 0, 0}, {255, 255, 255}} {
		c := codec{writing: true}
		c.writeSized(40, len(data))
		if _, err := decodeRecord("a", seal([]byte("a"), append(c.buf, data...))); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%x is read as %v", data, err)
		}
	}
}
