// The form of the log follows its settings and the terminal.

package main_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestTheFormOfTheLog(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(1)
	first := func(text string) string {
		l, _, _ := strings.Cut(text, "\n")
		return l
	}
	for format, isJSON := range map[string]bool{"": true, "auto": true, "json": true, "text": false} {
		r := s.callWith([]string{
			"LOG_FORMAT", format, "LOG_LEVEL", "debug", "STORE_PATH",
			filepath.Join(s.dir, "log-"+format+".db"),
		}, "run", "--once")
		if l := first(r.stderr); l == "" || json.Valid([]byte(l)) != isJSON || strings.Contains(r.stderr, "\x1b[") {
			t.Errorf("format %q: %q", format, l)
		}
	}
	if r := s.callWith([]string{"LOG_LEVEL", "error"}, "run", "--once"); r.stderr != "" {
		t.Errorf("at level error: %s", r.stderr)
	}
}
