package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lmittmann/tint"
)

// logger writes to standard error: in colours on a terminal, else as JSON.
func (a *app) logger(c *config, level slog.Level) *slog.Logger {
	terminal := isTerminal(a.stderr)
	format := c.LogFormat
	if format == "auto" && !terminal {
		format = "json"
	}
	return slog.New(logHandler(a.stderr, format, level, a.noColor || !terminal, c.secrets))
}

func logHandler(w io.Writer, format string, level slog.Level, noColor bool, secrets []string) slog.Handler {
	shown := clerk{redactor(secrets)}.shown
	if format == "json" {
		return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: shown})
	}
	return tint.NewTextHandler(w, &tint.Options{Level: level, TimeFormat: time.TimeOnly, NoColor: noColor, ReplaceAttr: shown})
}

// A clerk writes down what others said: without what moves a terminal's cursor, which the handler for terminals lets pass, and without a secret, should
// one ever come this far.
type clerk struct{ redact *strings.Replacer }

func (c clerk) shown(_ []string, a slog.Attr) slog.Attr {
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

// write keeps line feeds and tabs, which the handlers write as escapes. At what is no UTF-8 the handler for text would end.
func (c clerk) write(s string) string {
	return c.redact.Replace(strings.Map(func(r rune) rune {
		if moves(r) && r != '\n' && r != '\t' || r == utf8.RuneError {
			return -1
		}
		return r
	}, s))
}

// A secret shorter than this may be a part of any word, and is not looked for.
const shortSecret = 8

// redactor takes secrets out of a text, in each form in which it may hold them. The longest is looked for first: another may be its beginning.
func redactor(secrets []string) *strings.Replacer {
	var pairs []string
	for _, secret := range slices.SortedFunc(slices.Values(secrets), func(a, b string) int { return cmp.Compare(len(b), len(a)) }) {
		if len(secret) < shortSecret {
			continue
		}
		quoted, _ := json.Marshal(secret) //nolint:errcheck // a string is always written
		for _, form := range []string{secret, strings.Trim(string(quoted), `"`), url.QueryEscape(secret), url.PathEscape(secret)} {
			pairs = append(pairs, form, "[secret]")
		}
	}
	return strings.NewReplacer(pairs...)
}
