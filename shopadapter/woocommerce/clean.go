package woocommerce

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"strings"
	"unicode"

	"github.com/pubsync/pubsync/shopadapter/quote"
)

// maxQuoted bounds what is shown of a text from the shop, in characters.
const maxQuoted = 300

// clean makes a text from the shop fit to be shown: on one line, without tags, control characters and secrets, bounded.
func (a *adapter) clean(foreign string) string {
	return quote.Line(foreign, maxQuoted, func(shown string) string { return a.redact.Replace(html.UnescapeString(withoutTags(shown))) })
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
		if begins := after != "" && (after[0] == '/' || after[0] == '!' || unicode.IsLetter(rune(after[0]))); !begins || end < 0 {
			b.WriteByte('<')
			text = after
			continue
		}
		text = after[end+1:]
	}
}

// redactor replaces the secrets in each form in which a shop could echo them.
func redactor(key, secret string) *strings.Replacer {
	var pairs []string
	add := func(text, shown string) {
		quoted, _ := json.Marshal(text)
		for _, form := range []string{text, strings.Trim(string(quoted), `"`), url.QueryEscape(text), url.PathEscape(text)} {
			if form != "" {
				pairs = append(pairs, form, shown)
			}
		}
	}
	add(base64.StdEncoding.EncodeToString([]byte(key+":"+secret)), "[credentials]")
	for text, shown := range map[string]string{key: "[key]", secret: "[secret]"} {
		add(text, shown)
		add(base64.StdEncoding.EncodeToString([]byte(text)), shown)
	}
	return strings.NewReplacer(pairs...)
}

// isPage tells a page of HTML, which a proxy, a firewall or WordPress itself answers in the API's place. The content type does not tell.
func isPage(body []byte) bool { return bytes.HasPrefix(trimmed(body), []byte("<")) }

// trimmed is body without the space and the byte order mark that badly written plugins put before an answer.
func trimmed(body []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\xef\xbb\xbf")))
}
