package install

import (
	"slices"
	"strings"
	"unicode"
)

// scopesOf reads a list of scopes. The specification separates them by commas, and RFC 6749 by
// spaces.
func scopesOf(list string) []string {
	return strings.FieldsFunc(list, func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
}

// missing is the wanted scopes that were not granted. A granted write scope implies the read scope
// of its resource.
func missing(wanted, granted []string) (names []string) {
	for _, w := range wanted {
		resource, reads := strings.CutSuffix(w, "_read")
		if !slices.Contains(granted, w) && !(reads && slices.Contains(granted, resource+"_write")) {
			names = append(names, w)
		}
	}
	return names
}
