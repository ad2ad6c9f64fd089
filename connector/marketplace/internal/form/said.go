package form

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
)

// Setting is the name of the variable whose value is a Said.
const Setting = "PUBSYNC_MARKETPLACE_FORMS"

// Said is what PUBSYNC_MARKETPLACE_FORMS says: what differs from the specification where the schema
// cannot be read. The zero Said is the specification.
type Said struct {
	success, failed string   // how a status is spelled
	edges           bool     // connections have no nodes
	unsorted        bool     // publications cannot be sorted by UPDATED_AT_ASC
	noUserErrors    bool     // a report's payload has no userErrors
	languages       []string // of listings; nil: all that are wanted
	quoted          bool     // an image's method is a String
}

// errParts lists what a Said may be made of.
var errParts = errors.New("takes parts separated by spaces, each at most once: status=SUCCESS,FAILED (or other words " +
	"for success and failed), connections=edges, sort=ID_DESC, userErrors=none, languages=en (several separated by " +
	"commas), method=String")

// ParseSaid reads a Said as the setting gives it.
func ParseSaid(text string) (s Said, err error) {
	seen := map[string]bool{}
	for _, part := range strings.Fields(text) {
		name, value, _ := strings.Cut(part, "=")
		words := strings.Split(value, ",")
		if seen[name] || slices.ContainsFunc(words, isNoName) {
			return Said{}, errParts
		}
		seen[name] = true
		switch {
		case name == "status" && len(words) == 2 && words[0] != words[1]:
			s.success, s.failed = words[0], words[1]
		case name == "languages":
			s.languages = strings.Split(strings.ToLower(value), ",")
		case part == "connections=edges":
			s.edges = true
		case part == "sort=ID_DESC":
			s.unsorted = true
		case part == "userErrors=none":
			s.noUserErrors = true
		case part == "method=String":
			s.quoted = true
		default:
			return Said{}, errParts
		}
	}
	return s, nil
}

func isNoName(s string) bool { return !isName(s) }

// Assumed is what the specification says, but for what the setting says.
func Assumed(wanted []string, s Said) Forms {
	f := Forms{
		UpdatedAtAsc: !s.unsorted, IDType: "ID", StatusType: "String", Success: "success", Failed: "failed",
		MethodType: "ImageMethod", EventType: "String", NoUserErrors: s.noUserErrors,
		Languages: slices.Clone(wanted), enumMethod: true, Edges: make(map[string]bool),
	}
	if s.success != "" {
		f.Success, f.Failed = s.success, s.failed
	}
	if s.languages != nil {
		f.Languages = slices.DeleteFunc(f.Languages, func(l string) bool { return !slices.Contains(s.languages, l) })
	}
	if s.quoted {
		f.MethodType, f.enumMethod = "String", false
	}
	for _, kind := range kinds() {
		f.Edges[kind] = s.edges
	}
	return f
}

// Advice is what to set where the server makes an objection, "" for nothing that is known.
func (f Forms) Advice(o fault.Objection) string {
	if f.Introspected {
		return ""
	}
	quotes := fault.Tokens(o.Text)
	left := slices.DeleteFunc(slices.Clone(f.Languages), func(l string) bool { return o.Missing[l] })
	var part string
	switch {
	case o.Missing["nodes"]:
		part = "connections=edges"
	case o.Missing["userErrors"]:
		part = "userErrors=none"
	case strings.Contains(o.Text, UpdatedAtAsc):
		part = "sort=ID_DESC"
	case len(left) < len(f.Languages) && len(left) > 0:
		part = "languages=" + strings.Join(left, ",")
	case slices.ContainsFunc(productDetails(), func(name string) bool { return o.Missing[name] }):
		return "set PUBSYNC_PRODUCT_DETAILS=off"
	case o.Missing["originalUrl"]:
		return "set PUBSYNC_IMAGE_METHOD=FILL"
	case quotes["method"] || aMethod.MatchString(o.Text):
		part = "method=String"
	case f.Success == "success" && (quotes["status"] || aStatus.MatchString(o.Text)):
		part = "status=SUCCESS,FAILED"
	default:
		return ""
	}
	return "set " + part + " in " + Setting
}

var (
	aMethod = regexp.MustCompile(`\b(?i:FIT|FILL|CROP)\b|ImageMethod`)
	aStatus = regexp.MustCompile(`(?i)\b(?:success|failed)\b|\b\w+\.status\b`)
)
