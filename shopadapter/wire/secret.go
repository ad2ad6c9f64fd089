package wire

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// formsOf is the forms in which a server may throw a secret back: as it is, escaped for JSON, for
// HTML or for an address, and in base64 of either alphabet. In base64 other text may stand before
// and behind it (the password of "user:password", say). There is none for a secret that is not to
// be hidden.
func formsOf(secret string) (forms []string) {
	if !Hides(secret) {
		return nil
	}
	forms = []string{secret}
	add := func(form string) {
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	quoted, _ := json.Marshal(secret) //nolint:errcheck // a string is always written
	add(string(quoted[1 : len(quoted)-1]))
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(secret) //nolint:errcheck // as above
	unescaped := strings.TrimSuffix(plain.String(), "\n")
	unescaped = unescaped[1 : len(unescaped)-1]
	add(unescaped)
	add(strings.ReplaceAll(unescaped, "/", `\/`)) // as PHP does
	escaped := html.EscapeString(secret)
	add(escaped)
	for _, apostrophe := range []string{"&#39;", "&#039;", "&#x27;", "&apos;", "'"} {
		add(strings.NewReplacer("&#34;", "&quot;", "&#39;", apostrophe).Replace(escaped))
	}
	for _, core := range inBase64(secret) {
		add(core)
		add(strings.ReplaceAll(core, "/", `\/`))
		add(url.QueryEscape(core))
	}
	for _, form := range []string{
		url.QueryEscape(secret), url.PathEscape(secret),
		Percent(secret), everyByte(secret),
	} {
		add(form)
		add(lowerHex.ReplaceAllStringFunc(form, strings.ToLower))
	}
	return forms
}

var lowerHex = regexp.MustCompile(`%[0-9A-F]{2}`)

// everyByte is an address with all but letters and digits escaped.
func everyByte(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(s) {
		if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}

// inBase64 is the characters that a secret alone decides: of each of the three places that it may
// begin at within a group of three bytes.
func inBase64(secret string) (cores []string) {
	for before := range 3 {
		whole := append(make([]byte, before), secret...)
		from, to := (8*before+5)/6, 8*len(whole)/6
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			cores = append(cores, alphabet.EncodeToString(whole)[from:to])
		}
	}
	return cores
}

// Hider replaces each form of each secret by a word that stands for it. The longest is looked for
// first: another may be its beginning.
func Hider(word string, secrets ...string) *strings.Replacer {
	var forms []string
	for _, secret := range secrets {
		forms = append(forms, formsOf(secret)...)
	}
	slices.SortStableFunc(forms, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, word)
	}
	return strings.NewReplacer(pairs...)
}
