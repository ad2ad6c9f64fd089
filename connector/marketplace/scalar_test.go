package marketplace

import "testing"

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
