package marketplace

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
)

// refusals is how often a refusal of introspection that cannot be understood is taken for trouble
// inside the server, before it is believed.
const refusals = 2

// Probe finds out how this server chose what the specification leaves open. The first call of any
// method does so too. What introspection said is kept until errors of the server make a new one
// worth its point, what had to be assumed for an hour. A probe that fails, for lack of an answer or
// of a good token, leaves nothing behind: the next call probes anew.
func (r *Reader) Probe(ctx context.Context) (Forms, error) {
	forms, _, err := r.known(ctx)
	forms.Languages, forms.Offered = slices.Clone(forms.Languages), slices.Clone(forms.Offered)
	return forms, err
}

// known is the forms and their version. It probes when they are not known yet; callers that meet
// during a probe share its outcome.
func (r *Reader) known(ctx context.Context) (Forms, int, error) {
	b := r.forms
	b.mu.Lock()
	forms, version, known, before := b.forms, b.version, b.known, b.probes
	b.mu.Unlock()
	if known {
		if b.due(true) {
			r.reread(ctx) // the others go on with the forms known
			b.mu.Lock()
			forms, version = b.forms, b.version
			b.mu.Unlock()
		}
		return forms, version, nil
	}
	select {
	case b.probing <- struct{}{}:
		defer func() { <-b.probing }()
	case <-ctx.Done():
		return Forms{}, 0, &Error{Op: "probe", Message: ctx.Err().Error(), Err: ctx.Err()}
	}
	b.mu.Lock()
	forms, version, known = b.forms, b.version, b.known
	failed := b.failed
	if b.probes == before || ctxEnded(failed) {
		failed = nil
	}
	b.mu.Unlock()
	switch {
	case known:
		return forms, version, nil
	case failed != nil:
		return Forms{}, 0, failed
	}

	if forms, ok := r.recall(ctx, time.Now()); ok {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.put(forms)
		b.recalled = true
		return b.forms, b.version, nil
	}
	forms, err := r.probe(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probes++
	b.failed = err
	if err != nil {
		return Forms{}, 0, err
	}
	b.put(forms)
	if forms.Introspected {
		r.forget(ctx)
	}
	r.warnLanguages(ctx, b.forms)
	return b.forms, b.version, nil
}

// ctxEnded reports whether err is the end of some caller's context, which is nothing to others.
func ctxEnded(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func (r *Reader) probe(ctx context.Context) (Forms, error) {
	q := request{op: "probe", doc: probeDocument(), probe: true}
	text := q.doc.text()
	var answer *reply
	var f *fault
	for refused := (retries{}); ; {
		res, err := r.pay(ctx, Urgent, q.op, 1, nil)
		if err != nil {
			return Forms{}, err
		}
		if answer, f = r.exchange(ctx, q, text, res); f == nil || !refused.again(f.err) {
			break
		}
	}
	if f == nil {
		defer answer.done()
		return read(answer.data, r.forms.wanted), nil
	}
	switch f.verdict {
	case isInvalid, isExpensive, isPage:
		if !f.counted {
			r.listable(ctx) // nothing was said of the bucket: a nearly free question is answered with what remains
		}
		return assumed(r.forms.wanted), nil
	case isUnknown:
		if r.forms.oddly() > refusals {
			return assumed(r.forms.wanted), nil
		}
	case isUnauthorized:
		// Some servers refuse introspection in the words in which others refuse a token. A look at
		// the list tells them apart.
		if f.err.Status != 401 && r.listable(ctx) {
			return assumed(r.forms.wanted), nil
		}
	}
	return Forms{}, f.err
}

// oddly counts the refusals that were not understood.
func (b *schemaVariants) oddly() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.odd++
	return b.odd
}

// listable reports whether the token is good for the list.
func (r *Reader) listable(ctx context.Context) bool {
	page := struct{ PageInfo struct{ HasNextPage bool } }{}
	q := request{op: "probe", doc: typed(query, "Listable", nil, [2]any{"publications(first:1)", page})}
	text := q.doc.text()
	res, err := r.pay(ctx, Urgent, q.op, r.costs.reserve(q.doc, text), nil)
	if err != nil {
		return false
	}
	_, f := r.exchange(ctx, q, text, res)
	return f == nil
}

func probeDocument() document { return typed(query, "Probe", nil, [2]any{"__schema", schema{}}) }

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

// read makes the forms from a schema. What it does not find stays as the specification says.
func read(data json.RawMessage, wanted []string) Forms {
	f := assumed(wanted)
	var s struct {
		Schema *schema `graphql:"__schema"`
	}
	if unmarshal(data, &s) != nil || s.Schema == nil {
		return f
	}
	types := make(map[string]schemaType, len(s.Schema.Types))
	for _, t := range s.Schema.Types {
		types[t.Name] = t
	}
	query, mutation := types[s.Schema.QueryType.Name], types[s.Schema.MutationType.Name]
	publication, ok := find(query.Fields, "publication")
	if !ok {
		return f
	}
	f.Introspected = true
	if id, ok := findInput(publication.Args, "id"); ok {
		f.IDType = id.Type.base().Name
	}
	list, _ := find(query.Fields, "publications")
	sort, _ := findInput(list.Args, "sort")
	f.UpdatedAtAsc = spelled(types[sort.Type.base().Name], "UPDATED_AT_ASC") == "UPDATED_AT_ASC"
	f.edges = make(map[string]bool)
	f.page(types, list, "publication")
	webhooks, _ := find(query.Fields, "webhooks")
	f.page(types, webhooks, "webhook")
	f.noteVariants(types, query)
	f.readDirectory(types, query)

	listing := follow(types, publication, "listing")
	variants, _ := find(listing.Fields, "variants")
	f.page(types, variants, "variant")
	images, _ := find(listing.Fields, "images")
	image := f.page(types, images, "image")
	if url, ok := find(image.Fields, "transformedUrl"); ok {
		method, _ := findInput(url.Args, "method")
		f.MethodType = method.Type.base().Name
		f.enumMethod = method.Type.base().Kind == "ENUM"
		if fill := spelled(types[f.MethodType], "FILL"); fill != "" {
			f.fill = fill
		}
	}
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
	if status, ok := f.argument(types, mutation, "publicationStatusUpdated", statusInput, "status"); ok {
		f.StatusType = status.Name
		if values := types[status.Name]; status.Kind == "ENUM" {
			f.Success, f.Failed = or(spelled(values, f.Success), f.Success), or(spelled(values, f.Failed), f.Failed)
		}
	}
	f.reportLacks = lacking(types, mutation)
	report, _ := find(mutation.Fields, "publicationStatusUpdated")
	if payload := types[report.Type.base().Name]; len(payload.Fields) > 0 {
		_, there := find(payload.Fields, "userErrors")
		f.noUserErrors = !there
	}
	if events, ok := f.argument(types, mutation, "webhookCreate", webhookInput, "events"); ok {
		f.EventType = events.Name
		f.events = make(map[string]string)
		for _, value := range types[events.Name].EnumValues {
			f.events[eventKey(value.Name)] = value.Name
		}
	}
	return f
}

// page notes whether the connection that field returns has nodes, and is the type of what it
// connects to.
func (f *Forms) page(types map[string]schemaType, field schemaField, kind string) schemaType {
	connection := types[field.Type.base().Name]
	if nodes, ok := find(connection.Fields, "nodes"); ok {
		return types[nodes.Type.base().Name]
	}
	edges, ok := find(connection.Fields, "edges")
	f.edges[kind] = ok
	return follow(types, edges, "node")
}

// argument is the type of a field of a mutation's input, and notes the input's own name.
func (f *Forms) argument(types map[string]schemaType, mutation schemaType, name, input, field string) (schemaName, bool) {
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

func or(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}
