package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pubsync/pubsync/store"
)

func FuzzDueKey(f *testing.F) {
	f.Add(uint8(0), int64(0), "a", uint8(0), int64(1), "a")
	f.Add(uint8(5), int64(-1), "a\x00", uint8(5), int64(math.MaxInt64), "a")
	f.Add(uint8(2), int64(255), "", uint8(2), int64(256), "\xff\xff")
	f.Fuzz(func(t *testing.T, c1 uint8, at1 int64, id1 string, c2 uint8, at2 int64, id2 string) {
		a, b := store.Mark{Class: store.Class(c1), At: store.Instant(at1), ID: id1}, store.Mark{Class: store.Class(c2), At: store.Instant(at2), ID: id2}
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

// Whatever bytes are found where a value should be, the outcome is that value or ErrCorrupt; and what was read can be written and read again.
func FuzzDecode(f *testing.F) {
	full := fullRecord("id")
	f.Add("id", encodeRecord(full), true)
	f.Add("id", encodeRecord(full)[:40], true)
	f.Add("id", encodeReport(store.Report{Seq: 1, Status: "success", Since: 5}), true)
	f.Add("id", encodeMark(store.Mark{Class: store.ClassRefresh, At: 7, Cause: store.CauseRefresh, Gen: 9}), true)
	f.Add("id", encodeCursor(store.Cursor{Value: "c", At: 3, Started: 1, Listed: 2, Read: true}), true)
	f.Add("id", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, true)
	f.Add("id", binary.AppendUvarint([]byte{2<<2 | kindBytes}, math.MaxUint64), true)
	f.Add("", []byte(nil), false)
	f.Fuzz(func(t *testing.T, id string, value []byte, sealed bool) {
		if sealed { // else the checksum hides all that comes after it
			value = seal([]byte(id), slices.Clone(value))
		}
		before := slices.Clone(value)
		decoded(t, id, value, decodeRecord, encodeRecord)
		decoded(t, id, value, decodeReport, encodeReport)
		decoded(t, id, value, decodeMark, encodeMark)
		decoded(t, id, value, decodeCursor, encodeCursor)
		if !bytes.Equal(value, before) {
			t.Error("the value was changed where it lies: it is a part of the file's map")
		}
	})
}

func decoded[V any](t *testing.T, id string, value []byte, decode func(string, []byte) (V, error), encode func(V) []byte) {
	t.Helper()
	v, err := decode(id, value)
	if err != nil {
		if !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%T: %v", v, err)
		}
		return
	}
	again, err := decode(id, seal([]byte(id), encode(v)))
	if err != nil {
		t.Fatalf("%T: what was read cannot be read again: %v", v, err)
	}
	if diff := cmp.Diff(v, again); diff != "" {
		t.Errorf("%T: %s", v, diff)
	}
}

// Every text comes back as it was, packed or not.
func FuzzText(f *testing.F) {
	for _, text := range []string{
		"", "0", "-0", "7", "007", "-1", "+1", "1995", "19.95", "0.00", "-0.05", "-0.00", ".95", "19.9", "019.95", "1.-5", "9223372036854775807",
		"92233720368547758.07", "-92233720368547758.08", "2026-11-01T08:00:00Z", "2026-11-01T08:00:00.000Z", "2026-11-01T08:00:00.5Z",
		"2026-11-01T08:00:00.123456Z", "2026-11-01T08:00:00.000000Z", "1969-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z", "2026-11-01t08:00:00z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "Z", "\xff\x00",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, value string) {
		type pair struct {
			text string
			num  int
		}
		fields := func(c *codec, p *pair) {
			text(c, 1, &p.text)
			num(c, 2, &p.num)
		}
		data := encode(pair{value, 42}, 0, fields)
		if most := 1 + len(binary.AppendUvarint(nil, uint64(len(value)))) + len(value) + 2; len(data) > most {
			t.Errorf("%q takes %d bytes", value, len(data)-2)
		}
		c := codec{buf: data}
		var got pair
		if fields(&c, &got); got != (pair{value, 42}) || c.broken || len(c.buf) > 0 {
			t.Errorf("%q came back as %+v", value, got)
		}
	})
}

func TestTextIsPacked(t *testing.T) {
	for value, size := range map[string]int{"19.95": 3, "1200.00": 4, "100234": 4, "2026-11-01T08:00:00Z": 8, "2026-11-01T08:00:00.000Z": 8, "": 0, "red": 5} {
		if data := encode(value, 0, func(c *codec, v *string) { text(c, 1, v) }); len(data) != size {
			t.Errorf("%q takes %d bytes, want %d", value, len(data), size)
		}
	}
}

// A reader of today passes over the fields of tomorrow, which come last.
func TestUnknownFieldsArePassedOver(t *testing.T) {
	want := fullRecord("a")
	data := encode(want, 0, func(c *codec, r *store.Record) {
		recordFields(c, r)
		n, words, at := -7, "from a newer version", store.Instant(99)
		num(c, 60, &n)
		text(c, 61, &words)
		c.instant(62, &at)
	})
	got, err := decodeRecord("a", seal([]byte("a"), data))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Each field of each type is written and read.
func TestEveryFieldIsKept(t *testing.T) {
	record, report, mark, cursor := fullRecord("a"), store.Report{}, store.Mark{}, store.Cursor{}
	record.Claims = []store.Claim{{Variant: "v", SKU: "X"}}
	n := 0
	for _, v := range []any{&report, &mark, &cursor} {
		fillIn(reflect.ValueOf(v).Elem(), &n)
	}
	report.ID, mark.ID, mark.Class = "a", "a", store.ClassRefresh
	decodedAs(t, record, decodeRecord, encodeRecord)
	decodedAs(t, report, decodeReport, encodeReport)
	decodedAs(t, mark, decodeMark, encodeMark)
	decodedAs(t, cursor, decodeCursor, encodeCursor)
	record.ReportedURL = record.URL
	decodedAs(t, record, decodeRecord, encodeRecord)
}

func decodedAs[V any](t *testing.T, want V, decode func(string, []byte) (V, error), encode func(V) []byte) {
	t.Helper()
	got, err := decode("a", seal([]byte("a"), encode(want)))
	if err != nil {
		t.Errorf("%T: %v", want, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%T: %s", want, diff)
	}
	if _, err := decode("b", seal([]byte("a"), encode(want))); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("%T: found under another key: %v", want, err)
	}
}

// FuzzMoment holds that a moment is written as package time writes it.
func FuzzMoment(f *testing.F) {
	for _, micros := range []int64{0, -1, 1, 999_999, 1_767_225_599_999_999, -62_167_219_200_000_000, -62_167_219_200_000_001, 253_402_300_799_999_999, 253_402_300_800_000_000} {
		f.Add(micros)
	}
	f.Fuzz(func(t *testing.T, micros int64) {
		at := time.UnixMicro(micros)
		for _, format := range []string{formatSeconds, formatMillis, formatMicros} {
			if got, want := formatMoment(at, format), at.UTC().Format(format); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	})
}
