package marketplace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// The specification's own names, assumed where introspection is refused.
const (
	createdEvent = "PUBLICATION_CREATED"
	statusInput  = "PublicationStatusUpdatedInput"
	webhookInput = "WebhookCreateInput"
)

// Forms are the choices that this server made where the specification leaves one.
type Forms struct {
	Introspected bool     // read from the schema; otherwise assumed, and corrected when the server objects
	UpdatedAtAsc bool     // publications can be sorted by UPDATED_AT_ASC
	IDType       string   // of publication's id: ID or String
	StatusType   string   // of a reported status: String or the name of an enum
	Success      string   // how the status success is spelled
	Failed       string   // how the status failed is spelled
	MethodType   string   // of an image's method: String or the name of an enum
	EventType    string   // of a webhook's events: String or the name of an enum
	Languages    []string // the languages wanted that the server has, in the order wanted
	Offered      []string // every language that the server has; nil where that is not known

	version    int               // set by the book
	enumMethod bool              // the method is written without quotation marks
	fill       string            // the method FILL as this server spells it
	events     map[string]string // spelling of an event by its upper-case name; what is missing is spelled so
	edges      map[string]bool   // kinds of connection that have no nodes: publication, variant, image, webhook
	inputs     map[string]string // names of the input types by the specification's
}

// assumed is what the specification says.
func assumed(wanted []string) Forms {
	return Forms{
		UpdatedAtAsc: true, IDType: "ID", StatusType: "String", Success: "success", Failed: "failed", MethodType: "ImageMethod", EventType: "String",
		Languages: slices.Clone(wanted), enumMethod: true, fill: "FILL",
	}
}

// String is one line for a person to read.
func (f Forms) String() string {
	var parts []string
	say := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if f.Introspected {
		say("read from the schema")
	} else {
		say("assumed, the schema cannot be read")
	}
	if f.UpdatedAtAsc {
		say("sorts by UPDATED_AT_ASC")
	} else {
		say("does not sort by UPDATED_AT_ASC")
	}
	say("id %s", f.IDType)
	say("status %s (%s, %s)", f.StatusType, f.Success, f.Failed)
	say("image method %s", f.MethodType)
	say("events %s", f.EventType)
	say("languages %s", orNone(f.Languages))
	if f.Offered != nil {
		say("of %s", orNone(f.Offered))
	}
	return strings.Join(parts, ", ")
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, " ")
}

// spell is the reported status as this server spells it.
func (f Forms) spell(status string) string {
	switch status {
	case "success":
		return f.Success
	case "failed":
		return f.Failed
	default:
		return status
	}
}

// event is the name of an event as this server spells it.
func (f Forms) event(name string) string {
	if spelled, ok := f.events[strings.ToUpper(name)]; ok {
		return spelled
	}
	return name
}

func (f Forms) input(name string) string {
	if found, ok := f.inputs[name]; ok {
		return found
	}
	return name
}

// method is the argument that asks for FILL.
func (f Forms) method() string {
	if f.enumMethod {
		return "method:" + f.fill
	}
	return `method:"` + f.fill + `"`
}

// A formBook keeps the forms, and which have been tried.
type formBook struct {
	wanted []string      // languages
	gate   chan struct{} // held while probing

	mu      sync.Mutex
	forms   Forms
	known   bool
	version int             // counts the changes of forms
	tried   map[string]bool // forms that were given up; none is taken up again
	probes  int             // finished
	failed  error           // how the last one ended
	odd     int             // refusals of a probe that could not be understood
}

func newFormBook(languages []string) *formBook {
	b := &formBook{gate: make(chan struct{}, 1), tried: make(map[string]bool)}
	for _, l := range languages {
		// A language becomes part of a document.
		if l = strings.ToLower(strings.TrimSpace(l)); isName(l) && !slices.Contains(b.wanted, l) {
			b.wanted = append(b.wanted, l)
		}
	}
	return b
}

// isName reports whether s may stand in a document as a name.
func isName(s string) bool {
	for i, c := range s {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// mend takes up the next form that complaint, a validation error, asks for. ok tells that the request may be sent anew: another request may
// have changed the forms since version, and then what is "".
func (b *formBook) mend(version int, mutation bool, complaint string) (what string, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if version != b.version {
		return "", true
	}
	next := b.forms
	next.edges = maps.Clone(b.forms.edges)
	next.Languages = slices.Clone(b.forms.Languages)
	what, ok = next.mend(mutation, complaint, b.tried)
	if ok {
		b.version++
		next.version = b.version
		b.forms = next
	}
	return what, ok
}
