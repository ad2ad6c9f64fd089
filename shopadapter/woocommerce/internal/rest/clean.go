package rest

import (
	"bytes"
	"encoding/base64"
	"html"
	"strings"

	"github.com/pubsync/pubsync/shopadapter/quote"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// maxQuoted bounds what is shown of a text from the shop, in characters.
const maxQuoted = 300

// Clean makes a text from the shop fit to be shown: on one line, without tags, control characters
// and secrets, bounded.
func (c *Client) Clean(foreign string) string {
	return quote.Line(
		foreign,
		maxQuoted,
		func(shown string) string { return c.redact.Replace(html.UnescapeString(words.WithoutTags(shown))) },
	)
}

// redactor replaces the secrets in each form in which a shop could echo them.
func redactor(key, secret string) *strings.Replacer {
	return quote.Hider("[secret]", key, secret, base64.StdEncoding.EncodeToString([]byte(key+":"+secret)))
}

// Trimmed is body without the space and the byte order mark that badly written plugins put before
// an answer.
func Trimmed(body []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\xef\xbb\xbf")))
}
