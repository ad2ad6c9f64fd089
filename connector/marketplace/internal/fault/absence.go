package fault

import "strings"

// Absent reports whether c says that the publication its path names does not exist, and nothing
// else.
func (c Complaint) Absent() bool {
	if len(c.path) != 1 || c.Alias() == "" {
		return false
	}
	switch Judge(c, false) {
	case AsInvalid, AsUnknown: // as "does not exist" and "not found" are judged anywhere else
		return SaysAbsent(c.Message, c.code)
	default:
		return false
	}
}

// SaysAbsent reports whether a message or its code says that something does not exist. What names
// another thing before the publication says it of that.
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
		m,
		"listing",
		"translation",
		"categor",
		"variant",
		"image",
		"shipping",
		"product",
		"price",
		"supplier",
		"account",
		"channel",
		"user",
		"retailer",
		"token",
		"field",
		"route",
		"page",
		"file",
		"host",
		"server",
		"service",
		"shard",
		"database",
	)
	switch {
	case other < first(m, "publication", "record", "resource", "entry", "entity", "object", "node", "item"):
		return false
	case code == "404", first(code, "NOT_FOUND", "NOTFOUND", "NOT_EXIST") < len(code):
		return true
	case first(code, "VALIDATION", "PARSE") < len(code): // the document is meant
		return false
	}
	return first(
		m,
		"not found",
		"not be found",
		"not exist",
		"n't exist",
		"no longer exist",
		"n't find",
		"not find",
		"n't be found",
		"cannot be found",
		"no such",
		"no publication",
		"unknown publication",
	) < len(
		m,
	)
}
