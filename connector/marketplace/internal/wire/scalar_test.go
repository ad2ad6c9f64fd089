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
		var got Text
		if err := got.UnmarshalJSON([]byte(sent)); err != nil || string(got) != want {
			t.Errorf(
				"%d bytes are read as %d bytes ending in %q, %v",
				len(sent),
				len(got),
				got[max(len(got)-3, 0):],
				err,
			)
		}
	}
}
