package store_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pubsync/pubsync/store"
)

// sealed is the value of v under the key a.
func sealed(t testing.TB, v any) []byte {
	t.Helper()
	data, err := store.Encode("a", v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fillIn sets every field below v to a value of its own.
func fillIn(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n % 200))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fillIn(v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, of := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillIn(key, n)
		fillIn(of, n)
		v.SetMapIndex(key, of)
	case reflect.Struct:
		for i := range v.NumField() {
			fillIn(v.Field(i), n)
		}
	default:
		panic("no value for a " + v.Kind().String())
	}
}

// Each field of each type is written and read.
func TestEveryFieldIsKept(t *testing.T) {
	record, report, mark, cursor := store.Record{}, store.Report{}, store.Mark{}, store.Cursor{}
	var events []store.Event
	n := 0
	for _, v := range []any{&record, &report, &mark, &cursor, &events} {
		fillIn(reflect.ValueOf(v).Elem(), &n)
	}
	record.Title = "no UTF-8: \xff\x00"
	record.ID, report.ID, mark.ID, mark.Class = "", "", "", store.ClassRefresh
	decodedAs(t, record, "publication")
	decodedAs(t, report, "outbox")
	decodedAs(t, mark, "mark")
	decodedAs(t, cursor, "cursor")
	decodedAs(t, events, "event")
}

func decodedAs[V any](t *testing.T, want V, bucket store.Bucket) {
	t.Helper()
	got, err := store.Decode[V](bucket, "a", sealed(t, want))
	if err != nil {
		t.Errorf("%T: %v", want, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%T: (-want +got)\n%s", want, diff)
	}
	if _, err := store.Decode[V](bucket, "b", sealed(t, want)); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("%T: got %v under another key, want ErrCorrupt", want, err)
	}
}

// A value of which a bit is another is not believed, nor one that announces more than it has, which
// costs no memory for it.
func TestDamagedValues(t *testing.T) {
	data := sealed(t, store.Cursor{Value: "opaque", At: 7, Listed: 3})
	for i := range data {
		bad := slices.Clone(data)
		bad[i] ^= 1 << (i % 8)
		if _, err := store.Decode[store.Cursor]("cursor", "a", bad); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("byte %d: got %v, want ErrCorrupt", i, err)
		}
	}
	for _, data := range []string{
		"\x9b\x00\x00\x00\x00\x7f\xff\xff\xff", "\xbb\x00\x00\x00\x00\x7f\xff\xff\xff",
		"\x5b\x00\x00\x00\x00\x7f\xff\xff\xff", "\xa1\x14\x9a\x7f\xff\xff\xff", "\xa1\x13\xba\x7f\xff\xff\xff",
	} {
		_, err := store.Decode[store.Record]("publication", "a", store.Seal("a", []byte(data)))
		if !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%x: got %v, want ErrCorrupt", data, err)
		}
	}
}
