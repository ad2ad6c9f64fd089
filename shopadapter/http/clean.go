package httpshop

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/pubsync/pubsync/shopadapter/quote"
)

// maxText bounds what is shown of a text from the endpoint, in characters.
const maxText = 300

// clean makes a text from the endpoint fit to be shown: on one line, without control or invisible characters, without the token, bounded.
func (a *adapter) clean(foreign string) string { return quote.Line(foreign, maxText, a.redact.Replace) }

// redactor replaces the token in each form in which an endpoint could echo it.
func redactor(token string) *strings.Replacer {
	if token == "" {
		return strings.NewReplacer()
	}
	quoted, _ := json.Marshal(token)
	var pairs []string
	for _, form := range []string{
		token, strings.Trim(string(quoted), `"`), strings.NewReplacer(`\`, `\\`, `"`, `\"`, "/", `\/`).Replace(token),
		url.QueryEscape(token), url.PathEscape(token),
	} {
		pairs = append(pairs, form, "[token]")
	}
	return strings.NewReplacer(pairs...)
}

// isPage tells a page of HTML, which a proxy or a framework answers in the endpoint's place, from text and JSON. The content type does not
// tell: some languages say text/html of everything.
func isPage(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
}
