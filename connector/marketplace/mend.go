package marketplace

import (
	"regexp"
	"slices"
	"strings"
)

// idMismatch is a validation error about the variable of an id, in whatever words: it names the variable and both types.
var idMismatch = regexp.MustCompile(`\$id\d*\b`)

// mend changes f to the next form that complaint asks for, and says which. Each form is left at most once, so that a server that refuses all of
// them is not asked in circles.
func (f *Forms) mend(mutation bool, complaint string, tried map[string]bool) (what string, ok bool) {
	named := tokens(complaint)
	lower := strings.ToLower(complaint)
	once := func(form string) bool {
		if tried[form] {
			return false
		}
		tried[form] = true
		what, ok = form, true
		return true
	}

	if strings.Contains(lower, "field") || strings.Contains(lower, "translation") {
		f.Languages = slices.DeleteFunc(f.Languages, func(language string) bool { return named[language] && once("without language "+language) })
		if named["nodes"] {
			for _, kind := range []string{"variant", "image", "webhook", "publication"} {
				if mentions(named, kind) && once("edges of "+kind) {
					if f.edges == nil {
						f.edges = make(map[string]bool)
					}
					f.edges[kind] = true
				}
			}
		}
	}
	if f.UpdatedAtAsc && strings.Contains(complaint, "UPDATED_AT_ASC") && once("without UPDATED_AT_ASC") {
		f.UpdatedAtAsc = false
	}
	if idMismatch.MatchString(complaint) && strings.Contains(complaint, "ID") && strings.Contains(complaint, "String") && once("other type of id") {
		f.IDType = map[bool]string{true: "String", false: "ID"}[f.IDType == "ID"]
	}
	if strings.Contains(complaint, f.fill) || strings.Contains(complaint, "ImageMethod") || named["method"] {
		if once("other type of method") {
			f.enumMethod = !f.enumMethod
			f.MethodType = map[bool]string{true: "ImageMethod", false: "String"}[f.enumMethod]
		}
	}
	if mutation && (strings.Contains(complaint, f.Success) || strings.Contains(complaint, f.Failed) || strings.Contains(lower, "status")) {
		next := map[string]string{"success": "SUCCESS", "SUCCESS": "success"}[f.Success]
		if next != "" && once("other spelling of status") {
			f.Success, f.StatusType = next, "an enum"
			if next == "SUCCESS" {
				f.Failed = "FAILED"
			} else {
				f.Failed = "failed"
			}
		}
	}
	return what, ok
}

// mentions reports whether a quoted name of a type or a path holds kind.
func mentions(named map[string]bool, kind string) bool {
	for name := range named {
		if strings.Contains(strings.ToLower(name), kind) {
			return true
		}
	}
	return false
}
