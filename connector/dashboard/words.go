package dashboard

import (
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/pubsync/pubsync/store"
)

func number(n int) string { return humanize.Comma(int64(n)) }

func count(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return number(n) + " " + many
}

// share returns a part of a whole in percent.
func share(part, of int) string {
	return fmt.Sprintf("%.1f%%", min(100, 100*float64(part)/float64(max(of, 1))))
}

// when shows how far away a time is, in full on hover, or none. A text that is no time is none.
func when(v any, none string) template.HTML {
	var at time.Time
	switch v := v.(type) {
	case time.Time:
		at = v
	case store.Instant:
		at = v.Time()
	case string:
		at, _ = time.Parse(time.RFC3339, v) //nolint:errcheck // as above
	}
	if at.IsZero() {
		return template.HTML(template.HTMLEscapeString(none)) //nolint:gosec // escaped
	}
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`, //nolint:gosec // of a time alone
		at.UTC().Format(time.RFC3339), at.UTC().Format("2 Jan 2006, 15:04:05 MST"), humanize.Time(at)))
}

// due is when for what is awaited: a past time is now.
func due(at store.Instant, none string) template.HTML {
	if at != 0 {
		at = max(at, store.At(time.Now()))
	}
	return when(at, none)
}

// web returns only http and https addresses: a shop could answer with javascript: or file:.
func web(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	return address
}

// quoted returns a value as an env file needs it.
func quoted(value string) string {
	if strings.ContainsAny(value, " \t#'\"$") {
		return "'" + value + "'"
	}
	return value
}
