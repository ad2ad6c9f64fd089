package say

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lmittmann/tint"
)

// LogHandler writes records as JSON, or as text for a terminal. It removes secrets with redact.
func LogHandler(w io.Writer, format string, level slog.Level, noColor bool, redact func(string) string) slog.Handler {
	clean := cleaner{redact}.clean
	if format == "json" {
		return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: clean})
	}
	return tint.NewTextHandler(w,
		&tint.Options{Level: level, TimeFormat: time.TimeOnly, NoColor: noColor, ReplaceAttr: clean})
}

// A cleaner removes from attributes every secret, and the characters that move a terminal's cursor,
// which tint writes as they are.
type cleaner struct{ redact func(string) string }

func (c cleaner) clean(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Any().(type) {
	case string:
		a.Value = slog.StringValue(c.write(v))
	case error:
		a.Value = slog.StringValue(c.write(v.Error()))
	case []string, []byte, map[string]string:
		a.Value = slog.StringValue(c.write(fmt.Sprintf("%s", v)))
	}
	return a
}

// write keeps line feeds and tabs, which the handlers escape. It removes invalid UTF-8, at which
// the text handler stops.
func (c cleaner) write(s string) string {
	return c.redact(strings.Map(func(r rune) rune {
		if moves(r) && r != '\n' && r != '\t' || r == utf8.RuneError {
			return -1
		}
		return r
	}, s))
}
