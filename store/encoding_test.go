package store_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/store"
)

// Each field of what the engines keep has a number of its own: of two with the same, the encoding
// keeps neither.
func TestNumbersOfFields(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var check func(reflect.Type)
	check = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Slice, reflect.Pointer, reflect.Map:
			check(of.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if seen[of] {
			return
		}
		seen[of] = true
		fields := map[string]string{}
		for i := range of.NumField() {
			f := of.Field(i)
			check(f.Type)
			number, _, _ := strings.Cut(f.Tag.Get("cbor"), ",")
			if number == "" || number == "-" {
				continue
			}
			if other, twice := fields[number]; twice {
				t.Errorf("%s: %s and %s are both number %s", of.Name(), other, f.Name, number)
			}
			fields[number] = f.Name
		}
	}
	for _, kept := range []any{store.Record{}, store.Report{}, store.Mark{}, store.Event{}, store.Cursor{}} {
		check(reflect.TypeOf(kept))
	}
	if !seen[reflect.TypeFor[store.Variant]()] {
		t.Error("variants are not among what was checked")
	}
}
