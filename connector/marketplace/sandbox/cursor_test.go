package sandbox

import (
	"encoding/base64"
	"math"
	"testing"
)

func TestCursor(t *testing.T) {
	for _, c := range []cursor{
		{order: byID, id: "a"},
		{order: byID, id: ""},
		{order: byTime, generation: 3, at: 1_732_000_000_123_456, id: "id.with.dots and ü"},
		{order: byVariant, generation: math.MaxUint64, at: math.MinInt64, id: "v"},
		{order: byNumber, id: "12"},
	} {
		got, err := decodeCursor(c.encode())
		switch {
		case err != nil:
			t.Errorf("%+v came back as %+v, %v; err: got %v, want nil", c, got, err, err)
		case got != c:
			t.Errorf("%+v came back as %+v, %v; got: got %v, want %v", c, got, err, got, c)
		}
	}
}

func TestCursorRefuses(t *testing.T) {
	raw := base64.RawURLEncoding.EncodeToString
	for _, tt := range []struct{ name, cursor string }{
		{"nothing", ""},
		{"no base64", "%%%"},
		{"padding", "aTAuMC5wMQ=="},
		{"spare bits", "aTAuMC5wMR"},
		{"a line break", "aTAu\nMC5wMQ"},
		{"an order that is none", raw([]byte("z0.0.a"))},
		{"no generation", raw([]byte("i.0.a"))},
		{"no time", raw([]byte("i0"))},
		{"a time that is none", raw([]byte("u0.?.a"))},
		{"a second spelling of a number", raw([]byte("i00.0.a"))},
		{"a sign", raw([]byte("i0.+0.a"))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if c, err := decodeCursor(tt.cursor); err == nil {
				t.Errorf("got %+v, want an error", c)
			}
		})
	}
}
