// Package slug makes the readable part of an address from a title.
package slug

import (
	"strings"
	"unicode"
)

// Of is a text in lower case: its words, joined by hyphens. A word is a run of letters, digits and
// the marks on them. Words beyond most characters are left out. It is "" for a text without a word
// that fits.
func Of(text string, most int) string {
	return join(text, most, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) })
}

// ASCII is Of for a shop that takes only ASCII letters and digits. The accents of the marketplace's
// languages are taken off; any other letter ends a word.
func ASCII(text string, most int) string {
	return join(folded.Replace(strings.ToLower(text)), most,
		func(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' })
}

// folded are letters of the marketplace's languages in ASCII.
var folded = strings.NewReplacer(
	"ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "à", "a", "â", "a", "á", "a", "ç", "c", "é", "e", "è", "e",
	"ê", "e", "ë", "e", "î", "i", "ï", "i", "í", "i", "ô", "o", "ó", "o", "œ", "oe", "ù", "u", "û", "u",
	"ú", "u", "ñ", "n", "å", "a", "ø", "o", "æ", "ae",
)

func join(text string, most int, keep func(rune) bool) string {
	var words []string
	length := -1 // one hyphen less than words
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !keep(r) }) {
		if length += 1 + len([]rune(word)); length > most {
			break
		}
		words = append(words, strings.ToLower(word))
	}
	return strings.Join(words, "-")
}
