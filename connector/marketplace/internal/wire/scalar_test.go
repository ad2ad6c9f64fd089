package wire

import (
	"strings"
	"testing"
)

func TestTextIsWhatWasSent(t *testing.T) {
	for sent, want := range map[string]Text{
		`"plain"`: "plain", `""`: "", `"a\"b\u00e9\n"`: "a\"bé\n", `12.50`: "12.50", `-1e3`: "-1e3", `true`: "true",
		`null`:              "",
		"\"bad \xff byte\"": "bad \ufffd byte", `"\u003cp\u003e\/\ud83d\ude00"`: "<p>/😀", `"\ud83d"`: "\ufffd",
		`12345678901234567890123`: "12345678901234567890123",
	} {
		var got Text
		switch err := got.UnmarshalJSON([]byte(sent)); {
		case err != nil:
			t.Errorf("%s is read as %q, %v; err: got %v, want nil", sent, got, err, err)
		case got != want:
			t.Errorf("%s is read as %q, %v; got: got %v, want %v", sent, got, err, got, want)
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
		var got Text
		switch err := got.UnmarshalJSON([]byte(sent)); {
		case err != nil:
			t.Errorf(
				"%d bytes are read as %d bytes ending in %q, %v; err: got %v, want nil", len(sent), len(got),
				got[max(len(got)-3, 0):], err, err,
			)
		case string(got) != want:
			t.Errorf(
				"%d bytes are read as %d bytes ending in %q, %v; string(got): got %v, want %v", len(sent), len(got),
				got[max(len(got)-3, 0):], err, string(got), want,
			)
		}
	}
}
