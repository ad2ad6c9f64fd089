package marketplace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Dialect is how this server fills what the specification leaves open: by its schema, else by
// PUBSYNC_MARKETPLACE_FORMS.
type Dialect struct {
	Introspected    bool // read from the schema, not assumed
	Sorted          bool // publications sort by UPDATED_AT_ASC
	Edges           bool // connections have no nodes
	NoUserErrors    bool // in reports
	Success, Failed string
	Method          string   // type of an image's method: String or an enum
	Languages       []string // wanted ones that the server has, in that order
	Offered         []string // the server's languages; nil: not known

	methods, image         []string // values of Method, fields of an image; nil: not known
	product, details       []string // fields of a listing's product and of its variants; nil: not known
	reportInput, hookInput string   // types
}

// lacks reports whether names are known and do not have one.
func lacks(names []string, name string) bool { return names != nil && !slices.Contains(names, name) }

// FormsSetting names the variable that says what differs from the specification.
const FormsSetting = "PUBSYNC_MARKETPLACE_FORMS"

// Said is the value of FormsSetting. The zero Said is the specification.
type Said struct{ text string }

var errParts = errors.New("takes parts separated by spaces, each at most once: status=SUCCESS,FAILED (or other words " +
	"for success and failed), connections=edges, sort=ID_DESC, userErrors=none, languages=en (several separated by " +
	"commas), method=String")

// ParseSaid parses a FormsSetting.
func ParseSaid(text string) (Said, error) {
	if _, err := assumed(nil, Said{text}); err != nil {
		return Said{}, err
	}
	return Said{text}, nil
}

var isName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString

func assumed(wanted []string, s Said) (d Dialect, err error) {
	d = Dialect{
		Sorted: true, Success: "success", Failed: "failed", Method: "ImageMethod", Languages: slices.Clone(wanted),
		reportInput: "PublicationStatusUpdatedInput", hookInput: "WebhookCreateInput",
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
			return d, errParts
		}
	}
	return d, nil
}

