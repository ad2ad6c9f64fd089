package marketplace

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A form is one way to write what the specification leaves open.
type form struct {
	slot  string // what it is a form of
	name  string
	take  func(*Forms)
	omits string // how a document asks for what this form leaves out; "": nothing
}

// An objection is what a server said against a request.
type objection struct {
	text    string          // all of it, unbounded: to find names in, not to be shown
	missing map[string]bool // fields that the schema lacks, in the words of a validation of the document itself
}

// with is f with other forms in place of its own.
func (f Forms) with(forms []form) Forms {
	f.edges, f.Languages, f.tried = maps.Clone(f.edges), slices.Clone(f.Languages), len(forms) > 0
	for _, other := range forms {
		other.take(&f)
	}
	return f
}

// others are the next forms of what an objection to a query names, for each form of f that the
// query's text has.
func (f Forms) others(o objection, text string) (next []form) {
	quotes := tokens(o.text)
	for _, word := range []string{"nodes", "edges"} {
		if !quotes[word] && !o.missing[word] {
			continue
		}
		all := make([]string, 0, len(connections))
		for kind, field := range connections {
			if strings.Contains(text, field+"(") && f.edges[kind] == (word == "edges") {
				all = append(all, kind)
			}
		}
		slices.Sort(all)
		of := slices.DeleteFunc(slices.Clone(all), func(kind string) bool { return !mentions(quotes, kind) })
		if len(of) == 0 {
			of = all
		}
		for _, kind := range of {
			name := other(word, "nodes", "edges") + " of " + kind
			next = append(next, form{slot: "connection of " + kind, name: name, take: func(f *Forms) {
				if f.edges == nil {
					f.edges = make(map[string]bool)
				}
				f.edges[kind] = word == "nodes"
			}})
		}
	}
	if strings.Contains(o.text, string(UpdatedAtAsc)) && strings.Contains(text, string(UpdatedAtAsc)) {
		name := "without " + string(UpdatedAtAsc)
		next = append(next, form{slot: "sort", name: name, take: func(f *Forms) { f.UpdatedAtAsc = false }})
	}
	types := wordID.MatchString(o.text) && wordString.MatchString(o.text)
	if types && aboutID.MatchString(o.text) && strings.Contains(text, ":"+f.IDType+"!") {
		name := other(f.IDType, "ID", "String")
		next = append(next, form{slot: "id", name: "id " + name, take: func(f *Forms) { f.IDType = name }})
	}
	method := wordOf(f.fill).MatchString(o.text) || strings.Contains(o.text, "ImageMethod") || quotes["method"]
	if method && strings.Contains(text, f.method()) {
		name := other(f.MethodType, "ImageMethod", "String")
		next = append(next, form{slot: "method", name: "image method " + name, take: func(f *Forms) {
			f.MethodType, f.enumMethod = name, name == "ImageMethod"
		}})
	}
	return next
}

// connections are the fields of the kinds of connection.
var connections = map[string]string{
	"variant": "variants", "image": "images", "webhook": "webhooks", "channel": "channels",
	"publication": "publications",
}

// connectionOf is the kind of connection of a field, "" where it is none.
func connectionOf(name string) string {
	for kind, field := range connections {
		if field == name {
			return kind
		}
	}
	return ""
}

// withoutLanguages leaves out the languages that the schema lacks, in the words of a validation.
// The last one is never left out.
func (f Forms) withoutLanguages(o objection) (forms []form) {
	for _, language := range f.Languages {
		if o.missing[language] {
			out := form{slot: "language " + language, name: "without language " + language, omits: language + "{title"}
			out.take = func(f *Forms) {
				f.Languages = slices.DeleteFunc(f.Languages, func(l string) bool { return l == language })
			}
			forms = append(forms, out)
		}
	}
	if len(forms) == len(f.Languages) {
		return nil
	}
	return forms
}

// withoutUserErrors is the form of a report that does not ask for userErrors.
var withoutUserErrors = form{
	slot: "userErrors", name: "reports without userErrors", take: func(f *Forms) { f.noUserErrors = true },
	omits: "publicationStatusUpdated(input:$in0){publication{status updatedAt} userErrors",
}

