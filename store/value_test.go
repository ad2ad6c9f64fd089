package store_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/store"
)

// TestDamage flips each bit of a value: none is believed.
func TestDamage(t *testing.T) {
	want := store.Cursor{Value: "opaque", At: 7, Listed: 3}
	data, err := store.Encode("sweep", want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := decodeCursor("sweep", data); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for i := range data {
		for bit := range 8 {
			bad := append([]byte(nil), data...)
			bad[i] ^= 1 << bit
			if _, err := decodeCursor("sweep", bad); !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("bit %d of byte %d: got %v, want ErrCorrupt", bit, i, err)
			}
		}
	}
	if _, err := decodeCursor("full", data); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("under another key: got %v, want ErrCorrupt", err)
	}
}

// TestHostileSizes holds that a value which announces more than it has costs no memory for it.
func TestHostileSizes(t *testing.T) {
	for _, data := range []string{
		"\x9b\x00\x00\x00\x00\x7f\xff\xff\xff",
		"\xbb\x00\x00\x00\x00\x7f\xff\xff\xff",
		"\x5b\x00\x00\x00\x00\x7f\xff\xff\xff",
		"\xa1\x14\x9a\x7f\xff\xff\xff",
		"\xa1\x13\xba\x7f\xff\xff\xff",
	} {
		got, err := store.Decode[store.Record]("publication", "a", store.Seal("a", []byte(data)))
		if !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%x: got %v, want ErrCorrupt", data, err)
		}
		if diff := cmp.Diff(store.Record{}, got); diff != "" {
			t.Errorf("%x: (-want +got)\n%s", data, diff)
		}
	}
}
