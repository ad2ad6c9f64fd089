// Package say makes text, tables, times and log records for people.
package say

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-isatty"
)

const cellWidth = 80

// Plain is Harmless, cut to a readable width.
func Plain(s string) string { return Cut(Harmless(s), cellWidth) }

// Cut returns at most that many characters.
func Cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// Harmless removes what moves a cursor or turns the direction of writing.
func Harmless(s string) string { return harmless(s, "") }

// HarmlessLines is Harmless, but keeps line feeds.
func HarmlessLines(s string) string { return harmless(s, "\n") }

func harmless(s, but string) string {
	return strings.Map(func(r rune) rune {
		if moves(r) && !strings.ContainsRune(but, r) {
			return -1
		}
		return r
	}, s)
}

// moves is true for control characters, line separators and marks of direction.
func moves(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// Table leaves the last column uncut: an error often says what is wrong at its end.
func Table(w io.Writer, head []string, rows [][]string) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(head, "\t"))
	for _, row := range rows {
		for i, cell := range row {
			if row[i] = Plain(cell); i == len(head)-1 {
				row[i] = Harmless(cell)
			}
		}
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	_ = t.Flush() //nolint:errcheck // the writer keeps its error
}

// Ago returns a time, and how long ago it was.
func Ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format(time.DateTime) + " (" + time.Since(t).Round(time.Second).String() + " ago)"
}

// Ahead returns a time, and how far it is ahead.
func Ahead(t time.Time) string {
	if t.IsZero() {
		return "not scheduled"
	}
	return t.Local().Format(time.DateTime) + " (in " + time.Until(t).Round(time.Second).String() + ")"
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// LogHandler writes JSON, or text for a terminal, which auto tells apart; redact removes secrets.
func LogHandler(w io.Writer, format string, level slog.Level, noColor bool, redact func(string) string) slog.Handler {
	clean := cleaner(redact)
	if format == "json" || format == "auto" && !IsTerminal(w) {
		return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: clean})
	}
	return tint.NewTextHandler(w,
		&tint.Options{Level: level, TimeFormat: time.TimeOnly, NoColor: noColor, ReplaceAttr: clean})
}

// cleaner removes secrets, invalid UTF-8 (the text handler stops there), and what moves the cursor (tint writes it),
// but not \n and \t, which the handlers escape.
func cleaner(redact func(string) string) func([]string, slog.Attr) slog.Attr {
	return func(_ []string, a slog.Attr) slog.Attr {
		var text string
		switch v := a.Value.Any().(type) {
		case string:
			text = v
		case error:
			text = v.Error()
		case []string, []byte, map[string]string:
			text = fmt.Sprintf("%s", v)
		default:
			return a
		}
		a.Value = slog.StringValue(redact(harmless(strings.ToValidUTF8(text, ""), "\n\t")))
		return a
	}
}

// Program returns the words that start this program: go run deletes its binary at the end.
func Program() string {
	if strings.Contains(filepath.ToSlash(os.Args[0]), "/go-build") {
		if info, ok := debug.ReadBuildInfo(); ok {
			return "go run ." + strings.TrimPrefix(info.Path, info.Main.Path)
		}
	}
	return os.Args[0]
}
