package form

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
)

// ProbeDocument asks for the whole schema.
func ProbeDocument() document.Document {
	return document.Typed(document.Query, "Probe", nil, [2]any{"__schema", schema{}})
}

// A schema is the names and types of everything. The server's own type names are not known before
// it is read, so none can be asked for by name.
type schema struct {
	QueryType, MutationType struct{ Name string }
	Types                   []schemaType
}

type schemaType struct {
	Kind, Name  string
	EnumValues  []struct{ Name string } `graphql:"enumValues(includeDeprecated:true)"`
	InputFields []schemaInput
	Fields      []schemaField `graphql:"fields(includeDeprecated:true)"`
}

// A schemaInput is an argument of a field, or a field of an input.
type schemaInput struct {
	Name string
	Type typeRef
}

type schemaField struct {
	Name string
	Args []schemaInput
	Type typeRef
}

// A typeRef is a named type, or up to three lists and non-nulls around one.
type typeRef struct {
	Kind, Name string
	OfType     *struct {
		Kind, Name string
		OfType     *struct {
			Kind, Name string
			OfType     *schemaName
		}
	}
}

type schemaName struct{ Kind, Name string }

// base is the named type inside the lists and non-nulls of t.
func (t typeRef) base() schemaName {
	switch inner := t.OfType; {
	case inner == nil:
		return schemaName{t.Kind, t.Name}
	case inner.OfType == nil:
		return schemaName{inner.Kind, inner.Name}
	case inner.OfType.OfType == nil:
		return schemaName{inner.OfType.Kind, inner.OfType.Name}
	default:
		return *inner.OfType.OfType
	}
}

// Read returns the forms that a schema shows; what it does not show is as the specification says.
func Read(data json.RawMessage, wanted []string) (f Forms, ok bool) {
	f = Assumed(wanted, Said{})
	var s struct {
		Schema *schema `graphql:"__schema"`
	}
	if document.Unmarshal(data, &s) != nil || s.Schema == nil {
		return f, false
	}
	types := make(map[string]schemaType, len(s.Schema.Types))
	for _, t := range s.Schema.Types {
		types[t.Name] = t
	}
	query, mutation := types[s.Schema.QueryType.Name], types[s.Schema.MutationType.Name]
	publication, ok := find(query.Fields, "publication")
	if !ok {
		return f, false
	}
	f.Introspected = true
	if id, ok := findInput(publication.Args, "id"); ok {
		f.IDType = id.Type.base().Name
	}
	list, _ := find(query.Fields, "publications")
	sort, _ := findInput(list.Args, "sort")
	f.UpdatedAtAsc = spelled(types[sort.Type.base().Name], UpdatedAtAsc) == UpdatedAtAsc
	f.Edges = make(map[string]bool)
	f.page(types, list, "publication")
	webhooks, _ := find(query.Fields, "webhooks")
	f.page(types, webhooks, "webhook")
	f.readVariants(types, query)
	f.readDirectory(types, query)

	listing := follow(types, publication, "listing")
	variants, _ := find(listing.Fields, "variants")
	f.page(types, variants, "variant")
	images, _ := find(listing.Fields, "images")
	image := f.page(types, images, "image")
	f.readDetails(types, listing)
	if url, ok := find(image.Fields, "transformedUrl"); ok {
		method, _ := findInput(url.Args, "method")
		f.MethodType = method.Type.base().Name
		f.enumMethod = method.Type.base().Kind == "ENUM"
		f.methods = make(map[string]string)
		for _, value := range types[f.MethodType].EnumValues {
			f.methods[strings.ToUpper(value.Name)] = value.Name
		}
	}
	_, there := find(image.Fields, "originalUrl")
	f.NoOriginal = !there
	if field, ok := find(listing.Fields, "translations"); ok {
		f.Offered = []string{}
		for _, language := range types[field.Type.base().Name].Fields {
			if _, ok := find(types[language.Type.base().Name].Fields, "title"); ok {
				f.Offered = append(f.Offered, language.Name)
			}
		}
		f.Languages = slices.DeleteFunc(f.Languages, func(l string) bool { return !slices.Contains(f.Offered, l) })
	}

	f.inputs = make(map[string]string)
	if status, ok := f.argument(types, mutation, "publicationStatusUpdated", StatusInput, "status"); ok {
		f.StatusType = status.Name
		if values := types[status.Name]; status.Kind == "ENUM" {
			f.Success = cmp.Or(spelled(values, f.Success), f.Success)
			f.Failed = cmp.Or(spelled(values, f.Failed), f.Failed)
		}
	}
	f.ReportLacks = lacking(types, mutation)
	report, _ := find(mutation.Fields, "publicationStatusUpdated")
	if payload := types[report.Type.base().Name]; len(payload.Fields) > 0 {
		_, there := find(payload.Fields, "userErrors")
		f.NoUserErrors = !there
	}
	if events, ok := f.argument(types, mutation, "webhookCreate", WebhookInput, "events"); ok {
		f.EventType = events.Name
		f.events = make(map[string]string)
		for _, value := range types[events.Name].EnumValues {
			f.events[EventKey(value.Name)] = value.Name
		}
	}
	return f, true
}

