package marketplace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
)

// A Dialect is the choices that this server made where the specification leaves one: read from its
// schema, else as the specification and PUBSYNC_MARKETPLACE_FORMS say.
type Dialect struct {
	Introspected    bool     // read from the schema; else assumed
	Sorted          bool     // publications can be sorted by UPDATED_AT_ASC
	Edges           bool     // connections have no nodes
	NoUserErrors    bool     // a report's payload has no userErrors
	Success, Failed string   // how these statuses are spelled
	Method          string   // the type of an image's method: String, or the name of an enum
	Languages       []string // the languages wanted that the server has, in the order wanted
	Offered         []string // every language that the server has; nil where that is not known

	methods, events           []string        // of pictures and webhooks, where the schema has an enum of them
	reportInput, webhookInput string          // the names of the input types
	lacks                     map[string]bool // what the schema is known not to have: "channels", "product.brand"
}

// FormsSetting is the name of the variable that says what differs from the specification.
const FormsSetting = "PUBSYNC_MARKETPLACE_FORMS"

// Said is the value of FormsSetting. The zero Said is the specification.
type Said struct{ text string }

// errParts lists what a Said may be made of.
var errParts = errors.New("takes parts separated by spaces, each at most once: status=SUCCESS,FAILED (or other words " +
	"for success and failed), connections=edges, sort=ID_DESC, userErrors=none, languages=en (several separated by " +
	"commas), method=String")

// ParseSaid reads a Said as the setting gives it.
func ParseSaid(text string) (Said, error) {
	s := Said{text}
	_, err := assumed(nil, s)
	if err != nil {
		s = Said{}
	}
	return s, err
}

var isName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString

// assumed is what the specification says, but for what the setting says.
func assumed(wanted []string, s Said) (d Dialect, err error) {
	d = Dialect{
		Sorted: true, Success: "success", Failed: "failed", Method: "ImageMethod", Languages: slices.Clone(wanted),
		reportInput: "PublicationStatusUpdatedInput", webhookInput: "WebhookCreateInput", lacks: map[string]bool{},
	}
	seen := map[string]bool{}
	for _, part := range strings.Fields(s.text) {
		name, value, _ := strings.Cut(part, "=")
		words := strings.Split(value, ",")
		if seen[name] || slices.ContainsFunc(words, func(w string) bool { return !isName(w) }) {
			return d, errParts
		}
		seen[name] = true
		switch {
		case name == "status" && len(words) == 2 && words[0] != words[1]:
			d.Success, d.Failed = words[0], words[1]
		case name == "languages":
			said := strings.Split(strings.ToLower(value), ",")
			d.Languages = slices.DeleteFunc(d.Languages, func(l string) bool { return !slices.Contains(said, l) })
		case part == "connections=edges":
			d.Edges = true
		case part == "sort=ID_DESC":
			d.Sorted = false
		case part == "userErrors=none":
			d.NoUserErrors = true
		case part == "method=String":
			d.Method = "String"
		default:
			return d, errParts
		}
	}
	return d, nil
}

// String is one line for a person to read.
func (d Dialect) String() string {
	said := "assumed, since the schema cannot be read, "
	if d.Introspected {
		said = "read from the schema, "
	}
	if !d.Sorted {
		said += "does not sort"
	} else {
		said += "sorts"
	}
	list := func(words []string) string { return cmp.Or(strings.Join(words, " "), "none") }
	said += fmt.Sprintf(" by UPDATED_AT_ASC, status %s or %s, image method %s, languages %s",
		d.Success, d.Failed, d.Method, list(d.Languages))
	if d.NoUserErrors {
		said += ", reports without userErrors"
	}
	if d.Offered != nil {
		said += ", of " + list(d.Offered)
	}
	return said
}

// status is a reported status as this server spells it.
func (d Dialect) status(s string) string {
	switch s {
	case "success":
		return d.Success
	case "failed":
		return d.Failed
	default:
		return s
	}
}

// TakesEvent reports whether a webhook can be registered for an event, as far as the schema tells.
func (d Dialect) TakesEvent(name string) bool { return d.events == nil || hasWord(d.events, name) }

