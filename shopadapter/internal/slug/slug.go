// Package slug makes the readable part of an address from a title.
package slug

import (
	"strings"
	"unicode"
)

// Of returns a text's words in lower case, joined by hyphens. A word is a run of letters, digits and their marks.
// Words beyond most characters are left out.
func Of(text string, most int) string {
	return join(text, most, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) })
}

// ASCII is Of in ASCII letters and digits. It folds the accents of the marketplace's languages; any other letter ends
// a word.
func ASCII(text string, most int) string {
	return join(folded.Replace(strings.ToLower(text)), most,
		func(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' })
}

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