// lacksUserErrors reports whether an objection says that a report's payload has no userErrors.
func (f Forms) lacksUserErrors(o objection) bool { return !f.noUserErrors && o.missing["userErrors"] }

// otherStatus is the next spelling of a status, where the objection to a report names the spelling:
// that the value of the field is none of those known, or how it is spelled in upper case.
func (f Forms) otherStatus(o objection) (next form, ok bool) {
	spelled := map[string][2]string{"success": {"SUCCESS", "FAILED"}, "SUCCESS": {"success", "failed"}}[f.Success]
	quotes := tokens(o.text)
	word := func(s string) bool { return wordOf(s).MatchString(o.text) }
	named := quotes["status"] || quotes[f.Success] || quotes[f.Failed] || fieldStatus.MatchString(o.text)
	switch {
	case named && aboutValues.MatchString(o.text):
	case (word(f.Success) || word(f.Failed)) && aboutAValue.MatchString(o.text):
	case f.Success == "success" && (word("SUCCESS") || word("FAILED")):
	default:
		return form{}, false
	}
	return form{slot: "status", name: "status " + spelled[0], take: func(f *Forms) {
		f.Success, f.Failed, f.StatusType = spelled[0], spelled[1], "an enum"
	}}, spelled[0] != ""
}

var (
	// aboutID is about the variable of an id: by its name, or as the variable whose type does not
	// fit.
	aboutID    = regexp.MustCompile(`\$id\d*\b|(?i)\bvariable\b`)
	wordID     = wordOf("ID")
	wordString = wordOf("String")

	fieldStatus = regexp.MustCompile(`\b\w+\.status\b`) // in0.status, input.status
	aboutValues = regexp.MustCompile(`(?i)valid\b|not exist|\benum\b|expected|\bone of\b|must be|\bincluded\b|` +
		`unknown|allowed|supported|represent`)
	aboutAValue = regexp.MustCompile(`(?i)invalid value|not a valid|not exist in|\benum\b|cannot represent`)
)

func wordOf(s string) *regexp.Regexp { return regexp.MustCompile(`\b` + regexp.QuoteMeta(s) + `\b`) }

// other is the one of a and b that s is not.
func other(s, a, b string) string {
	if s == a {
		return b
	}
	return a
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

// lacks are the words in which servers say that a document asks for a field that their schema does
// not have.
var lacks = regexp.MustCompile("(?i)(?:cannot query (?:the )?field|unknown field|undefined field|has no field|" +
	"no such field) [\"'`]?(\\w+)" +
	"|field [\"'`]?(\\w+)[\"'`]? (?:doesn['’]t|does not) exist (?:on|in) (?:the )?type" +
	"|field [\"'`]?(\\w+)[\"'`]? (?:(?:on|in|of) (?:the )?type [\"'`]?\\w+[\"'`]? )?is (?:undefined|not defined)")

// missing are the fields of which a complaint says that the schema lacks them. An error of the
// execution, which has the path of a value, says that of none.
func (c complaint) missing() (fields []string) {
	if len(c.path) > 0 {
		operation, _ := c.path[0].(string) // some servers lead a path to a place in the document
		if kind, _, ok := strings.Cut(operation, " "); !ok || kind != query && kind != mutation && kind != "fragment" {
			return nil
		}
	}
	for _, match := range lacks.FindAllStringSubmatch(c.message, 50) {
		for _, field := range match[1:] {
			if field != "" {
				fields = append(fields, field)
			}
		}
	}
	return fields
}

// objectionOf is what complaints come to. data is null where the document was not executed.
func objectionOf(complaints []complaint, executed bool) (o objection) {
	o.missing = make(map[string]bool)
	for _, c := range complaints {
		o.text += c.message + "\n" + c.details + "\n"
		if executed {
			continue
		}
		for _, field := range c.missing() {
			o.missing[field] = true
		}
	}
	return o
}
