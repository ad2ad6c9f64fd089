package dashboard

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// number writes a number, or what a pointer points to, as people do: 1,234.5.
func number(n any) string {
	n = reflect.Indirect(reflect.ValueOf(n)).Interface()
	text := fmt.Sprint(n)
	if f, ok := n.(float64); ok {
		text = strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64)
	}
	whole, rest, dot := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0 && whole[at-1] != '-'; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if dot {
		whole += "." + rest
	}
	return whole
}

func count(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return number(n) + " " + many
}

// share returns a part of a whole in percent.
func share(part, of any) string {
	var some, all float64
	_, _ = fmt.Sscan(fmt.Sprint(part, " ", of), &some, &all) //nolint:errcheck // they are numbers
	return fmt.Sprintf("%.1f%%", min(100, max(0, 100*some/max(all, 1))))
}

// when shows what is a time in JSON as a distance, in full on hover, or none.
func when(v any, none string) template.HTML { return timeOf(v, none, false) }

// due is like when, for what is awaited: a past time is now.
func due(v any, none string) template.HTML { return timeOf(v, none, true) }

func timeOf(v any, none string, awaited bool) template.HTML {
	var t time.Time
	data, _ := json.Marshal(v)   //nolint:errcheck // a time, or a text
	_ = json.Unmarshal(data, &t) //nolint:errcheck // a text that is no time is none
	if t.IsZero() {
		return template.HTML(template.HTMLEscapeString(none)) //nolint:gosec // escaped
	}
	t = t.UTC()
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`, //nolint:gosec // of a time alone
		t.Format(time.RFC3339), t.Format("2 Jan 2006, 15:04:05 MST"), distance(time.Until(t), awaited)))
}

func distance(d time.Duration, awaited bool) string {
	switch {
	case awaited && d < time.Second:
		return "now"
	case d.Abs() < 2*time.Second:
		return "just now"
	case d > 0:
		return "in " + span(d)
	default:
		return span(-d) + " ago"
	}
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
