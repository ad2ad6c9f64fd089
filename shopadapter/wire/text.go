package wire

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// IsPage tells a page of HTML, which a proxy, a firewall or a framework answers in the shop's
// place, from text and JSON. The content type does not tell: some languages say text/html of
// everything. Space and a byte order mark may stand before it.
func IsPage(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n\uFEFF"), []byte("<"))
}

// Percent is a text with all but RFC 3986's unreserved characters percent-encoded, as signatures and
// single segments of a path need it: url.PathEscape leaves others as they are.
func Percent(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

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
	for i := range shown {
		if most--; most < 0 {
			return shown[:i] + "…"
		}
	}
	return shown
}

// Clean makes one line of at most some 200 characters of a text from elsewhere, without secrets, not
// even their first twelve characters.
func (c *Client) Clean(s string) string {
	const most, start = 200, 12
	var secrets, hidden []string
	if c.o.Secrets != nil {
		secrets = c.o.Secrets()
	}
	h := c.hider.Load()
	if h == nil || !slices.Equal(h.of, secrets) {
		for _, secret := range secrets {
			hidden = append(hidden, secret, hex.EncodeToString([]byte(secret)), secret[:min(start, len(secret))])
		}
		h = &hider{slices.Clone(secrets), Hider("[token]", hidden...)}
		c.hider.Store(h)
	}
	return Line(s, most, h.Replace)
}

// A hider is the [Hider] of some secrets. An answer may need it 10,000 times, and it takes long to make.
type hider struct {
	of []string
	*strings.Replacer
}

// Hides reports whether a secret is to be taken out of texts: when it has eight bytes or more. A
// shorter one may be part of any word ("tok" of "token"), and replacing it would only make the text
// unreadable. The program warns of it at start instead.
func Hides(secret string) bool { return len(secret) >= 8 }

// Hider replaces each form of each secret by a word that stands for it. The longest is looked for
// first: another may be its beginning.
func Hider(word string, secrets ...string) *strings.Replacer {
	var forms []string
	for _, secret := range secrets {
		if Hides(secret) {
			forms = append(forms, formsOf(secret)...)
		}
	}
	slices.SortStableFunc(forms, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, word)
	}
	return strings.NewReplacer(pairs...)
}

var upperHex = regexp.MustCompile(`%[0-9A-F]{2}`)

// formsOf is the forms in which a server may throw a secret back: as it is, escaped for JSON, for HTML
// or for an address, and in base64 of either alphabet. In base64 other text may stand before and behind
// it (the password of "user:password", say): the characters that the secret alone decides are looked
// for, of each of the three places that it may begin at within a group of three bytes.
func formsOf(secret string) []string {
	escapedJSON, _ := json.Marshal(secret) //nolint:errcheck // a string is always written
	plainJSON, _ := Encode(secret)         //nolint:errcheck // likewise
	escaped := html.EscapeString(secret)
	forms := []string{
		secret, string(escapedJSON[1 : len(escapedJSON)-1]), string(plainJSON[1 : len(plainJSON)-1]),
		url.QueryEscape(secret), url.PathEscape(secret), Percent(secret), escaped,
		strings.NewReplacer("&#34;", "&quot;", "&#39;", "&#039;").Replace(escaped), // as PHP writes it
	}
	for before := range 3 {
		whole := append(make([]byte, before), secret...)
		from, to := (8*before+5)/6, 8*len(whole)/6
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			core := alphabet.EncodeToString(whole)[from:to]
			forms = append(forms, core, url.QueryEscape(core))
		}
	}
	for _, form := range forms { // a slash as PHP writes it, and hexadecimal digits in lower case
		forms = append(forms, strings.ReplaceAll(form, "/", `\/`), upperHex.ReplaceAllStringFunc(form, strings.ToLower))
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}
