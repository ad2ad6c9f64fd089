package say

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// What is kept comes out as it was written, and once. Of a lot the newest lines stay whole.
func TestKept(t *testing.T) {
	var k Kept
	fmt.Fprintln(&k, "one")
	fmt.Fprintln(&k, "two")
	var out bytes.Buffer
	if err := k.LetOut(&out); err != nil || out.String() != "one\ntwo\n" {
		t.Errorf("got %q and %v, want both lines", out.String(), err)
	}
	out.Reset()
	if err := k.LetOut(&out); err != nil || out.Len() != 0 {
		t.Errorf("once more: got %q and %v, want nothing", out.String(), err)
	}
	for i := range 100_000 {
		fmt.Fprintf(&k, "line %06d of a long log\n", i)
	}
	if err := k.LetOut(&out); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	if len(got) > mostKept || !strings.HasSuffix(got, "line 099999 of a long log\n") {
		t.Errorf("got %d bytes that end in %q, want the end of the log, bounded", len(got), got[len(got)-30:])
	}
	if !strings.HasPrefix(got, "…\nline ") {
		t.Errorf("got a beginning of %q, want a sign that something is missing, and whole lines", got[:20])
	}
}
