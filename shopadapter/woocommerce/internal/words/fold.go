package words

import (
	"html"
	"strings"
	"unicode"
)

// Fold is the words of a name in lower case, joined by underscores as the marketplace joins
// those of a path.
func Fold(name string) string {
	name = strings.ToLower(strings.ReplaceAll(html.UnescapeString(name), "&", " and "))
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), "_")
}

// FoldNames is the names of a branch, folded as the paths of the shop's categories are.
func FoldNames(names []string) string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = Fold(name)
	}
	return strings.Join(parts, "_")
}

// FoldPath is a path such as Garden/Tools, folded in the same way.
func FoldPath(path string) string {
	var parts []string
	for part := range strings.SplitSeq(path, "/") {
		if folded := Fold(part); folded != "" {
			parts = append(parts, folded)
		}
	}
	return strings.Join(parts, "_")
}
