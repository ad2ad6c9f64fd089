package wire

import (
	"bytes"
	"net/url"
	"strings"
	"unicode"
)

// IsPage tells a page of HTML, which a proxy, a firewall or a framework answers in the shop's
// place, from text and JSON. The content type does not tell: some languages say text/html of
// everything. Space and a byte order mark may stand before it.
func IsPage(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\uFEFF"))), []byte("<"))
}

// Line is a text from elsewhere as an error of ours shows it: on one line, without control and
// invisible characters, cut to the given number of characters. mend takes out secrets and all else
// that should not be shown: it is called once nothing can hide in the text any more, and before a cut
// could leave half of a secret.
func Line(foreign string, most int, mend func(string) string) string {
	shown := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(foreign, "\uFFFD"))
	shown = strings.Join(strings.Fields(mend(shown)), " ")
	characters := 0
	for i := range shown {
		if characters == most {
			return shown[:i] + "…"
		}
		characters++
	}
	return shown
}

// Percent is a text with all but RFC 3986's unreserved characters percent-encoded, as signatures and
// single segments of a path need it: url.PathEscape leaves others as they are.
func Percent(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