// String describes the dialect in one line.
func (d Dialect) String() string {
	said, sorts, more := "assumed, since the schema cannot be read", "sorts", ""
	list := func(words []string) string { return cmp.Or(strings.Join(words, " "), "none") }
	if d.Introspected {
		said, more = "read from the schema", ", of "+list(d.Offered)
	}
	if !d.Sorted {
		sorts = "does not sort"
	}
	if d.NoUserErrors {
		more += ", reports without userErrors"
	}
	return fmt.Sprintf("%s, %s by UPDATED_AT_ASC, status %s or %s, image method %s, languages %s%s",
		said, sorts, d.Success, d.Failed, d.Method, list(d.Languages), more)
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

var (
	aMethod = regexp.MustCompile(`\b(?i:FIT|FILL|CROP)\b|ImageMethod|["']method["']`)
	aStatus = regexp.MustCompile(`(?i)\b(?:success|failed)\b|\b\w+\.status\b|["']status["']`)
)

// advise adds the setting that mends an objection, where the schema was not read.
func (d Dialect) advise(e *Error) {
	left := slices.DeleteFunc(slices.Clone(d.Languages), e.names)
	in := " in " + FormsSetting
	for _, advice := range []struct {
		fits bool
		set  string
	}{
		{e.names("nodes"), "connections=edges" + in},
		{e.names("userErrors"), "userErrors=none" + in},
		{strings.Contains(e.said, string(UpdatedAtAsc)), "sort=ID_DESC" + in},
		{len(left) < len(d.Languages) && len(left) > 0, "languages=" + strings.Join(left, ",") + in},
		{slices.ContainsFunc(variantDetails[1:], e.names), "PUBSYNC_PRODUCT_DETAILS=off"},
		{e.names(originalURL), "PUBSYNC_IMAGE_METHOD=FILL"},
		{strings.Contains(e.said, "String") && aMethod.MatchString(e.said), "method=String" + in},
		{aMethod.MatchString(e.said), "PUBSYNC_IMAGE_METHOD=original, or method=String" + in},
		{d.Success == "success" && aStatus.MatchString(e.said), "status=SUCCESS,FAILED" + in},
	} {
		if advice.fits && !d.Introspected {
			e.Message += " (set " + advice.set + ")"
			return
		}
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
	answer, err := r.send(ctx, &Admission{priority: Urgent}, request{
		op: "probe", name: "Probe", part: part{probeDocument, 1}, bytes: largeAnswer, elements: 200_000,
	})
	if err == nil {
		if said, failed := read[introspection](answer, "__schema"); failed == nil && said != nil {
			said.read(&d, r.o.Languages)
		}
	} else if !IsRefusal(err) { // a refused token will show in the next request
		return Dialect{}, err
	}
	r.dialect.Store(&d)
	missing := slices.DeleteFunc(slices.Clone(r.o.Languages), func(l string) bool {
		return slices.Contains(d.Languages, l)
	})
	if len(missing) > 0 {
		r.o.Logger.WarnContext(ctx, "marketplace schema lacks languages", "languages", strings.Join(missing, " "))
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

type introspection struct {
	QueryType, MutationType struct{ Name string }
	Types                   []struct {
		Name                            string
		Fields, InputFields, EnumValues []member
	}
}

// A member is a field, an argument, an input's field or an enum's value.
type member struct {
	Name string
	Args []member
	Type typeRef
}

type typeRef struct {
	Name   string
	OfType *typeRef
}

func (m member) typed() string {
	ref := m.Type
	for ref.OfType != nil {
		ref = *ref.OfType
	}
	return ref.Name
}

func named(all []member, name string) (m member) {
	if i := slices.IndexFunc(all, func(m member) bool { return m.Name == name }); i >= 0 {
		m = all[i]
	}
	return m
}

// A schema has the members of each type.
type schema struct {
	types map[string][]member
	edges bool // a connection on a path had no nodes
}

// at follows a path from the members of a type, and returns its last member with the names below it: those of its
// arguments, and of its type or of a connection's entries.
func (s *schema) at(root, path string) (m member, names []string) {
	within := s.types[root]
	for name := range strings.SplitSeq(path, ".") {
		m = named(within, name)
		within = s.types[m.typed()]
		if nodes, edges := named(within, "nodes"), named(within, "edges"); nodes.Name != "" {
			within = s.types[nodes.typed()]
		} else if edges.Name != "" {
			s.edges = true
			within = s.types[named(s.types[edges.typed()], "node").typed()]
		}
		within = slices.Concat(within, m.Args)
	}
	for _, one := range within {
		names = append(names, one.Name)
	}
	return m, names
}

// read sets d by the schema, unless that is no marketplace's. The rest is as specified.
func (i *introspection) read(d *Dialect, wanted []string) {
	s := &schema{types: map[string][]member{}}
	for _, t := range i.Types {
		s.types[t.Name] = slices.Concat(t.Fields, t.InputFields, t.EnumValues)
	}
	query, mutation := i.QueryType.Name, i.MutationType.Name
	if entry, _ := s.at(query, "publication"); entry.Name == "" {
		return
	}
	*d, _ = assumed(wanted, Said{}) //nolint:errcheck // it says nothing
	d.Introspected = true
	const listing = "publication.listing."
	_, sorts := s.at(query, "publications.sort")
	d.Sorted = slices.Contains(sorts, string(UpdatedAtAsc))
	_, d.image = s.at(query, listing+"images")
	_, d.product = s.at(query, listing+"product")
	_, d.details = s.at(query, listing+"product.variants")
	method, methods := s.at(query, listing+"images.transformedUrl.method")
	if d.methods = methods; methods == nil {
		d.Method = "String"
	} else {
		d.Method = method.typed()
	}
	_, d.Offered = s.at(query, listing+"translations")
	d.Offered = slices.DeleteFunc(d.Offered, func(language string) bool {
		title, _ := s.at(query, listing+"translations."+language+".title")
		return title.Name == ""
	})
	d.Languages = slices.DeleteFunc(d.Languages, func(l string) bool { return lacks(d.Offered, l) })
	_, payload := s.at(mutation, reportField)
	d.NoUserErrors = payload != nil && !slices.Contains(payload, "userErrors")
	_, statuses := s.at(mutation, reportField+".input.status")
	d.Success, d.Failed = cmp.Or(spelled(statuses, d.Success), d.Success), cmp.Or(spelled(statuses, d.Failed), d.Failed)
	input, _ := s.at(mutation, reportField+".input")
	d.reportInput = cmp.Or(input.typed(), d.reportInput)
	input, _ = s.at(mutation, "webhookCreate.input")
	d.hookInput = cmp.Or(input.typed(), d.hookInput)
	d.Edges = s.edges
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
	method := cmp.Or(want.Method, usual)
	if method == Uncropped {
		method = cmp.Or(spelled(d.methods, "FIT"), Original)
	}
	if method == Original || d.methods != nil && spelled(d.methods, method) == "" {
		if !lacks(d.image, originalURL) {
			return originalURL
		}
		method = usual
	}
	if method = cmp.Or(spelled(d.methods, method), method); d.Method == "String" {
		method = literal(method)
	}
	size := cmp.Or(want.Size, 1200)
	return fmt.Sprintf("transformedUrl(width:%d,height:%d,method:%s)", size, size, method)
}
