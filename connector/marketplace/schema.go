package marketplace

import (
	"cmp"
	"slices"
	"strings"
)

// probeDocument asks for the names and types of everything: the server's own type names are not
// known before, so none can be asked for by name.
const probeDocument = `query Probe{__schema{queryType{name} mutationType{name} types{kind name ` +
	`enumValues(includeDeprecated:true){name} inputFields{name ` + typeRefFields + `} ` +
	`fields(includeDeprecated:true){name args{name ` + typeRefFields + `} ` + typeRefFields + `}}}}`

const typeRefFields = `type{kind name ofType{kind name ofType{kind name ofType{kind name}}}}`

type schema struct {
	QueryType, MutationType struct{ Name string }
	Types                   []*schemaType
}

type schemaType struct {
	Name                string
	EnumValues          []struct{ Name string }
	Fields, InputFields []schemaField
}

// A schemaField is a field, or an argument of one, or a field of an input.
type schemaField struct {
	Name string
	Args []schemaField
	Type typeRef
}

// A typeRef is a named type, or lists and non-nulls around one.
type typeRef struct {
	Name   string
	OfType *typeRef
}

func named(fields []schemaField, name string) schemaField {
	for _, f := range fields {
		if f.Name == name {
			return f
		}
	}
	return schemaField{}
}

func has(fields []schemaField, name string) bool { return named(fields, name).Name != "" }

func (s *schema) typed(name string) *schemaType {
	for _, t := range s.Types {
		if t != nil && t.Name == name {
			return t
		}
	}
	return &schemaType{Name: name}
}

// of is the named type inside the lists and non-nulls of a field.
func (s *schema) of(f schemaField) *schemaType {
	ref := &f.Type
	for ref.OfType != nil {
		ref = ref.OfType
	}
	return s.typed(ref.Name)
}

// at is the field of the query that a path leads to, and the type of its entries: a connection is
// passed through its nodes or edges.
func (s *schema) at(path string) (f schemaField, entry *schemaType) {
	entry = s.typed(s.QueryType.Name)
	for name := range strings.SplitSeq(path, ".") {
		f = named(entry.Fields, name)
		entry = s.of(f)
		if has(entry.Fields, "nodes") {
			entry = s.of(named(entry.Fields, "nodes"))
		} else if has(entry.Fields, "edges") {
			entry = s.of(named(s.of(named(entry.Fields, "edges")).Fields, "node"))
		}
	}
	return f, entry
}

func (t *schemaType) values() (words []string) {
	for _, v := range t.EnumValues {
		words = append(words, v.Name)
	}
	return words
}

// spelled is the value of an enum that equals a word but for case, the exact one first; the word
// itself where there is none.
func (t *schemaType) spelled(word string) string {
	words := t.values()
	if i := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, word) }); i >= 0 &&
		!slices.Contains(words, word) {
		return words[i]
	}
	return word
}

func (s *schema) isOurs() bool {
	return s != nil && has(s.typed(s.QueryType.Name).Fields, "publication")
}

// read returns the dialect that a schema shows; what it does not show is as the specification says.
func (s *schema) read(wanted []string) Dialect {
	d, _ := assumed(wanted, Said{}) //nolint:errcheck // it says nothing
	d.Introspected = true
	sorted := func(path string) bool {
		list, _ := s.at(path)
		return slices.Contains(s.of(named(list.Args, "sort")).values(), string(UpdatedAtAsc))
	}
	d.Sorted, d.lacks["productVariants"] = sorted("publications"), !sorted("productVariants")
	for _, path := range []string{
		"publications", "webhooks", "productVariants", "channels", "publication.listing.variants",
		"publication.listing.images", "publication.listing.product.variants",
	} {
		field, _ := s.at(path)
		page := s.of(field).Fields
		d.Edges = d.Edges || has(page, "edges") && !has(page, "nodes")
	}
	for path, fields := range map[string][]string{
		"publication.listing.product":          append(productDetails(), "variants"),
		"publication.listing.product.variants": variantDetails(),
		"publication.listing.images":           {originalURL},
	} {
		_, entry := s.at(path)
		for _, f := range fields {
			d.lacks[path[strings.LastIndex(path, ".")+1:]+"."+f] = !has(entry.Fields, f)
		}
	}
	if url, _ := s.at("publication.listing.images.transformedUrl"); url.Name != "" {
		method := s.of(named(url.Args, "method"))
		if d.methods, d.Method = method.values(), method.Name; d.methods == nil {
			d.Method = "String"
		}
	}
	if field, translations := s.at("publication.listing.translations"); field.Name != "" {
		d.Offered = []string{}
		for _, language := range translations.Fields {
			if has(s.of(language).Fields, "title") {
				d.Offered = append(d.Offered, language.Name)
			}
		}
		d.Languages = slices.DeleteFunc(d.Languages, func(l string) bool { return !slices.Contains(d.Offered, l) })
	}
	mutations := s.typed(s.MutationType.Name).Fields
	report, hook := named(mutations, reportField), named(mutations, "webhookCreate")
	in, hookIn := s.of(named(report.Args, "input")), s.of(named(hook.Args, "input"))
	if report.Name == "" {
		d.reportLacks = []string{"mutation " + reportField}
	}
	for _, field := range []string{"id", "status", "productUrl"} {
		if report.Name != "" && !has(in.InputFields, field) {
			d.reportLacks = append(d.reportLacks, "field "+field+" in the input of "+reportField)
		}
	}
	status, payload := s.of(named(in.InputFields, "status")), s.of(report).Fields
	d.reportInput, d.webhookInput = cmp.Or(in.Name, d.reportInput), cmp.Or(hookIn.Name, d.webhookInput)
	d.Success, d.Failed = status.spelled(d.Success), status.spelled(d.Failed)
	d.NoUserErrors = len(payload) > 0 && !has(payload, "userErrors")
	d.events = s.of(named(hookIn.InputFields, "events")).values()
	return d
}
