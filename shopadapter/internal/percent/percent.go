// Package percent encodes texts for addresses and signatures.
package percent

import (
	"fmt"
	"strings"
)

// Encode percent-encodes all of a text but RFC 3986's unreserved characters. url.PathEscape and
// url.QueryEscape leave others as they are.
func Encode(text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
