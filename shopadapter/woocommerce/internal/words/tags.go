package words

import (
	"strings"
	"unicode"
)

// WithoutTags is text with what looks like a tag taken out. A lone < stays.
func WithoutTags(text string) string {
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
