package httpshop

import (
	"reflect"
	"strconv"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/rest"
)

// fill sets every field of a value, lists to two values, each text to one of its own that ends in a suffix.
func fill(v reflect.Value, suffix string, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), suffix, n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), suffix, n)
		fill(v.Index(1), suffix, n)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, suffix, n)
			fill(value, suffix, n)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		v.SetString(strconv.Itoa(*n) + suffix)
	case reflect.Int:
		v.SetInt(int64(*n))
	case reflect.Bool:
		v.SetBool(*n%2 == 0)
	default:
		panic(v.Kind())
	}
}

// FuzzEncode holds that a body is what encoding/json writes of the product, whatever fields it gets.
func FuzzEncode(f *testing.F) {
	for _, text := range []string{"", "plain", `"quoted\`, "<p>ë &amp; 光\n</p>", "\x00\x1f\x7f", "\u2028", "\u2029x", "\xff", "\xe2\x80", "\ufffd"} {
		f.Add(text, uint16(shopadapter.AllFields))
	}
	f.Fuzz(func(t *testing.T, text string, fields uint16) {
		changed := shopadapter.Fields(fields) & shopadapter.AllFields
		var p shopadapter.Product
		n := 0
		fill(reflect.ValueOf(&p).Elem(), text, &n)
		p.Currency, p.Category.Branch = "", nil
		want, err := rest.Encode(struct {
			shopadapter.Product
			Changed shopadapter.Fields `json:"changed"`
		}{p, changed})
		if err != nil {
			t.Fatal(err)
		}
		p.Currency = "EUR"
		if got, err := Encode(p, changed); err != nil || string(got) != string(want) {
			t.Errorf("%v\n%s\nwant\n%s", err, got, want)
		}
	})
}
