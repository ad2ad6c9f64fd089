package marketplace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	graphql "github.com/hasura/go-graphql-client"
)

// A complaint is one entry of an answer's errors.
type complaint struct {
	message string
	code    string // extensions.code, upper case
	path    []any
	details string // extensions.validation, as sent
}

// alias is the root field that the complaint is about, or "" when it is about the whole request.
func (c complaint) alias() string {
	if len(c.path) == 0 {
		return ""
	}
	s, _ := c.path[0].(string)
	return s
}

// complaintsOf is the errors of an answer, as the library has read them. It reads errors in the form
// of the GraphQL specification alone, and drops all of them where one has another form: those are
// read from the body.
func complaintsOf(err error, body []byte) []complaint {
	list, _ := errors.AsType[graphql.Errors](err)
	complaints := make([]complaint, len(list))
	for i, e := range list {
		if e.Unwrap() != nil { // the library's own: that it could not send, or not read
			var answer struct{ Errors json.RawMessage }
			if json.NewDecoder(bytes.NewReader(body)).Decode(&answer) != nil {
				return nil
			}
			return parseComplaints(answer.Errors)
		}
		complaints[i] = complaint{message: e.Message, path: e.Path}
		if code := e.Extensions["code"]; code != nil {
			complaints[i].code = strings.ToUpper(fmt.Sprint(code))
		}
		if details := e.Extensions["validation"]; details != nil {
			text, _ := json.Marshal(details) //nolint:errcheck // it was JSON
			complaints[i].details = string(text)
		}
	}
	return complaints
}

// parseComplaints reads errors in every form seen: a list of objects, of strings, or one of either
// alone. What cannot be read is left out of an entry, never the entry itself.
func parseComplaints(raw json.RawMessage) []complaint {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	complaints := make([]complaint, 0, len(list))
	for _, entry := range list {
		var c complaint
		var fields map[string]json.RawMessage
		if json.Unmarshal(entry, &fields) != nil {
			var t text
			_ = t.UnmarshalJSON(entry)
			c.message = string(t)
		} else {
			var message, code text
			_ = message.UnmarshalJSON(orNull(fields["message"]))
			_ = json.Unmarshal(orNull(fields["path"]), &c.path)
			var extensions map[string]json.RawMessage
			_ = json.Unmarshal(orNull(fields["extensions"]), &extensions)
			_ = code.UnmarshalJSON(orNull(extensions["code"]))
			c.details = string(extensions["validation"])
			c.message, c.code = string(message), strings.ToUpper(string(code))
		}
		complaints = append(complaints, c)
	}
	return complaints
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

// A verdict is what a complaint comes to.
type verdict int

// The verdicts, the one that decides an answer with several complaints first: what may be the
// server's own trouble is never taken for an answer to what was asked.
const (
	isThrottled verdict = iota
	isInternal
	isUnauthorized
	isCursor
	isExpensive // the query costs more than this server allows for one
	isPage      // first is larger than this server allows
	isInvalid   // the document or a variable does not fit the schema
	isUnknown   // none of these
)

// judge finds the verdict on c. cursor tells that the request carried one.
func judge(c complaint, cursor bool) verdict {
	m := strings.ToLower(c.message)
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
		"exceed",
		"too ",
		"limit",
		"max",
		"higher than",
		"greater than",
		"more than",
		"at most",
		"less than",
		"up to",
		"between",
	)
	switch {
	case has("throttl") || code("THROTTLED", "RATE_LIMIT", "TOO_MANY_REQUESTS"):
		return isThrottled
	case over && has("cost", "complex", "expensive") || code("MAX_COST", "COMPLEXITY"):
		return isExpensive
	case has("rate limit", "too many requests"):
		return isThrottled
	case has("internal", "server error", "unavailable", "timeout", "timed out", "try again", "temporar", "overload", "upstream",
		"bad gateway", "went wrong", "unexpected error", "unknown error") || code("INTERNAL", "UNAVAILABLE", "TIMEOUT"):
		return isInternal
	case has(
		"unauthori",
		"unauthenticated",
		"not authenticated",
		"authentication",
		"not authori",
		"invalid token",
		"invalid access token",
		"token is invalid",
		"token expired",
		"expired token",
		"token has expired",
		"revoked",
		"access denied",
		"forbidden",
		"permission",
		"missing bearer",
		"bearer token",
		"access token",
	) || code("UNAUTH", "FORBIDDEN", "ACCESS_DENIED"):
		return isUnauthorized
	case cursor && has("cursor", "after"):
		return isCursor
	case over && has("first", "page size"):
		return isPage
	case has(
		"cannot query",
		"unknown argument",
		"unknown type",
		"unknown field",
		"variable",
		"argument",
		"expected type",
		"expected value",
		"does not exist",
		"doesn't exist",
		"invalid value",
		"not a valid",
		"syntax",
		"parse error",
		"is not defined",
		"must be provided",
		"is required",
		"selection",
		"alias",
		"introspect",
		"__schema",
		"validation",
		"cannot represent",
		"undefined",
	) ||
		code("VALIDATION", "BAD_USER_INPUT", "PARSE_FAILED", "INTROSPECTION"):
		return isInvalid
	default:
		return isUnknown
	}
}

var (
	numbers = regexp.MustCompile(`\d+`)
	quoted  = regexp.MustCompile("[\"'`]([^\"'`]+)[\"'`]")
)

// named is the largest number in message below most, which in a refusal is the limit it speaks of;
// 0 when there is none.
func named(message string, most float64) float64 {
	largest := 0.0
	for _, digits := range numbers.FindAllString(message, 20) {
		if n, err := strconv.ParseFloat(digits, 64); err == nil && n < most {
			largest = max(largest, n)
		}
	}
	return largest
}

// tokens are the words that message puts between quotation marks of any kind.
func tokens(message string) map[string]bool {
	set := make(map[string]bool)
	for _, match := range quoted.FindAllStringSubmatch(message, 50) {
		set[match[1]] = true
	}
	return set
}