func hasWord(words []string, word string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, word) })
}

// has is those of some fields that this server has, as far as is known.
func (d Dialect) has(of string, fields ...string) []string {
	return slices.DeleteFunc(fields, func(f string) bool { return d.lacks[of+"."+f] })
}

// advice is what to set where the server makes an objection, "" for nothing that is known.
func (d Dialect) advice(e *Error) string {
	if d.Introspected {
		return ""
	}
	words := quotes(e.said)
	left := slices.DeleteFunc(slices.Clone(d.Languages), func(l string) bool { return e.missing[l] })
	var part string
	switch {
	case e.missing["nodes"]:
		part = "connections=edges"
	case e.missing["userErrors"]:
		part = "userErrors=none"
	case strings.Contains(e.said, string(UpdatedAtAsc)):
		part = "sort=ID_DESC"
	case len(left) < len(d.Languages) && len(left) > 0:
		part = "languages=" + strings.Join(left, ",")
	case slices.ContainsFunc(variantDetails()[1:], func(name string) bool { return e.missing[name] }):
		return "set PUBSYNC_PRODUCT_DETAILS=off"
	case e.missing["originalUrl"]:
		return "set PUBSYNC_IMAGE_METHOD=FILL"
	case words["method"] || aMethod.MatchString(e.said):
		part = "method=String"
	case d.Success == "success" && (words["status"] || aStatus.MatchString(e.said)):
		part = "status=SUCCESS,FAILED"
	default:
		return ""
	}
	return "set " + part + " in " + FormsSetting
}

var (
	aMethod = regexp.MustCompile(`\b(?i:FIT|FILL|CROP)\b|ImageMethod`)
	aStatus = regexp.MustCompile(`(?i)\b(?:success|failed)\b|\b\w+\.status\b`)
)

// Probe finds out how this server chose what the specification leaves open. The first call of any
// method does so too. A probe that fails, for lack of an answer or of a good token, leaves nothing
// behind: the next call probes anew. Callers that meet share one probe.
func (r *Reader) Probe(ctx context.Context) (Dialect, error) {
	for {
		if known := r.dialect.Load(); known != nil {
			return *known, nil
		}
		var own bool // this caller's context was the probe's
		done := r.probing.DoChan("", func() (any, error) {
			own = true
			if known := r.dialect.Load(); known != nil {
				return *known, nil
			}
			return r.probe(ctx)
		})
		select {
		case <-ctx.Done():
			return Dialect{}, &Error{Op: "probe", Message: ctx.Err().Error(), Err: ctx.Err()}
		case probed := <-done:
			stopped := errors.Is(probed.Err, context.Canceled) || errors.Is(probed.Err, context.DeadlineExceeded)
			if stopped && !own { // the caller that had begun it went away
				continue
			}
			d, _ := probed.Val.(Dialect)
			return d, probed.Err
		}
	}
}

func (r *Reader) probe(ctx context.Context) (d Dialect, err error) {
	if d, err = r.asked(ctx); err != nil {
		return Dialect{}, err
	}
	r.dialect.Store(&d)
	if lacks := slices.DeleteFunc(slices.Clone(r.wanted), func(l string) bool {
		return slices.Contains(d.Languages, l)
	}); len(lacks) > 0 {
		r.log.LogAttrs(ctx, slog.LevelWarn, "marketplace schema lacks languages",
			slog.String("languages", strings.Join(lacks, " ")))
	}
	return d, nil
}

