package bolt

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

func FuzzDueKey(f *testing.F) {
	f.Add(uint8(0), int64(0), "a", uint8(0), int64(1), "a")
	f.Add(uint8(5), int64(-1), "a\x00", uint8(5), int64(math.MaxInt64), "a")
	f.Add(uint8(2), int64(255), "", uint8(2), int64(256), "\xff\xff")
	f.Fuzz(func(t *testing.T, c1 uint8, at1 int64, id1 string, c2 uint8, at2 int64, id2 string) {
		a, b := store.Mark{
			Class: store.Class(c1),
			At:    store.Instant(at1),
			ID:    id1,
		}, store.Mark{
			Class: store.Class(c2),
			At:    store.Instant(at2),
			ID:    id2,
		}
		for _, m := range []store.Mark{a, b} {
			class, at, id, ok := parseDueKey(dueKey(m))
			if !ok || class != m.Class || at != max(m.At, 0) || string(id) != m.ID {
				t.Errorf("%+v came back as %d, %d, %q, %t", m, class, at, id, ok)
			}
		}
		want := slices.Compare([]int64{int64(a.Class), max(at1, 0)}, []int64{int64(b.Class), max(at2, 0)})
		if want == 0 {
			want = strings.Compare(id1, id2)
		}
		if got := bytes.Compare(dueKey(a), dueKey(b)); got != want {
			t.Errorf("%+v and %+v are in order %d, want %d", a, b, got, want)
		}
	})
}

func FuzzParseDueKey(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte{1, 2, 3})
	f.Add(dueKey(store.Mark{Class: store.ClassRefresh, At: 1, ID: "a"}))
	f.Fuzz(func(t *testing.T, key []byte) {
		class, at, id, ok := parseDueKey(key)
		if ok != (len(key) >= 9) {
			t.Errorf("%x: %t", key, ok)
		}
		if ok && at >= 0 && !bytes.Equal(dueKey(store.Mark{Class: class, At: at, ID: string(id)}), key) {
			t.Errorf("%x came back as %d, %d, %q", key, class, at, id)
		}
	})
}

// A hint of one value is never found under another, whatever bytes the values and the ids hold.
func FuzzHintKey(f *testing.F) {
	f.Add("a", "b\x00c", "a\x00b", "c")
	f.Add("", "ab", "a", "b")
	f.Add("p", "", "p", "\x00")
	f.Fuzz(func(t *testing.T, value1, id1, value2, id2 string) {
		for _, kind := range []byte{hintProduct, hintListing} {
			key := hintKey(kind, value1, id1)
			if got := bytes.HasPrefix(key, hintKey(kind, value2, "")); got != (value1 == value2) {
				t.Errorf("%q of %q is found under %q: %t", id1, value1, value2, got)
			}
			if string(key[len(hintKey(kind, value1, "")):]) != id1 {
				t.Errorf("%q came back as %q", id1, key)
			}
			if same := bytes.Equal(key, hintKey(kind, value2, id2)); same != (value1 == value2 && id1 == id2) {
				t.Errorf("%q of %q and %q of %q have one key: %t", id1, value1, id2, value2, same)
			}
		}
		if bytes.HasPrefix(hintKey(hintProduct, value1, id1), hintKey(hintListing, value2, "")) {
			t.Errorf("a product's hint is a listing's")
		}
	})
}

// Whatever bytes are found where a value should be, the outcome is that value or ErrCorrupt; and
// what was read can be written and read again.
func FuzzDecode(f *testing.F) {
	full := sealed(f, fullRecord("id"))
	full = full[:len(full)-4]
	f.Add("id", full, true)
	f.Add("id", full[:40], true)
	f.Add("id", []byte{0xbf, 0xff}, true)
	f.Add("id", []byte{0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, true)
	f.Add("", []byte(nil), false)
	f.Fuzz(func(t *testing.T, id string, data []byte, seal bool) {
		if seal { // else the checksum hides all that comes after it
			data = value.Seal(id, slices.Clone(data))
		}
		before := slices.Clone(data)
		decoded(t, id, data, decodeRecord)
		decoded(t, id, data, decodeReport)
		decoded(t, id, data, decodeMark)
		decoded(t, id, data, decodeCursor)
		if !bytes.Equal(data, before) {
			t.Error("the value was changed where it lies: it is a part of the file's map")
		}
	})
}

func decoded[V any](t *testing.T, id string, data []byte, decode func(string, []byte) (V, error)) {
	t.Helper()
	v, err := decode(id, data)
	if err != nil {
		if !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%T: got %v, want ErrCorrupt", v, err)
		}
		return
	}
	data, err = value.Encode(id, v)
	if err != nil {
		t.Fatalf("%T: what was read cannot be written: %v", v, err)
	}
	again, err := decode(id, data)
	if err != nil {
		t.Fatalf("%T: what was read cannot be read again: %v", v, err)
	}
	if diff := cmp.Diff(v, again, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%T: (-first +again)\n%s", v, diff)
	}
}

// sealed is the value of v under the key a.
func sealed(t testing.TB, v any) []byte {
	t.Helper()
	data, err := value.Encode("a", v)
	must(t, err)
	return data
}

// Each field of each type is written and read.
func TestEveryFieldIsKept(t *testing.T) {
	record, report, mark, cursor := fullRecord("a"), store.Report{}, store.Mark{}, store.Cursor{}
	record.Claims = []store.Claim{{Variant: "v", SKU: "X"}}
	record.Title = "no UTF-8: \xff\x00"
	n := 0
	for _, v := range []any{&report, &mark, &cursor} {
		fillIn(reflect.ValueOf(v).Elem(), &n)
	}
	report.ID, mark.ID, mark.Class = "a", "a", store.ClassRefresh
	decodedAs(t, record, decodeRecord)
	decodedAs(t, report, decodeReport)
	decodedAs(t, mark, decodeMark)
	decodedAs(t, cursor, decodeCursor)
}

func decodedAs[V any](t *testing.T, want V, decode func(string, []byte) (V, error)) {
	t.Helper()
	got, err := decode("a", sealed(t, want))
	if err != nil {
		t.Errorf("%T: %v", want, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%T: (-want +got)\n%s", want, diff)
	}
	if _, err := decode("b", sealed(t, want)); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("%T: got %v under another key, want ErrCorrupt", want, err)
	}
}

// A reader of today passes over the fields of tomorrow.
func TestUnknownFieldsArePassedOver(t *testing.T) {
	type tomorrow struct {
		Value string   `cbor:"1,keyasint"`
		New   []string `cbor:"99,keyasint"`
	}
	got, err := decodeCursor("a", sealed(t, tomorrow{"c", []string{"from a newer version"}}))
	if want := (store.Cursor{Value: "c"}); got != want || err != nil {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}
