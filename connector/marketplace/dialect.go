package marketplace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// A Dialect is how this server fills what the specification leaves open, by its schema or by FormsSetting.
type Dialect struct {
	Introspected    bool // read from the schema, not assumed
	Sorted          bool // publications sort by UPDATED_AT_ASC
	Edges           bool // connections have no nodes
	NoUserErrors    bool // in reports
	Success, Failed string
	Method          string   // type of an image's method: String or an enum
	Languages       []string // wanted ones that the server has, in that order

	shown map[string][]string // names in the schema, by place; no entry: not known
}

const (
	inLanguages = "languages" // of titles
	inMethods   = "methods"   // of pictures, if an enum
	inEvents    = "events"    // of webhooks, if an enum
	inImage     = "image"
	inProduct   = "product" // fields of a listing's product
	inDetails   = "details" // fields of its variants
	inSorts     = "sorts"   // of productVariants
	inMutations = "mutations"
	inReport    = "input of report"
	inTypes     = "input types" // of report and webhook
)

// lacks reports whether the schema is known not to name something.
func (d Dialect) lacks(place, name string) bool {
	names, known := d.shown[place]
	return known && !slices.Contains(names, name)
}

const FormsSetting = "PUBSYNC_MARKETPLACE_FORMS"

// Said is the value of FormsSetting. The zero Said is the specification.
type Said string

// ErrSaid lists the words of FormsSetting.
var ErrSaid = errors.New("takes parts separated by spaces, each at most once: status=SUCCESS,FAILED (or other words " +
	"for success and failed), connections=edges, sort=ID_DESC, userErrors=none, languages=en (several separated by " +
	"commas), method=String")

// ParseSaid parses a FormsSetting.
func ParseSaid(text string) (Said, error) {
	_, err := assumed(nil, Said(text))
	return Said(text), err
}

var isName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString

func assumed(wanted []string, s Said) (d Dialect, err error) {
	d = Dialect{
		Sorted: true, Success: "success", Failed: "failed", Method: "ImageMethod", Languages: slices.Clone(wanted),
	}
	seen := map[string]bool{}
	for _, part := range strings.Fields(string(s)) {
		name, value, _ := strings.Cut(part, "=")
		words := strings.Split(value, ",")
		if seen[name] || slices.ContainsFunc(words, func(w string) bool { return !isName(w) }) {
			return d, ErrSaid
		}
		seen[name] = true
		switch {
		case name == "status" && len(words) == 2 && words[0] != words[1]:
			d.Success, d.Failed = words[0], words[1]
		case name == "languages":
			d.Languages = slices.DeleteFunc(d.Languages, func(l string) bool { return spelled(words, l) == "" })
		case part == "connections=edges":
			d.Edges = true
		case part == "sort=ID_DESC":
			d.Sorted = false
		case part == "userErrors=none":
			d.NoUserErrors = true
		case part == "method=String":
			d.Method = "String"
		default:
			return d, ErrSaid
		}
	}
	return d, nil
}

func (d Dialect) String() string {
	source := "assumed, since the schema cannot be read"
	if d.Introspected {
		source = "read from the schema"
	}
	return fmt.Sprintf("%s: status=%s,%s sorted=%t method=%s languages=%s",
		source, d.Success, d.Failed, d.Sorted, d.Method, strings.Join(d.Languages, ","))
}

// Offered returns the server's languages, nil where not known.
func (d Dialect) Offered() []string { return d.shown[inLanguages] }

// TakesEvent reports whether an event can be registered, as far as the schema tells.
func (d Dialect) TakesEvent(name string) bool {
	return d.shown[inEvents] == nil || spelled(d.shown[inEvents], name) != ""
}

// spelled returns the word as words have it, the exact one before one of other case, or "".
func spelled(words []string, word string) string {
	if slices.Contains(words, word) {
		return word
	}
	if i := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, word) }); i >= 0 {
		return words[i]
	}
	return ""
}

// advise names the settings that may mend an objection, where the schema was not read. Doctor lists their words.
func (d Dialect) advise(e *Error) {
	if !d.Introspected {
		e.Message += " (the schema is hidden: pubsync doctor tells what to set, " + FormsSetting + " say)"
	}
}