// asked is what the server says to introspection: its schema, or that it shows none.
func (r *Reader) asked(ctx context.Context) (Dialect, error) {
	specified, err := assumed(r.wanted, r.said)
	if err != nil {
		return Dialect{}, err
	}
	q := request{
		op: "probe", name: "Probe", text: probeDocument, probe: true, bytes: schemaAnswer, elements: 200_000,
	}
	var answer struct {
		Schema *schema `json:"__schema"`
	}
	var f *failure
	for again := (retries{}); ; {
		res, err := r.pay(ctx, Urgent, q.op, 1, nil)
		if err != nil {
			return Dialect{}, err
		}
		if _, f = r.exchange(ctx, q, res, &answer); f == nil || !again.again(f.err) {
			break
		}
	}
	switch {
	case f == nil:
		if d, ok := answer.Schema.read(r.wanted); ok {
			return d, nil
		}
		return specified, nil
	case f.is >= isExpensive:
		if !f.counted {
			r.listable(ctx) // nothing was said of the bucket: a nearly free question is answered with what remains
		}
		return specified, nil
	case f.is == isUnauthorized && f.err.Status != 401 && r.listable(ctx):
		// Some servers refuse introspection in the words in which others refuse a token. A look at
		// the list tells them apart.
		return specified, nil
	}
	return Dialect{}, f.err
}

// listable reports whether the token is good for the list.
func (r *Reader) listable(ctx context.Context) bool {
	q := request{op: "probe", name: "Listable", text: "query Listable{publications(first:1){pageInfo{hasNextPage}}}"}
	res, err := r.pay(ctx, Urgent, q.op, r.costs.reserve(q), nil)
	if err != nil {
		return false
	}
	_, f := r.exchange(ctx, q, res, nil)
	return f == nil
}

// probeDocument asks for the names and types of everything: the server's own type names are not
// known before, so none can be asked for by name.
const probeDocument = `query Probe{__schema{queryType{name} mutationType{name} types{kind name ` +
	`enumValues(includeDeprecated:true){name} inputFields{name ` + typeRefFields + `} ` +
	`fields(includeDeprecated:true){name args{name ` + typeRefFields + `} ` + typeRefFields + `}}}}`

const typeRefFields = `type{kind name ofType{kind name ofType{kind name ofType{kind name}}}}`

type schema struct {
	QueryType, MutationType struct{ Name string }
	Types                   []*schemaType

	byName map[string]*schemaType
}

type schemaType struct {
	Kind, Name  string
	EnumValues  []struct{ Name string }
	InputFields []schemaField
	Fields      []schemaField
}

// A schemaField is a field, or an argument of one, or a field of an input.
type schemaField struct {
	Name string
	Args []schemaField
	Type typeRef
}

// A typeRef is a named type, or lists and non-nulls around one.
type typeRef struct {
	Kind, Name string
	OfType     *typeRef
}

// named is a field among some, nil where there is none.
func named(fields []schemaField, name string) *schemaField {
	if i := slices.IndexFunc(fields, func(f schemaField) bool { return f.Name == name }); i >= 0 {
		return &fields[i]
	}
	return nil
}

// of is the named type inside the lists and non-nulls of a field, an empty one for no field.
func (s *schema) of(f *schemaField) *schemaType {
	if f == nil {
		return &schemaType{}
	}
	ref := &f.Type
	for ref.OfType != nil {
		ref = ref.OfType
	}
	if t := s.byName[ref.Name]; t != nil {
		return t
	}
	return &schemaType{Kind: ref.Kind, Name: ref.Name}
}

// at is the field of the query that a path leads to, nil where there is none, and the type of its
// entries: a connection is passed through its nodes or edges.
func (s *schema) at(path string) (f *schemaField, entry *schemaType) {
	entry = s.byName[s.QueryType.Name]
	for name := range strings.SplitSeq(path, ".") {
		f = named(entry.Fields, name)
		entry = s.of(f)
		if nodes := named(entry.Fields, "nodes"); nodes != nil {
			entry = s.of(nodes)
		} else if edges := named(entry.Fields, "edges"); edges != nil {
			entry = s.of(named(s.of(edges).Fields, "node"))
		}
	}
	return f, entry
}

// value is the value of an enum that equals a word but for case, the exact one first; "" for none.
func (t *schemaType) value(word string) (found string) {
	for _, v := range t.EnumValues {
		if strings.EqualFold(v.Name, word) && found != word {
			found = v.Name
		}
	}
	return found
}

