package marketplace

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// idMismatch is a validation error about the variable of an id, in whatever words: it names the variable and both types.
var idMismatch = regexp.MustCompile(`\$id\d*\b`)

// mend is f with the next form that complaint asks for, and the names of what it gives up; none where the complaint is about no form that is left.
// A form in tried has been given up, so that a server that refuses all of them is not asked in circles. The last language is never given up.
func (f Forms) mend(mutation bool, complaint string, tried map[string]bool) (next Forms, names []string) {
	next = f
	next.edges, next.Languages = maps.Clone(f.edges), slices.Clone(f.Languages)
	named := tokens(complaint)
	lower := strings.ToLower(complaint)
	once := func(form string) bool {
		if tried[form] {
			return false
		}
		names = append(names, form)
		return true
	}

	if strings.Contains(lower, "field") || strings.Contains(lower, "translation") {
		known := func(language string) bool { return !named[language] }
		if slices.ContainsFunc(f.Languages, known) {
			next.Languages = slices.DeleteFunc(next.Languages, func(language string) bool { return !known(language) && once("without language "+language) })
		}
		if named["nodes"] {
			for _, kind := range []string{"variant", "image", "webhook", "channel", "publication"} {
				if mentions(named, kind) && once("edges of "+kind) {
					if next.edges == nil {
						next.edges = make(map[string]bool)
					}
					next.edges[kind] = true
				}
			}
		}
	}
	if f.UpdatedAtAsc && strings.Contains(complaint, "UPDATED_AT_ASC") && once("without UPDATED_AT_ASC") {
		next.UpdatedAtAsc = false
	}
	if idMismatch.MatchString(complaint) && strings.Contains(complaint, "ID") && strings.Contains(complaint, "String") && once("other type of id") {
		next.IDType = map[bool]string{true: "String", false: "ID"}[f.IDType == "ID"]
	}
	if strings.Contains(complaint, f.fill) || strings.Contains(complaint, "ImageMethod") || named["method"] {
		if once("other type of method") {
			next.enumMethod = !f.enumMethod
			next.MethodType = map[bool]string{true: "ImageMethod", false: "String"}[next.enumMethod]
		}
	}
	if mutation && (strings.Contains(complaint, f.Success) || strings.Contains(complaint, f.Failed) || strings.Contains(lower, "status")) {
		spelled := map[string]string{"success": "SUCCESS", "SUCCESS": "success"}[f.Success]
		if spelled != "" && once("other spelling of status") {
			next.Success, next.StatusType = spelled, "an enum"
			if spelled == "SUCCESS" {
				next.Failed = "FAILED"
			} else {
				next.Failed = "failed"
			}
		}
	}
	return next, names
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
