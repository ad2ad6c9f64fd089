// Package say is how the program speaks to people: text that is safe on a terminal, tables, times,
// and log records.
package say

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-isatty"
)

const cellWidth = 80

// Plain returns the text without control characters, cut to a readable width.
func Plain(s string) string {
	s = Harmless(s)
	if r := []rune(s); len(r) > cellWidth {
		return string(r[:cellWidth-1]) + "…"
	}
	return s
}

// Harmless returns the text without what moves a cursor or turns the direction of writing.
func Harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if moves(r) {
			return -1
		}
		return r
	}, s)
}

// moves reports whether a character acts on a terminal: control, line separators, marks of direction.
func moves(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

func HarmlessLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Harmless(line)
	}
	return strings.Join(lines, "\n")
}

// Table writes rows in columns, each cell without the characters that move a terminal's cursor. The
// last column is not cut: it holds what is wrong, and an error often says so at its end.
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

func Ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format(time.DateTime) + " (" + time.Since(t).Round(time.Second).String() + " ago)"
}

func Ahead(t *time.Time) string {
	if t == nil {
		return "not scheduled"
	}
	return t.Local().Format(time.DateTime) + " (in " + time.Until(*t).Round(time.Second).String() + ")"
}

func IsTerminal(w io.Writer) bool {
	if live, ok := w.(*Live); ok {
		w = live.w
	}
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// LogHandler writes records as JSON, or as text for a terminal. It removes secrets with redact.
func LogHandler(w io.Writer, format string, level slog.Level, noColor bool, redact func(string) string) slog.Handler {
	clean := cleaner(redact)
	if format == "json" {
		return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: clean})
	}
	return tint.NewTextHandler(w,
		&tint.Options{Level: level, TimeFormat: time.TimeOnly, NoColor: noColor, ReplaceAttr: clean})
}

// cleaner removes from attributes every secret, invalid UTF-8, at which the text handler stops, and the
// characters that move a terminal's cursor, which tint writes as they are. The handlers escape line feeds and
// tabs.
func cleaner(redact func(string) string) func([]string, slog.Attr) slog.Attr {
	clean := func(s string) slog.Value {
		return slog.StringValue(redact(strings.Map(func(r rune) rune {
			if moves(r) && r != '\n' && r != '\t' || r == utf8.RuneError {
				return -1
			}
			return r
		}, s)))
	}
	return func(_ []string, a slog.Attr) slog.Attr {
		switch v := a.Value.Any().(type) {
		case string:
			a.Value = clean(v)
		case error:
			a.Value = clean(v.Error())
		case []string, []byte, map[string]string:
			a.Value = clean(fmt.Sprintf("%s", v))
		}
		return a
	}
}

// A Live writes to a terminal whose last line is replaced. What else is written stands above it.
type Live struct {
	mu   sync.Mutex
	w    io.Writer
	line string
}

func NewLive(w io.Writer) *Live { return &Live{w: w} }

const clearLine = "\r\x1b[K"

// Show replaces the last line. An empty one takes it away.
func (l *Live) Show(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = Plain(line)
	_, _ = io.WriteString(l.w, clearLine+l.line) //nolint:errcheck // nobody looks at the terminal any more
}

func (l *Live) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.line == "" {
		return l.w.Write(p)
	}
	if _, err := io.WriteString(l.w, clearLine); err != nil {
		return 0, err
	}
	n, err := l.w.Write(p)
	if err == nil {
		_, err = io.WriteString(l.w, l.line)
	}
	return n, err
}

// Program returns the words that start this program: the binary that go run makes is gone once it ends.
func Program() string {
	if strings.Contains(filepath.ToSlash(os.Args[0]), "/go-build") {
		return "go run ./cmd/pubsync"
	}
	return os.Args[0]
}
