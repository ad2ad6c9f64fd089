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

// IsPage reports whether a body is HTML, which a proxy, a firewall or a framework answers in the shop's place. The
// content type does not tell: some languages say text/html of everything.
func IsPage(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n\uFEFF"), []byte("<"))
}

// Percent percent-encodes all but RFC 3986's unreserved characters, as signatures and path segments need it.
func Percent(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// Line returns foreign text on one line, cut to most characters. mend takes out secrets, after invisible characters
// are gone and before a cut could halve one.
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

// Clean returns foreign text as a Line of 200 characters, without secrets or their first twelve characters.
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

// A hider is the [Hider] of some secrets: slow to make, and an answer may need it 10,000 times.
type hider struct {
	of []string
	*strings.Replacer
}

// Hides reports whether a secret is taken out of texts: below eight bytes it may be part of any word.
func Hides(secret string) bool { return len(secret) >= 8 }

// Hider replaces each form of each secret that Hides by a word, the longest first: another may be its beginning.
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

// formsOf returns the forms in which a server may throw a secret back. In base64 other text may surround it, so these
// are the characters that it alone decides, at each of three offsets within three bytes.
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
	for _, form := range forms { // PHP's slash, and lower-case hexadecimal digits
		forms = append(forms, strings.ReplaceAll(form, "/", `\/`), upperHex.ReplaceAllStringFunc(form, strings.ToLower))
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}
