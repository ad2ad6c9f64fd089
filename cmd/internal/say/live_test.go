package say

import (
	"bytes"
	"testing"
)

// What is written stands above the line that is shown, and nothing is left of that in the end.
func TestLive(t *testing.T) {
	var out bytes.Buffer
	l := NewLive(&out)
	for _, write := range []func(){
		func() { _, _ = l.Write([]byte("one\n")) },
		func() { l.Show("10 done") },
		func() { _, _ = l.Write([]byte("two\n")) },
		func() { l.Show("20 done\x1b[2J") },
		func() { l.Show("") },
		func() { _, _ = l.Write([]byte("three\n")) },
	} {
		write()
	}
	want := "one\n" + clearLine + "10 done" + clearLine + "two\n10 done" + clearLine + "20 done[2J" + clearLine + "three\n"
	if got := out.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
