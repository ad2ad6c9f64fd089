package fault

import (
	"regexp"
	"strconv"
	"strings"
)

// A Verdict is what a complaint comes to.
type Verdict int

// The verdicts. Of several complaints in one answer the first verdict of this list counts: trouble
// of the server's own is never mistaken for an answer.
const (
	AsThrottled Verdict = iota
	AsInternal
	AsUnauthorized
	AsCursor
	AsExpensive // the query costs more than this server allows for one
	AsPage      // first is larger than this server allows
	AsInvalid   // the document or a variable does not fit the schema
	AsUnknown   // none of these
)

// Judge is the verdict on c; cursor says whether the request carried a cursor.
func Judge(c Complaint, cursor bool) Verdict {
	m := strings.ToLower(c.Message)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(m, w) {
				return true
			}
		}
		return false
	}
	code := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(c.code, w) {
				return true
			}
		}
		return false
	}
	over := has(
		"exceed", "too ", "limit", "max", "higher than", "greater than", "more than", "at most", "less than", "up to",
		"between",
	)
	switch {
	case has("throttl") || code("THROTTLED", "RATE_LIMIT", "TOO_MANY_REQUESTS"):
		return AsThrottled
	case over && has("cost", "complex", "expensive") || code("MAX_COST", "COMPLEXITY"):
		return AsExpensive
	case has("rate limit", "too many requests"):
		return AsThrottled
	case has("internal", "server error", "unavailable", "timeout", "timed out", "try again", "temporar", "overload",
		"upstream",
		"bad gateway", "went wrong", "unexpected error", "unknown error") || code("INTERNAL", "UNAVAILABLE", "TIMEOUT"):
		return AsInternal
	case has(
		"unauthori", "unauthenticated", "not authenticated", "authentication", "not authori", "invalid token",
		"invalid access token", "token is invalid", "token expired", "expired token", "token has expired", "revoked",
		"access denied", "forbidden", "permission", "missing bearer", "bearer token", "access token",
	) || code("UNAUTH", "FORBIDDEN", "ACCESS_DENIED"):
		return AsUnauthorized
	case cursor && has("cursor", "after"):
		return AsCursor
	case over && has("first", "page size"):
		return AsPage
	case has(
		"cannot query", "unknown argument", "unknown type", "unknown field", "variable", "argument", "expected type",
		"expected value", "does not exist", "doesn't exist", "invalid value", "not a valid", "syntax", "parse error",
		"is not defined", "must be provided", "is required", "selection", "alias", "introspect", "__schema",
		"validation", "cannot represent", "undefined",
	) ||
		code("VALIDATION", "BAD_USER_INPUT", "PARSE_FAILED", "INTROSPECTION"):
		return AsInvalid
	default:
		return AsUnknown
	}
}

var (
	numbers = regexp.MustCompile(`\d+`)
	quoted  = regexp.MustCompile("[\"'`]([^\"'`]+)[\"'`]")
)

// Named is the largest number in message below most, 0 when there is none. In a refusal that is the
// limit.
func Named(message string, most float64) float64 {
	largest := 0.0
	for _, digits := range numbers.FindAllString(message, 20) {
		if n, err := strconv.ParseFloat(digits, 64); err == nil && n < most {
			largest = max(largest, n)
		}
	}
	return largest
}

// Tokens are the words that message puts between quotation marks of any kind.
func Tokens(message string) map[string]bool {
	set := make(map[string]bool)
	for _, match := range quoted.FindAllStringSubmatch(message, 50) {
		set[match[1]] = true
	}
	return set
}

// Denies reports whether a complaint about rights is about one field and not about the token.
func Denies(c Complaint) bool {
	m := strings.ToLower(c.Message)
	about := strings.Contains(m, "scope") || !strings.Contains(m, "token") && !strings.Contains(m, "authentic")
	return len(c.path) > 0 && about
}

// Kind is the kind of error that a verdict leads to.
func (v Verdict) Kind() Kind {
	switch v {
	case AsThrottled:
		return Throttled
	case AsUnauthorized:
		return Unauthorized
	case AsCursor:
		return CursorRefused
	case AsExpensive, AsPage, AsInvalid:
		return Invalid
	default:
		return Transient
	}
}
