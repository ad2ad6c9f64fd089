package wire

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

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

var (
	upperHex = regexp.MustCompile(`%[0-9A-F]{2}`)
	unplain  = regexp.MustCompile(`[^0-9A-Za-z]`)
)

// formsOf is the forms in which a server may throw a secret back: as it is, escaped for JSON, for
// HTML or for an address, and in base64 of either alphabet. In base64 other text may stand before
// and behind it (the password of "user:password", say).
func formsOf(secret string) []string {
	escapedJSON, _ := json.Marshal(secret) //nolint:errcheck // a string is always written
	plainJSON, _ := Encode(secret)         //nolint:errcheck // likewise
	everyByte := unplain.ReplaceAllStringFunc(secret, func(c string) string {
		return "%" + strings.ReplaceAll(fmt.Sprintf("% X", c), " ", "%")
	})
	forms := []string{
		secret, string(escapedJSON[1 : len(escapedJSON)-1]), string(plainJSON[1 : len(plainJSON)-1]),
		url.QueryEscape(secret), url.PathEscape(secret), Percent(secret), everyByte,
	}
	escaped := html.EscapeString(secret)
	forms = append(forms, escaped)
	for _, apostrophe := range []string{"&#39;", "&#039;", "&#x27;", "&apos;", "'"} {
		forms = append(forms, strings.NewReplacer("&#34;", "&quot;", "&#39;", apostrophe).Replace(escaped))
	}
	for _, core := range inBase64(secret) {
		forms = append(forms, core, url.QueryEscape(core))
	}
	for _, form := range forms { // a slash as PHP writes it, and hexadecimal digits in lower case
		forms = append(forms, strings.ReplaceAll(form, "/", `\/`), upperHex.ReplaceAllStringFunc(form, strings.ToLower))
	}
	slices.Sort(forms)
	return slices.Compact(forms)
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
