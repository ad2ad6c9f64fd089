package dashboard

import (
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/store"
)

// number writes a count as people do: 1,234.
func number(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

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

// when shows how long ago a time was, in full on hover, or none.
func when(v any, none string) template.HTML {
	at, text := timeOf(v), "just now"
	if d := time.Since(at); d >= 2*time.Second {
		text = span(d) + " ago"
	}
	return shown(at, text, none)
}

// due is like when, for what is awaited: a past time is now.
func due(v any, none string) template.HTML {
	at, text := timeOf(v), "now"
	if d := time.Until(at); d >= time.Second {
		text = "in " + span(d)
	}
	return shown(at, text, none)
}

// timeOf returns the zero time for nil, and for a text that is no time.
func timeOf(v any) (at time.Time) {
	switch v := v.(type) {
	case time.Time:
		at = v
	case *time.Time:
		if v != nil {
			at = *v
		}
	case store.Instant:
		at = v.Time()
	case string:
		at, _ = time.Parse(time.RFC3339, v) //nolint:errcheck // then it is none
	}
	return at.UTC()
}

func shown(at time.Time, text, none string) template.HTML {
	if at.IsZero() {
		return template.HTML(template.HTMLEscapeString(none)) //nolint:gosec // escaped
	}
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`, //nolint:gosec // of a time alone
		at.Format(time.RFC3339), at.Format("2 Jan 2006, 15:04:05 MST"), text))
}

func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}

// web returns only http and https addresses: a shop could answer with javascript: or file:.
func web(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	return address
}
