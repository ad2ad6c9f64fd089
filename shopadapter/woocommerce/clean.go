package woocommerce

import (
	"bytes"
	"encoding/base64"
	"html"
	"strings"
	"unicode"

	"github.com/pubsync/pubsync/shopadapter/quote"
)

// maxQuoted bounds what is shown of a text from the shop, in characters.
const maxQuoted = 300

// clean makes a text from the shop fit to be shown: on one line, without tags, control characters
// and secrets, bounded.
func (a *adapter) clean(foreign string) string {
	return quote.Line(
		foreign,
		maxQuoted,
		func(shown string) string { return a.redact.Replace(html.UnescapeString(withoutTags(shown))) },
	)
}

// withoutTags is text with what looks like a tag taken out. A lone < stays.
func withoutTags(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "<")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		end := strings.IndexByte(after, '>')
		if begins := after != "" && (after[0] == '/' || after[0] == '!' || unicode.IsLetter(rune(after[0]))); !begins ||
			end < 0 {
			b.WriteByte('<')
			text = after
			continue
		}
		text = after[end+1:]
	}
}

// redactor replaces the secrets in each form in which a shop could echo them.
func redactor(key, secret string) *strings.Replacer {
	return quote.Hider("[secret]", key, secret, base64.StdEncoding.EncodeToString([]byte(key+":"+secret)))
}

// trimmed is body without the space and the byte order mark that badly written plugins put before
// an answer.
func trimmed(body []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\xef\xbb\xbf")))
}
