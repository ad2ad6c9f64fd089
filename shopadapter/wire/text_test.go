package wire

import (
	"strings"
	"testing"
)

func TestHides(t *testing.T) {
	for secret, want := range map[string]bool{
		"": false, "tok": false, "1234567": false, "12345678": true,
		"market-t0ken": true,
	} {
		if got := Hides(secret); got != want {
			t.Errorf("%q: %t, want %t", secret, got, want)
		}
	}
}

func TestIsPage(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "{}": false, "no <b>": false, "<!doctype html>": true, "\n <html>": true, " \uFEFF\n<p>": true,
		"\uFEFF{}": false,
	} {
		if got := IsPage([]byte(text)); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	same := func(s string) string { return s }
	redact := strings.NewReplacer("s3cret", "[token]").Replace
	for _, tt := range []struct {
		name, text string
		most       int
		mend       func(string) string
		want       string
	}{
		{"plain", "no such product", 100, same, "no such product"},
		{"one line", "a\r\n\tb  c ", 100, same, "a b c"},
		{"no control characters", "\x1b[31mred\x1b[0m\x00", 100, same, "[31mred[0m"},
		{"no invisible ones", "a\u200bb\u202ec", 100, same, "abc"},
		{"not UTF-8", "a\xffb", 100, same, "a\uFFFDb"},
		{"cut at characters", "äöüß", 3, same, "äöü…"},
		{"just as long", "äöü", 3, same, "äöü"},
		{"a secret", "token s3cret refused", 100, redact, "token [token] refused"},
		{"a secret that hides", "token s3\x00cr\u200bet refused", 100, redact, "token [token] refused"},
		{"a secret at the cut", "token s3cret refused", 9, redact, "token [to…"},
		{"nothing", "", 10, same, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Line(tt.text, tt.most, tt.mend); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestPercent(t *testing.T) {
	for text, want := range map[string]string{
		"aZ09-._~": "aZ09-._~",
		"a/b c+&=": "a%2Fb%20c%2B%26%3D",
		"é\x00%":   "%C3%A9%00%25",
	} {
		if got := Percent(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
