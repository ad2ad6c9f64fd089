package shopify

import (
	"context"
	_ "embed" // used.txt
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// usedText lists what requests use of Shopify's schema, a line each: "field Product.title",
// "argument Mutation.productSet(input:)", "input ProductSetInput.title", "value
// ProductStatus.DRAFT". A test makes it from the documents and from the variables that the tests
// send.
//
//go:embed used.txt
var usedText string

// A usedType is what requests use of one type of the schema.
type usedType struct {
	name   string
	fields []string
	args   map[string][]string // by field
	inputs []string
	values []string
}

// usedTypes reads a list in the form of usedText.
func usedTypes(text string) []*usedType {
	var list []*usedType
	for line := range strings.Lines(text) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, member, ok := strings.Cut(rest, ".")
		if !ok {
			continue
		}
		i := slices.IndexFunc(list, func(t *usedType) bool { return t.name == name })
		if i < 0 {
			i, list = len(list), append(list, &usedType{name: name, args: map[string][]string{}})
		}
		t := list[i]
		switch kind {
		case "field":
			t.fields = append(t.fields, member)
		case "argument":
			field, arg, _ := strings.Cut(strings.TrimSuffix(member, ":)"), "(")
			t.args[field] = append(t.args[field], arg)
		case "input":
			t.inputs = append(t.inputs, member)
		case "value":
			t.values = append(t.values, member)
		}
	}
	return list
}

// introspection asks for these types. Deprecated members count: Shopify still takes them.
func introspection(types []*usedType) string {
	const input = "{ name defaultValue type { kind } }"
	var b strings.Builder
	b.WriteString("query Schema {\n")
	for _, t := range types {
		fmt.Fprintf(&b, "  %s: __type(name: %q) {", t.name, t.name)
		if len(t.args) > 0 {
			b.WriteString(" fields(includeDeprecated: true) { name args(includeDeprecated: true) " + input + " }")
		} else if len(t.fields) > 0 {
			b.WriteString(" fields(includeDeprecated: true) { name }")
		}
		if len(t.inputs) > 0 {
			b.WriteString(" inputFields(includeDeprecated: true) " + input)
		}
		if len(t.values) > 0 {
			b.WriteString(" enumValues(includeDeprecated: true) { name }")
		}
		b.WriteString(" }\n")
	}
	b.WriteString("}")
	return b.String()
}

// A servedType is one as the shop's version has it.
type servedType struct {
	Fields []servedField `json:"fields"`
	Inputs []servedInput `json:"inputFields"`
	Values []servedValue `json:"enumValues"`
}

type servedField struct {
	Name string        `json:"name"`
	Args []servedInput `json:"args"`
}

type servedValue struct {
	Name string `json:"name"`
}

// A servedInput is an argument or an input field.
type servedInput struct {
	Name    string  `json:"name"`
	Default *string `json:"defaultValue"`
	Type    struct {
		Kind string `json:"kind"`
	} `json:"type"`
}

func (i servedInput) required() bool { return i.Type.Kind == "NON_NULL" && i.Default == nil }

// lacks names what requests use of the type and the shop's version does not have, and what it asks
// for that no request gives.
func (t *usedType) lacks(served *servedType) []string {
	if served == nil {
		return []string{"the type " + t.name}
	}
	var list []string
	for _, field := range t.fields {
		i := slices.IndexFunc(served.Fields, func(f servedField) bool { return f.Name == field })
		if i < 0 {
			list = append(list, t.name+"."+field)
			continue
		}
		list = append(list, lackingInputs(t.args[field], served.Fields[i].Args, func(name string) string {
			return t.name + "." + field + "(" + name + ":)"
		})...)
	}
	if len(t.inputs) > 0 {
		list = append(
			list,
			lackingInputs(t.inputs, served.Inputs, func(name string) string { return t.name + "." + name })...)
	}
	for _, value := range t.values {
		if !slices.ContainsFunc(served.Values, func(v servedValue) bool { return v.Name == value }) {
			list = append(list, t.name+"."+value)
		}
	}
	return list
}

func lackingInputs(used []string, served []servedInput, name func(string) string) []string {
	var list []string
	for _, u := range used {
		if !slices.ContainsFunc(served, func(i servedInput) bool { return i.Name == u }) {
			list = append(list, name(u))
		}
	}
	for _, i := range served {
		if i.required() && !slices.Contains(used, i.Name) {
			list = append(list, "a value for "+name(i.Name))
		}
	}
	return list
}

