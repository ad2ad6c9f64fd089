// Package form holds how one marketplace chose what the specification leaves open. [Forms] are the
// choices, read from its schema, or as the specification and the setting say. [InUse] keeps those
// that requests are made of.
package form

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// The specification's own names, assumed where introspection is refused.
const (
	UpdatedAtAsc = "UPDATED_AT_ASC"
	CreatedEvent = "PUBLICATION_CREATED"
	StatusInput  = "PublicationStatusUpdatedInput"
	WebhookInput = "WebhookCreateInput"
)

// Forms are the choices that this server made where the specification leaves one.
type Forms struct {
	Introspected bool     // read from the schema; else assumed
	UpdatedAtAsc bool     // publications can be sorted by UPDATED_AT_ASC
	IDType       string   // of publication's id: ID or String
	StatusType   string   // of a reported status: String or the name of an enum
	Success      string   // how the status success is spelled
	Failed       string   // how the status failed is spelled
	MethodType   string   // of an image's method: String or the name of an enum
	EventType    string   // of a webhook's events: String or the name of an enum
	Languages    []string // the languages wanted that the server has, in the order wanted
	Offered      []string // every language that the server has; nil where that is not known

	enumMethod bool              // the method is written without quotation marks
	methods    map[string]string // an image's methods as this server spells them, by upper case; nil: not known
	events     map[string]string // spelling of an event by its eventKey; what is missing is spelled so
	// kinds of connection that have no nodes: publication, variant, image, webhook, product variant
	Edges        map[string]bool
	NoOriginal   bool              // pictures have no originalUrl
	NoUserErrors bool              // a report's payload has no userErrors
	ReportLacks  []string          // what a report needs and the schema has not
	NoVariants   bool              // the schema has no list of product variants by UPDATED_AT_ASC
	inputs       map[string]string // names of the input types by the specification's
	NoDetails    map[string]bool   // details that the schema lacks: "Product.brand", "ProductVariant.weight"
	Without      map[string]bool   // what of the directory the schema lacks: "channels", "Category.translation"
}

// String is one line for a person to read.
func (f Forms) String() string {
	var parts []string
	say := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if f.Introspected {
		say("read from the schema")
	} else {
		say("assumed, since the schema cannot be read")
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
	if f.NoUserErrors {
		say("reports without userErrors")
	}
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

// Spell is the reported status as this server spells it.
func (f Forms) Spell(status string) string {
	switch status {
	case "success":
		return f.Success
	case "failed":
		return f.Failed
	default:
		return status
	}
}

// Lacks is the languages among wanted that a document made of f does not ask for.
func (f Forms) Lacks(wanted []string) []string {
	return slices.DeleteFunc(slices.Clone(wanted), func(l string) bool { return slices.Contains(f.Languages, l) })
}

// Event is the name of an event as this server spells it.
func (f Forms) Event(name string) string {
	if spelled, ok := f.events[EventKey(name)]; ok {
		return spelled
	}
	return name
}

// TakesEvent reports whether a webhook can be registered for an event, as far as the schema tells.
func (f Forms) TakesEvent(name string) bool {
	_, ok := f.events[EventKey(name)]
	return ok || len(f.events) == 0
}

// Input is the name of an input type that the specification calls name.
func (f Forms) Input(name string) string {
	if found, ok := f.inputs[name]; ok {
		return found
	}
	return name
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

// EventKey is an event's name without what its spellings differ in.
func EventKey(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToUpper(c)
		}
		return -1
	}, name)
}

// ProductVariant is the kind of connection of the list.
const ProductVariant = "product variant"
