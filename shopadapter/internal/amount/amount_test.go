package amount_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter/internal/amount"
)

func TestParse(t *testing.T) {
	for _, text := range []string{"0", "19.95", "007.10", strings.Repeat("9", 24)} {
		if _, ok := amount.Parse(text); !ok {
			t.Errorf("%q is an amount", text)
		}
	}
	for _, text := range []string{
		"", ".", "1.", ".5", "-1", "+1", "1e3", "1,50", " 1", "1.2.3", "NaN",
		strings.Repeat("9", 25),
	} {
		if d, ok := amount.Parse(text); ok {
			t.Errorf("%q is %s", text, d)
		}
	}
}

func TestSame(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"19.95", "19.950", true},
		{"20", "20.00", true},
		{"19.95", "19.96", false},
		{"", "", false},
		{"9007199254740993", "9007199254740992", false},
	} {
		if got := amount.Same(tt.a, tt.b); got != tt.want {
			t.Errorf("%s and %s: %t", tt.a, tt.b, got)
		}
	}
}