// Probe finds out the server's dialect, as the first call of any method does. A failed probe leaves nothing behind.
// Waiting calls share one probe and its error, unless its caller went away.
func (r *Reader) Probe(ctx context.Context) (Dialect, error) {
	for {
		if known := r.dialect.Load(); known != nil {
			return *known, nil
		}
		d, err, _ := r.probing.Do("", func() (any, error) { return r.probe(ctx) })
		left := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
		if !left || ctx.Err() != nil {
			return d.(Dialect), err //nolint:forcetypeassert,errcheck // probe returns one
		}
	}
}

func (r *Reader) probe(ctx context.Context) (Dialect, error) {
	d, err := assumed(r.o.Languages, r.o.Forms)
	if err != nil {
		return d, err
	}
	urgent := &Admission{priority: Urgent}
	answer, err := r.send(ctx, urgent, request{
		op: "probe", name: "Probe", part: part{probeDocument, 1}, bytes: largeAnswer, elements: 200_000,
	})
	switch e := about(err); {
	case err == nil:
		if s, failed := read[schema](answer, "__schema"); failed == nil && s != nil {
			s.read(&d, r.o.Languages)
		}
	case e.is >= isExpensive:
	case e.is == isUnauthorized && e.Status != http.StatusUnauthorized:
		// some servers refuse introspection in the words of a refused token: the list tells them apart
		list := query("probe", "Listable", scalars("hasNextPage").in("pageInfo").in("publications(first:1)"))
		if _, refused := r.send(ctx, urgent, list); refused != nil {
			return Dialect{}, err
		}
	default:
		return Dialect{}, err
	}
	r.dialect.Store(&d)
	lacks := slices.DeleteFunc(slices.Clone(r.o.Languages), func(l string) bool { return slices.Contains(d.Languages, l) })
	if len(lacks) > 0 {
		r.o.Logger.WarnContext(ctx, "marketplace schema lacks languages", "languages", strings.Join(lacks, " "))
	}
	return d, nil
}

func (r *Reader) learn(change func(*Dialect)) {
	if d := r.dialect.Load(); d != nil {
		own := *d
		change(&own)
		r.dialect.Store(&own)
	}
}

// probeDocument asks for everything, since the server's type names are not known.
const probeDocument = `query Probe{__schema{queryType{name} mutationType{name} types{name ` +
	`enumValues(includeDeprecated:true){name} inputFields{name ` + typeRefFields + `} ` +
	`fields(includeDeprecated:true){name args{name ` + typeRefFields + `} ` + typeRefFields + `}}}}`

const typeRefFields = `type{name ofType{name ofType{name ofType{name}}}}`

type schema struct {
	QueryType, MutationType struct{ Name string }
	Types                   []*schemaType
}

type schemaType struct {
	Name                            string
	Fields, InputFields, EnumValues fieldList
}

// A schemaField is a field, an argument, or a value of an enum.
type schemaField struct {
	Name string
	Args fieldList
	Type typeRef
}

type typeRef struct {
	Name   string
	OfType *typeRef
}

type fieldList []schemaField

func (l fieldList) names() []string {
	all := make([]string, len(l))
	for i, f := range l {
		all[i] = f.Name
	}
	return all
}

func (l fieldList) get(name string) (field schemaField) {
	if i := slices.Index(l.names(), name); i >= 0 {
		field = l[i]
	}
	return field
}

func (l fieldList) has(name string) bool { return l.get(name).Name != "" }

func (s *schema) typed(name string) *schemaType {
	for _, t := range s.Types {
		if t != nil && t.Name == name {
			return t
		}
	}
	return &schemaType{}
}

func (s *schema) of(f schemaField) *schemaType {
	ref := &f.Type
	for ref.OfType != nil {
		ref = ref.OfType
	}
	return s.typed(ref.Name)
}

