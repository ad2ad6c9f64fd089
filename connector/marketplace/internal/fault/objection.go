package fault

import (
	"regexp"
	"strings"
)

// An Objection is what a server said against a request.
type Objection struct {
	Text    string          // all of it, unbounded: to find names in, not to be shown
	Missing map[string]bool // fields that the schema lacks, in the words of a validation of the document itself
}

// lacks are the words in which servers say that a document asks for a field that their schema does
// not have.
var lacks = regexp.MustCompile("(?i)(?:cannot query (?:the )?field|unknown field|undefined field|has no field|" +
	"no such field) [\"'`]?(\\w+)" +
	"|field [\"'`]?(\\w+)[\"'`]? (?:doesn['’]t|does not) exist (?:on|in) (?:the )?type" +
	"|field [\"'`]?(\\w+)[\"'`]? (?:(?:on|in|of) (?:the )?type [\"'`]?\\w+[\"'`]? )?is (?:undefined|not defined)")

// missing are the fields that the schema lacks, according to a complaint. An error of the
// execution, which has the path of a value, names none.
func (c Complaint) missing() (fields []string) {
	if len(c.path) > 0 {
		operation, _ := c.path[0].(string) // some servers lead a path to a place in the document
		if kind, _, ok := strings.Cut(operation, " "); !ok || kind != "query" && kind != "mutation" && kind != "fragment" {
			return nil
		}
	}
	for _, match := range lacks.FindAllStringSubmatch(c.Message, 50) {
		for _, field := range match[1:] {
			if field != "" {
				fields = append(fields, field)
			}
		}
	}
	return fields
}

// ObjectionOf is what complaints come to. data is null where the document was not executed.
func ObjectionOf(complaints []Complaint, executed bool) (o Objection) {
	o.Missing = make(map[string]bool)
	for _, c := range complaints {
		o.Text += c.Message + "\n" + c.details + "\n"
		if executed {
			continue
		}
		for _, field := range c.missing() {
			o.Missing[field] = true
		}
	}
	return o
}
