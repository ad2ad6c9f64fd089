package value_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// TestDamage flips each bit of a value: none is believed.
func TestDamage(t *testing.T) {
	want := store.Cursor{Value: "opaque", At: 7, Listed: 3}
	data, err := value.Encode("sweep", want)
	if err != nil {
		t.Fatal(err)
	}
	var got store.Cursor
	if err := value.Decode("cursor", "sweep", data, &got); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for i := range data {
		for bit := range 8 {
			bad := append([]byte(nil), data...)
			bad[i] ^= 1 << bit
			if err := value.Decode("cursor", "sweep", bad, &got); !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("bit %d of byte %d: got %v, want ErrCorrupt", bit, i, err)
			}
		}
	}
	if err := value.Decode("cursor", "full", data, &got); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("under another key: got %v, want ErrCorrupt", err)
	}
}

// TestNumbersOfFields holds that each field of what is kept has a number, and that no two of a type
// share one.
func TestNumbersOfFields(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var check func(reflect.Type)
	check = func(typ reflect.Type) {
		for typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		numbers := map[string]string{}
		for i := range typ.NumField() {
			field := typ.Field(i)
			number, options, _ := strings.Cut(field.Tag.Get("cbor"), ",")
			if number == "-" && field.Name == "ID" {
				continue // it is the key
			}
			if !strings.HasPrefix(options, "keyasint,omit") {
				t.Errorf(
					"%s.%s: got the tag %q, want a number that is left out where it is empty",
					typ,
					field.Name,
					field.Tag,
				)
			}
			if other, taken := numbers[number]; taken {
				t.Errorf("%s.%s: got the number %s, which %s has", typ, field.Name, number, other)
			}
			numbers[number] = field.Name
			check(field.Type)
		}
	}
	for _, v := range []any{store.Record{}, store.Mark{}, store.Report{}, store.Cursor{}} {
		check(reflect.TypeOf(v))
	}
	if len(seen) < 10 {
		t.Errorf("got %d types, want at least 10", len(seen))
	}
}

// TestHostileSizes holds that a value which announces more than it has costs no memory for it.
func TestHostileSizes(t *testing.T) {
	for _, data := range []string{
		"\x9b\x00\x00\x00\x00\x7f\xff\xff\xff",
		"\xbb\x00\x00\x00\x00\x7f\xff\xff\xff",
		"\x5b\x00\x00\x00\x00\x7f\xff\xff\xff",
		"\xa1\x16\x9a\x7f\xff\xff\xff",
	} {
		var got store.Record
		if err := value.Decode("record", "a", value.Seal("a", []byte(data)), &got); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%x: got %v, want ErrCorrupt", data, err)
		}
		if diff := cmp.Diff(store.Record{}, got); diff != "" {
			t.Errorf("%x: (-want +got)\n%s", data, diff)
		}
	}
}
