package marketplace

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTextIsWhatWasSent(t *testing.T) {
	for sent, want := range map[string]text{
		`"plain"`: "plain", `""`: "", `"a\"b\u00e9\n"`: "a\"bé\n", `12.50`: "12.50", `-1e3`: "-1e3", `true`: "true", `null`: "",
		"\"bad \xff byte\"": "bad \ufffd byte", `12345678901234567890123`: "12345678901234567890123",
	} {
		var got text
		if err := got.UnmarshalJSON([]byte(sent)); err != nil || got != want {
			t.Errorf("%s is read as %q, %v", sent, got, err)
		}
	}
}

func TestALongTextIsCut(t *testing.T) {
	long := strings.Repeat("x", longestText-1)
	for sent, want := range map[string]string{
		`"` + long + `x"`:                  long + "x",
		`"` + long + `xx"`:                 long + "x",
		`"` + long + `é"`:                  long,
		`"` + long + `\u00e9"`:             long,
		`"\n` + long + `x"`:                "\n" + long,
		strings.Repeat("7", longestText*2): strings.Repeat("7", longestText),
	} {
		var got text
		if err := got.UnmarshalJSON([]byte(sent)); err != nil || string(got) != want {
			t.Errorf("%d bytes are read as %d bytes ending in %q, %v", len(sent), len(got), got[max(len(got)-3, 0):], err)
		}
	}
}

// FuzzText holds that a string is read as encoding/json reads it.
func FuzzText(f *testing.F) {
	for _, sent := range []string{
		`""`, `"`, `"a`, `"plain ë"`, `"\u003cp\u003eLamp \u0026 shade\u003c/p\u003e"`, `"\"\\\/\b\f\n\r\t"`, `"\u00e9\u20AC\u0000"`, `"\ud83d\ude00 \ud83d"`,
		`"\x"`, `"\u00"`, `"\u00g0"`, `"\"`, "\"bad \xff \\n byte\"", "\"a \n\\n\"",
	} {
		f.Add(sent)
	}
	f.Fuzz(func(t *testing.T, sent string) {
		var want string
		if len(sent) == 0 || sent[0] != '"' || json.Unmarshal([]byte(sent), &want) != nil {
			t.Skip("no string")
		}
		var got text
		if err := got.UnmarshalJSON([]byte(strings.TrimSpace(sent))); err != nil || string(got) != cut(want) {
			t.Errorf("%s is read as %q, %v, want %q", sent, got, err, want)
		}
	})
}
