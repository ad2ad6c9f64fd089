// Package quote makes a text from elsewhere, a shop's error message as a rule, fit to be shown in an error of ours: a merchant reads it in a terminal, a
// log or a page, and it was written by nobody we know.
package quote

import (
	"strings"
	"unicode"
)

// Line is the text on one line, without control and invisible characters, cut to the given number of characters. mend takes secrets out of it, and
// whatever else should not be shown: it is called once nothing can hide in the text any more, and before a cut could leave half of a secret.
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
	characters := 0
	for i := range shown {
		if characters == most {
			return shown[:i] + "…"
		}
		characters++
	}
	return shown
}