// read returns the dialect that a schema shows; what it does not show is as the specification says.
func (s *schema) read(wanted []string) (d Dialect, ok bool) {
	if d, _ = assumed(wanted, Said{}); s == nil { //nolint:errcheck // it says nothing
		return d, false
	}
	s.byName = make(map[string]*schemaType, len(s.Types))
	for _, t := range s.Types {
		s.byName[t.Name] = t
	}
	if query := s.byName[s.QueryType.Name]; query == nil || named(query.Fields, "publication") == nil {
		return d, false
	}
	d.Introspected = true
	sorted := func(path string) bool {
		list, _ := s.at(path)
		return list != nil && s.of(named(list.Args, "sort")).value(string(UpdatedAtAsc)) == string(UpdatedAtAsc)
	}
	d.Sorted = sorted("publications")
	d.lacks["productVariants"] = !sorted("productVariants")
	for path, fields := range map[string][]string{
		"account": nil, "channels": nil, "categories": nil,
		"publication.listing.product":          append(productDetails(), "variants"),
		"publication.listing.product.variants": variantDetails(),
		"publication.listing.images":           {originalURL},
	} {
		of := path[strings.LastIndex(path, ".")+1:]
		field, entry := s.at(path)
		d.lacks[of] = field == nil
		for _, f := range fields {
			d.lacks[of+"."+f] = named(entry.Fields, f) == nil
		}
	}
	for _, path := range []string{
		"publications", "webhooks", "productVariants", "channels", "publication.listing.variants",
		"publication.listing.images", "publication.listing.product.variants",
	} {
		field, _ := s.at(path)
		page := s.of(field).Fields
		d.Edges = d.Edges || named(page, "edges") != nil && named(page, "nodes") == nil
	}
	if url, _ := s.at("publication.listing.images.transformedUrl"); url != nil {
		method := s.of(named(url.Args, "method"))
		if d.Method = method.Name; method.Kind != "ENUM" {
			d.Method = "String"
		}
		d.methods = method.values()
	}
	if field, translations := s.at("publication.listing.translations"); field != nil {
		d.Offered = []string{}
		for _, language := range translations.Fields {
			if named(s.of(&language).Fields, "title") != nil {
				d.Offered = append(d.Offered, language.Name)
			}
		}
		d.Languages = slices.DeleteFunc(d.Languages, func(l string) bool { return !slices.Contains(d.Offered, l) })
	}
	s.readMutations(&d)
	return d, true
}

// values are the words of an enum, nil where the type is none.
func (t *schemaType) values() (words []string) {
	for _, v := range t.EnumValues {
		words = append(words, v.Name)
	}
	return words
}

// readMutations reads what a report and a registration are made of.
func (s *schema) readMutations(d *Dialect) {
	const report = "publicationStatusUpdated"
	var mutations []schemaField
	if t := s.byName[s.MutationType.Name]; t != nil {
		mutations = t.Fields
	}
	input := func(operation string, name *string) (of, in *schemaType) {
		field := named(mutations, operation)
		if field == nil {
			return nil, nil
		}
		if in = s.of(named(field.Args, "input")); in.Name != "" {
			*name = in.Name
		}
		return s.of(field), in
	}
	lack := func(missing bool, what string) bool {
		d.lacks["report: "+what] = missing
		return missing
	}
	told, in := input(report, &d.reportInput)
	if !lack(told == nil, "mutation "+report) && !lack(in.Name == "", "argument input of "+report) {
		for _, field := range []string{"id", "status", "productUrl"} {
			lack(named(in.InputFields, field) == nil, fmt.Sprintf("field %s in the input of %s", field, report))
		}
		status := s.of(named(in.InputFields, "status"))
		d.Success, d.Failed = cmp.Or(status.value(d.Success), d.Success), cmp.Or(status.value(d.Failed), d.Failed)
		d.NoUserErrors = len(told.Fields) > 0 && named(told.Fields, "userErrors") == nil
	}
	if _, in := input("webhookCreate", &d.webhookInput); in != nil {
		d.events = s.of(named(in.InputFields, "events")).values()
	}
}

// learn changes the dialect by what an objection taught.
func (r *Reader) learn(change func(*Dialect)) {
	if d := r.dialect.Load(); d != nil {
		own := *d
		change(&own)
		r.dialect.Store(&own)
	}
}