// How long a verdict on the schema counts. A version of Shopify's API does not change once it is
// out, so a good one is kept for long; a bad one is kept, so that a check every few seconds does
// not ask for the schema each time.
const (
	schemaGood    = 24 * time.Hour
	schemaBad     = 10 * time.Minute
	schemaUnknown = time.Hour
)

// versionHeader names the version that an answer was served with. Shopify answers a version that it
// has retired with the oldest that it still has, and says so here alone.
const versionHeader = "X-Shopify-Api-Version"

// A schemaVerdict is what is known of the schema that the shop serves. It ends with its time, when
// another version is served, and when the shop refuses a request for something that its schema
// lacks.
type schemaVerdict struct {
	turn chan struct{} // held by the goroutine that asks the shop, so that the first products at a time ask once

	mu      sync.Mutex
	served  string // the version of the last answer
	version string // that the verdict is of
	until   time.Time
	err     error // what it lacks, nil for nothing
}

func newSchemaVerdict(version string) *schemaVerdict {
	v := &schemaVerdict{turn: make(chan struct{}, 1), served: version}
	v.turn <- struct{}{}
	return v
}

// hear notes the version that an answer was served with.
func (v *schemaVerdict) hear(h http.Header) {
	if version := h.Get(versionHeader); version != "" {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.served = version
	}
}

// known is the verdict on the version that is served; ok is false where it has to be found out.
func (v *schemaVerdict) known() (lacks error, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.err, v.version == v.served && time.Now().Before(v.until)
}

// keep is the verdict on the version that was served last, for a while.
func (v *schemaVerdict) keep(d time.Duration, err error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.version, v.until, v.err = v.served, time.Now().Add(d), err
	return err
}

func (v *schemaVerdict) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.until = time.Time{}
}

// checkSchema proves that the version that the shop serves has all that a product needs from its
// creation to its deletion. Where the shop does not tell its schema, nothing is proven and nothing
// is wrong. It is never the first request: one that costs this much would wait until the bucket,
// empty at first for all that is known, has filled.
func (a *Adapter) checkSchema(ctx context.Context) error {
	if lacks, ok := a.schema.known(); ok {
		return lacks
	}
	select {
	case <-a.schema.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { a.schema.turn <- struct{}{} }()
	if lacks, ok := a.schema.known(); ok {
		return lacks
	}
	types := usedTypes(a.uses())
	var answer map[string]*servedType
	err := a.call(ctx, request{document: introspection(types), estimate: 4 * float64(len(types))}, &answer)
	if g := (*graphError)(nil); errors.As(err, &g) && !isThrottled(err) {
		a.logger.WarnContext(ctx, "schema not told", slog.String("reason", g.Message))
		return a.schema.keep(schemaUnknown, nil)
	}
	if err != nil {
		return step.Within("read schema", err)
	}
	var lacking []string
	unknown := 0
	for _, t := range types {
		if answer[t.name] == nil {
			unknown++
		}
		lacking = append(lacking, t.lacks(answer[t.name])...)
	}
	switch {
	case unknown == len(types):
		a.logger.WarnContext(ctx, "schema not told", slog.String("reason", "no type is known"))
		return a.schema.keep(schemaUnknown, nil)
	case len(lacking) == 0:
		return a.schema.keep(schemaGood, nil)
	}
	return a.schema.keep(schemaBad, a.outdated(lacking))
}

// mostLacking bounds how many things a message names.
const mostLacking = 5

func (a *Adapter) outdated(lacking []string) error {
	a.schema.mu.Lock()
	served := a.schema.served
	a.schema.mu.Unlock()
	named := strings.Join(lacking[:min(len(lacking), mostLacking)], ", ")
	if more := len(lacking) - mostLacking; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	remedy := "set API_VERSION to " + defaultVersion
	if a.version == defaultVersion {
		remedy = "this release of pubsync does not fit it, install a newer one"
	}
	return shopadapter.Block(
		"API version %s of Shopify lacks what pubsync needs (%s): %s", a.scrub(served), named, remedy,
	).
		Everywhere()
}
