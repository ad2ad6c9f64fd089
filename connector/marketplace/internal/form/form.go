package form

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
)

// A Form is one way to write a thing that the specification leaves open.
type Form struct {
	Slot  string // the thing: two forms of one slot exclude each other
	Name  string
	apply func(*Forms)
	Omits string // how a document asks for what this form leaves out; "": nothing
}

// With is f with forms in the place of its own, tried by one call.
func (f Forms) With(forms []Form) Forms {
	f.Edges, f.Languages, f.Tried = maps.Clone(f.Edges), slices.Clone(f.Languages), len(forms) > 0
	for _, other := range forms {
		other.apply(&f)
	}
	return f
}

// Others returns the forms to try after an objection to a query: for each form that both the
// objection names and the query's text holds, the other one of its slot.
func (f Forms) Others(o fault.Objection, text string) (next []Form) {
	quotes := fault.Tokens(o.Text)
	for _, word := range []string{"nodes", "edges"} {
		if !quotes[word] && !o.Missing[word] {
			continue
		}
		all := make([]string, 0, len(connections))
		for kind, field := range connections {
			if strings.Contains(text, field+"(") && f.Edges[kind] == (word == "edges") {
				all = append(all, kind)
			}
		}
		if ofAProduct.MatchString(text) && f.Edges[ProductVariants] == (word == "edges") {
			all = append(all, ProductVariants)
		}
		slices.Sort(all)
		of := slices.DeleteFunc(slices.Clone(all), func(kind string) bool { return !mentions(quotes, kind) })
		if len(of) == 0 {
			of = all
		}
		for _, kind := range of {
			name := other(word, "nodes", "edges") + " of " + kind
			next = append(next, Form{Slot: "connection of " + kind, Name: name, apply: func(f *Forms) {
				if f.Edges == nil {
					f.Edges = make(map[string]bool)
				}
				f.Edges[kind] = word == "nodes"
			}})
		}
	}
	if strings.Contains(o.Text, UpdatedAtAsc) && strings.Contains(text, UpdatedAtAsc) {
		name := "without " + UpdatedAtAsc
		next = append(next, Form{Slot: "sort", Name: name, apply: func(f *Forms) { f.UpdatedAtAsc = false }})
	}
	types := wordID.MatchString(o.Text) && wordString.MatchString(o.Text)
	if types && aboutID.MatchString(o.Text) && strings.Contains(text, ":"+f.IDType+"!") {
		name := other(f.IDType, "ID", "String")
		next = append(next, Form{Slot: "id", Name: "id " + name, apply: func(f *Forms) { f.IDType = name }})
	}
	if (wordMethod.MatchString(o.Text) || quotes["method"]) && f.asksFor(text) {
		name := other(f.MethodType, "ImageMethod", "String")
		next = append(next, Form{Slot: "method", Name: "image method " + name, apply: func(f *Forms) {
			f.MethodType, f.enumMethod = name, name == "ImageMethod"
		}})
	}
	if (quotes["originalUrl"] || o.Missing["originalUrl"]) && strings.Contains(text, "originalUrl") {
		name := "pictures by transformedUrl"
		next = append(next, Form{Slot: "picture", Name: name, apply: func(f *Forms) { f.NoOriginal = true }})
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

// WithoutLanguages returns forms that leave out the languages that the schema lacks, according to a
// validation. It returns none where no language would be left.
func (f Forms) WithoutLanguages(o fault.Objection) (forms []Form) {
	for _, language := range f.Languages {
		if o.Missing[language] {
			out := Form{Slot: "language " + language, Name: "without language " + language, Omits: language + "{title"}
			out.apply = func(f *Forms) {
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

// WithoutUserErrors is the form of a report that does not ask for userErrors.
var WithoutUserErrors = Form{
	Slot: "userErrors", Name: "reports without userErrors", apply: func(f *Forms) { f.NoUserErrors = true },
	Omits: "publicationStatusUpdated(input:$in0){publication{status updatedAt} userErrors",
}

// LacksUserErrors reports whether an objection says that a report's payload has no userErrors.
func (f Forms) LacksUserErrors(o fault.Objection) bool {
	return !f.NoUserErrors && o.Missing["userErrors"]
}

// OtherStatus is the other spelling of the reported status. ok is false unless the objection is
// about the spelling: it calls the value unknown, or shows the spelling in upper case.
func (f Forms) OtherStatus(o fault.Objection) (next Form, ok bool) {
	spelled := map[string][2]string{"success": {"SUCCESS", "FAILED"}, "SUCCESS": {"success", "failed"}}[f.Success]
	quotes := fault.Tokens(o.Text)
	word := func(s string) bool { return wordOf(s).MatchString(o.Text) }
	named := quotes["status"] || quotes[f.Success] || quotes[f.Failed] || fieldStatus.MatchString(o.Text)
	switch {
	case named && aboutValues.MatchString(o.Text):
	case (word(f.Success) || word(f.Failed)) && aboutAValue.MatchString(o.Text):
	case f.Success == "success" && (word("SUCCESS") || word("FAILED")):
	default:
		return Form{}, false
	}
	return Form{Slot: "status", Name: "status " + spelled[0], apply: func(f *Forms) {
		f.Success, f.Failed, f.StatusType = spelled[0], spelled[1], "an enum"
	}}, spelled[0] != ""
}

var (
	// aboutID finds the variable of an id by its name, or any variable.
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

// ofAProduct finds in a document that it asks for a product's variants.
var ofAProduct = regexp.MustCompile(`product\{[^{}]*\bvariants\(`)

// mentions reports whether a quoted name of a type or a path holds kind. A product's variants are
// of another type than a listing's.
func mentions(named map[string]bool, kind string) bool {
	for name := range named {
		name = strings.ToLower(name)
		product := strings.Contains(name, "productvariant")
		switch {
		case kind == ProductVariants:
			if product {
				return true
			}
		case strings.Contains(name, kind) && !(product && kind == "variant"):
			return true
		}
	}
	return false
}