// at returns the field at a path and its entries' fields, through nodes or edges.
func (s *schema) at(path string) (f schemaField, entry fieldList) {
	entry = s.typed(s.QueryType.Name).Fields
	for name := range strings.SplitSeq(path, ".") {
		f = entry.get(name)
		entry = s.of(f).Fields
		if entry.has("nodes") {
			entry = s.of(entry.get("nodes")).Fields
		} else if entry.has("edges") {
			entry = s.of(s.of(entry.get("edges")).Fields.get("node")).Fields
		}
	}
	return f, entry
}

// read sets d by the schema, unless that is no marketplace's. The rest is as specified.
func (s *schema) read(d *Dialect, wanted []string) {
	if f, _ := s.at("publication"); f.Name == "" {
		return
	}
	*d, _ = assumed(wanted, "") //nolint:errcheck // it says nothing
	d.Introspected, d.shown = true, map[string][]string{}
	const listing = "publication.listing."
	for path, place := range map[string]string{
		"publications": "", "webhooks": "", "productVariants": "", listing + "variants": "", listing + "images": inImage,
		listing + "product": inProduct, listing + "product.variants": inDetails,
	} {
		field, entry := s.at(path)
		page := s.of(field).Fields
		d.Edges = d.Edges || page.has("edges") && !page.has("nodes")
		if place != "" {
			d.shown[place] = entry.names()
		}
	}
	enum := func(place string, f schemaField) {
		if values := s.of(f).EnumValues; len(values) > 0 {
			d.shown[place] = values.names()
		}
	}
	list, _ := s.at("publications")
	d.Sorted = s.of(list.Args.get("sort")).EnumValues.has(string(UpdatedAtAsc))
	list, _ = s.at("productVariants")
	d.shown[inSorts] = s.of(list.Args.get("sort")).EnumValues.names()
	if url, _ := s.at(listing + "images.transformedUrl"); url.Name != "" {
		method := url.Args.get("method")
		d.Method = "String"
		if enum(inMethods, method); d.shown[inMethods] != nil {
			d.Method = s.of(method).Name
		}
	}
	if field, translations := s.at(listing + "translations"); field.Name != "" {
		d.shown[inLanguages] = slices.DeleteFunc(translations.names(), func(l string) bool {
			return !s.of(translations.get(l)).Fields.has("title")
		})
		d.Languages = slices.DeleteFunc(d.Languages, func(l string) bool { return d.lacks(inLanguages, l) })
	}
	mutations := s.typed(s.MutationType.Name).Fields
	report := mutations.get(reportField)
	in, payload := s.of(report.Args.get("input")), s.of(report).Fields
	hook := s.of(mutations.get("webhookCreate").Args.get("input"))
	d.shown[inMutations], d.shown[inReport] = mutations.names(), in.InputFields.names()
	d.shown[inTypes] = []string{in.Name, hook.Name}
	status := s.of(in.InputFields.get("status")).EnumValues.names()
	d.Success, d.Failed = cmp.Or(spelled(status, d.Success), d.Success), cmp.Or(spelled(status, d.Failed), d.Failed)
	d.NoUserErrors = len(payload) > 0 && !payload.has("userErrors")
	enum(inEvents, hook.InputFields.get("events"))
}

// A Picture says how to ask for pictures. The zero Picture is FILL, 1,200 pixels.
type Picture struct {
	Method string // Uncropped, Original, or a method of transformedUrl: FIT, FILL, CROP
	Size   int    // in pixels
}

// The methods that the marketplace does not have.
const (
	Uncropped = "uncropped" // FIT where the server has it, else Original
	Original  = "original"  // as the supplier gave it
)

const originalURL = "originalUrl"

// picture returns the image's field with the wanted address.
func (d Dialect) picture(want Picture) string {
	const usual = "FILL"
	method, size, methods := cmp.Or(want.Method, usual), cmp.Or(want.Size, 1200), d.shown[inMethods]
	if method == Uncropped {
		method = cmp.Or(spelled(methods, "FIT"), Original)
	}
	if method == Original || methods != nil && spelled(methods, method) == "" {
		if !d.lacks(inImage, originalURL) {
			return originalURL
		}
		method = usual
	}
	if method = cmp.Or(spelled(methods, method), method); d.Method == "String" {
		method = literal(method)
	}
	return fmt.Sprintf("transformedUrl(width:%d,height:%d,method:%s)", size, size, method)
}