// page records whether the connection that a field returns has nodes. It returns the type of its
// entries.
func (f *Forms) page(types map[string]schemaType, field schemaField, kind string) schemaType {
	connection := types[field.Type.base().Name]
	if nodes, ok := find(connection.Fields, "nodes"); ok {
		return types[nodes.Type.base().Name]
	}
	edges, ok := find(connection.Fields, "edges")
	f.Edges[kind] = ok
	return follow(types, edges, "node")
}

// argument returns the type of a field of a mutation's input, and records the name of the input.
func (f *Forms) argument(
	types map[string]schemaType, mutation schemaType, name, input, field string,
) (schemaName, bool) {
	operation, _ := find(mutation.Fields, name)
	arg, ok := findInput(operation.Args, "input")
	if !ok {
		return schemaName{}, false
	}
	f.inputs[input] = arg.Type.base().Name
	found, ok := findInput(types[arg.Type.base().Name].InputFields, field)
	return found.Type.base(), ok
}

func find(fields []schemaField, name string) (schemaField, bool) {
	for _, f := range fields {
		if f.Name == name {
			return f, true
		}
	}
	return schemaField{}, false
}

func findInput(inputs []schemaInput, name string) (schemaInput, bool) {
	for _, in := range inputs {
		if in.Name == name {
			return in, true
		}
	}
	return schemaInput{}, false
}

// follow is the type of the named field of the type that field returns.
func follow(types map[string]schemaType, field schemaField, name string) schemaType {
	next, _ := find(types[field.Type.base().Name].Fields, name)
	return types[next.Type.base().Name]
}

// spelled is the value of an enum that equals name but for case, the exact one first; "" when there
// is none.
func spelled(enum schemaType, name string) string {
	found := ""
	for _, value := range enum.EnumValues {
		switch {
		case value.Name == name:
			return name
		case strings.EqualFold(value.Name, name):
			found = value.Name
		}
	}
	return found
}

// reportFields are what a report's input must have.
func reportFields() []string { return []string{"id", "status", "productUrl"} }

// lacking is what a schema's mutation lacks of what a report needs.
func lacking(types map[string]schemaType, mutation schemaType) (lacks []string) {
	const name = "publicationStatusUpdated"
	operation, ok := find(mutation.Fields, name)
	if !ok {
		return []string{"mutation " + name}
	}
	arg, ok := findInput(operation.Args, "input")
	if !ok {
		return []string{"argument input of " + name}
	}
	for _, field := range reportFields() {
		if _, ok := findInput(types[arg.Type.base().Name].InputFields, field); !ok {
			lacks = append(lacks, fmt.Sprintf("field %s in the input of %s", field, name))
		}
	}
	return lacks
}

// readVariants records whether a schema has the list of product variants by UPDATED_AT_ASC.
func (f *Forms) readVariants(types map[string]schemaType, query schemaType) {
	list, there := find(query.Fields, "productVariants")
	sort, _ := findInput(list.Args, "sort")
	f.NoVariants = !there || spelled(types[sort.Type.base().Name], UpdatedAtAsc) != UpdatedAtAsc
	if there {
		f.page(types, list, ProductVariant)
	}
}

// readDirectory finds which parts of the directory a schema lacks, and which of their fields.
func (f *Forms) readDirectory(types map[string]schemaType, query schemaType) {
	f.Without = make(map[string]bool)
	lacks := func(part string, in schemaType, names ...string) (all bool) {
		all = true
		for _, name := range names {
			_, there := find(in.Fields, name)
			f.Without[part+"."+name] = !there
			all = all && !there
		}
		return all
	}
	for _, p := range []string{"account", "channels", "categories"} {
		field, ok := find(query.Fields, p)
		if !ok {
			f.Without[p] = true
			continue
		}
		switch p {
		case "account":
			f.Without[p] = lacks(p, types[field.Type.base().Name], "name", "type", "slug")
		case "channels":
			f.Without[p] = lacks(p, f.page(types, field, "channel"), "id", "name", "url")
		case "categories":
			lacks(p, types[field.Type.base().Name], "path", "name", "depth", "parent", "translation")
			f.Without[p] = f.Without["categories.path"] ||
				f.Without["categories.name"] && f.Without["categories.translation"]
		}
	}
}
