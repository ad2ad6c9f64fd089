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
	reportLacks               []string        // what the schema is known not to have of a report
	lacks                     map[string]bool // what it is known not to have: "productVariants", "product.brand"
}

// FormsSetting is the name of the variable that says what differs from the specification.
const FormsSetting = "PUBSYNC_MARKETPLACE_FORMS"

// Said is the value of FormsSetting. The zero Said is the specification.
type Said struct{ text string }

var errParts = errors.New("takes parts separated by spaces, each at most once: status=SUCCESS,FAILED (or other words " +
	"for success and failed), connections=edges, sort=ID_DESC, userErrors=none, languages=en (several separated by " +
	"commas), method=String")

// ParseSaid reads a Said as the setting gives it.
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
			d.Languages = slices.DeleteFunc(d.Languages, func(l string) bool { return !hasWord(words, l) })
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
	said, sorts, list := "assumed, since the schema cannot be read", "sorts", func(words []string) string {
		return cmp.Or(strings.Join(words, " "), "none")
	}
	if d.Introspected {
		said = "read from the schema"
	}
	if !d.Sorted {
		sorts = "does not sort"
	}
	said += fmt.Sprintf(", %s by UPDATED_AT_ASC, status %s or %s, image method %s, languages %s",
		sorts, d.Success, d.Failed, d.Method, list(d.Languages))
	if d.NoUserErrors {
		said += ", reports without userErrors"
	}
	if d.Offered != nil {
		said += ", of " + list(d.Offered)
	}
	return said
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

var (
	aMethod = regexp.MustCompile(`\b(?i:FIT|FILL|CROP)\b|ImageMethod|["']method["']`)
	aStatus = regexp.MustCompile(`(?i)\b(?:success|failed)\b|\b\w+\.status\b|["']status["']`)
)

// advice is what to set where the server makes an objection, "" for nothing that is known.
func (d Dialect) advice(e *Error) string {
	left := slices.DeleteFunc(slices.Clone(d.Languages), e.names)
	var set string
	switch {
	case d.Introspected:
		return ""
	case e.names("nodes"):
		set = "connections=edges"
	case e.names("userErrors"):
		set = "userErrors=none"
	case strings.Contains(e.said, string(UpdatedAtAsc)):
		set = "sort=ID_DESC"
	case len(left) < len(d.Languages) && len(left) > 0:
		set = "languages=" + strings.Join(left, ",")
	case slices.ContainsFunc(variantDetails()[1:], e.names):
		return "set PUBSYNC_PRODUCT_DETAILS=off"
	case e.names(originalURL):
		return "set PUBSYNC_IMAGE_METHOD=FILL"
	case aMethod.MatchString(e.said):
		set = "method=String"
	case d.Success == "success" && aStatus.MatchString(e.said):
		set = "status=SUCCESS,FAILED"
	default:
		return ""
	}
	return "set " + set + " in " + FormsSetting
}

// Probe finds out how this server chose what the specification leaves open. The first call of any
// method does so too. A probe that fails, for lack of an answer or of a good token, leaves nothing
// behind: the next call probes anew. One is under way at a time, and the calls that wait for it share
// its answer or its error, but for that of a caller that went away.
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

const opProbe = "probe"

// probe asks for the server's schema. Where it shows none the dialect is assumed.
func (r *Reader) probe(ctx context.Context) (Dialect, error) {
	d, err := assumed(r.o.Languages, r.o.Forms)
	if err != nil {
		return d, err
	}
	answer, err := r.send(ctx, Urgent, request{
		op: opProbe, name: "Probe", part: part{probeDocument, 1}, probe: true, bytes: largeAnswer, elements: 200_000,
	}, nil)
	switch e := about(err); {
	case err == nil:
		if s, failed := read[schema](answer, opProbe, "__schema"); failed == nil && s.isOurs() {
			d = s.read(r.o.Languages)
		}
	case e.is >= isExpensive:
	case e.is == isUnauthorized && e.Status != http.StatusUnauthorized:
		// Some servers refuse introspection in the words in which others refuse a token. A look at the
		// list tells them apart.
		list := query(opProbe, "Listable", scalars("hasNextPage").in("pageInfo").in("publications(first:1)"))
		if _, refused := r.send(ctx, Urgent, list, nil); refused != nil {
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

// A Picture is a way to ask for the addresses of pictures. The zero Picture is that of the
// specification's example: FILL, 1,200 pixels.
type Picture struct {
	Method string // Uncropped, Original, or a method of transformedUrl: FIT, FILL, CROP
	Size   int    // pixels, width and height, of a method
}

// The methods that are no methods of the marketplace's.
const (
	Uncropped = "uncropped" // FIT where there is such a method, else Original
	Original  = "original"  // as the supplier gave it
)

const originalURL = "originalUrl"

// picture is the field of an image in which this server has the address that is wanted.
func (d Dialect) picture(want Picture) string {
	const usualMethod, usualSize = "FILL", 1200
	method := cmp.Or(want.Method, usualMethod)
	switch {
	case method == Uncropped && hasWord(d.methods, "FIT"):
		method = "FIT"
	case method == Uncropped, d.methods != nil && method != Original && !hasWord(d.methods, method):
		method = Original
	}
	if method == Original {
		if !d.lacks["images."+originalURL] {
			return originalURL
		}
		method = usualMethod
	}
	if i := slices.IndexFunc(d.methods, func(m string) bool { return strings.EqualFold(m, method) }); i >= 0 {
		method = d.methods[i]
	}
	if d.Method == "String" {
		method = literal(method)
	}
	size := cmp.Or(want.Size, usualSize)
	return fmt.Sprintf("transformedUrl(width:%d,height:%d,method:%s)", size, size, method)
}
