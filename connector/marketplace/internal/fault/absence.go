package fault

import "strings"

// Absent reports whether c says only that the publication that its path names does not exist.
func (c Complaint) Absent() bool {
	if len(c.path) != 1 || c.Alias() == "" {
		return false
	}
	switch Judge(c, false) {
	case AsInvalid, AsUnknown: // Judge's verdicts on "does not exist" and "not found"
		return SaysAbsent(c.Message, c.code)
	default:
		return false
	}
}

// SaysAbsent reports whether a message or its code says that a publication does not exist. A
// message that names another thing first, a variant for example, is about that.
func SaysAbsent(message, code string) bool {
	first := func(s string, words ...string) int {
		at := len(s)
		for _, w := range words {
			if i := strings.Index(s, w); i >= 0 {
				at = min(at, i)
			}
		}
		return at
	}
	m := strings.ToLower(message)
	other := first(
		m, "listing", "translation", "categor", "variant", "image", "shipping", "product", "price", "supplier",
		"account", "channel", "user", "retailer", "token", "field", "route", "page", "file", "host", "server",
		"service", "shard", "database",
	)
	switch {
	case other < first(m, "publication", "record", "resource", "entry", "entity", "object", "node", "item"):
		return false
	case code == "404", first(code, "NOT_FOUND", "NOTFOUND", "NOT_EXIST") < len(code):
		return true
	case first(code, "VALIDATION", "PARSE") < len(code): // it is about the document
		return false
	}
	return first(
		m, "not found", "not be found", "not exist", "n't exist", "no longer exist", "n't find", "not find",
		"n't be found", "cannot be found", "no such", "no publication", "unknown publication",
	) < len(m)
}
