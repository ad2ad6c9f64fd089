package say

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"unicode"
)

// nasty is what a supplier, a shop or a stranger may put into a title, an error or a header:
// colours, a new title for the window, a cleared screen, a line that looks like ours, turned
// writing, bytes that are no UTF-8.
const nasty = "lamp\x1b[31m\x1b]0;owned\x07\x1b[2J\r\nlevel=ERROR msg=\"all is " +
	"lost\"\u009b1m\u202eexe.gpj\u2066\u2028\x00\x7f\xff\x9b end"

func TestNothingInALogMovesTheCursor(t *testing.T) {
	for _, tt := range []struct {
		format  string
		noColor bool
	}{{"json", false}, {"text", false}, {"text", true}} {
		var out bytes.Buffer
		log := slog.New(LogHandler(&out, tt.format, slog.LevelInfo, tt.noColor, func(s string) string { return s }))
		log.With("with", nasty).
			WithGroup("group").
			Info("one line", "text", nasty, "error", errors.New(nasty), "list", []string{nasty},
				slog.Group("inner", "text", nasty))
		line := strings.TrimSuffix(out.String(), "\n")
		if !tt.noColor && tt.format == "text" {
			for _, colour := range []string{"\x1b[92m", "\x1b[2m", "\x1b[0m"} { // those that a line of this level has
				line = strings.ReplaceAll(line, colour, "")
			}
		}
		if i := strings.IndexFunc(line, func(r rune) bool { return unicode.IsControl(r) || moves(r) }); i >= 0 {
			t.Errorf("%+v: at %d of %q", tt, i, line)
		}
		for _, word := range []string{"lamp", "end"} {
			if n := strings.Count(line, word); n != 5 {
				t.Errorf("%+v: %q stands %d times in %q, want 5", tt, word, n, line)
			}
		}
	}
}

func TestNoTableMovesTheCursor(t *testing.T) {
	var out bytes.Buffer
	Table(&out, []string{"ID"}, [][]string{{nasty}})
	if i := strings.IndexFunc(out.String(), func(r rune) bool { return r != '\n' && moves(r) }); i >= 0 {
		t.Errorf("at %d of %q a character moves the cursor, want none", i, out.String())
	}
	if !strings.Contains(out.String(), "lamp") {
		t.Errorf("printed %q, want the text", out.String())
	}
}
