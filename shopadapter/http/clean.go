package httpshop

import (
	"strings"

	"github.com/pubsync/pubsync/shopadapter/quote"
)

// maxText bounds what is shown of a text from the endpoint, in characters.
const maxText = 300

// clean makes a text from the endpoint fit to be shown: on one line, without control or invisible characters, without the token, bounded.
func (a *adapter) clean(foreign string) string { return quote.Line(foreign, maxText, a.redact.Replace) }

// redactor replaces the token in each form in which an endpoint could echo it.
func redactor(token string) *strings.Replacer { return quote.Hider("[token]", token) }
