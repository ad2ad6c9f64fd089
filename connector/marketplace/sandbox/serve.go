package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

const (
	maxBody   = 1 << 20
	maxTokens = 20_000 // of a document
)

// Handler serves the marketplace: POST /v1/graphql and POST /graphql, the installation of an app
// under /oauth/, the pictures under /images/, and the control under /sandbox/, all below the path
// of BaseURL.
func (m *Marketplace) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		base := m.baseURL
		m.mu.Unlock()
		path, below := r.URL.Path, true
		if u, err := url.Parse(base); err == nil {
			path, below = strings.CutPrefix(path, u.Path)
		}
		if base == "" {
			base = "http://" + r.Host // the address that the client used
			if r.TLS != nil || r.URL.Scheme == "https" {
				base = "https://" + r.Host
			}
		}
		place, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		switch {
		case !below:
			http.NotFound(w, r)
		case path == "/v1/graphql" || path == "/graphql":
			m.serveGraphQL(w, r, base)
		case place == "oauth":
			m.serveOAuth(w, r, rest)
		case place == "sandbox":
			m.serveControl(w, r, rest)
		case place == "images":
			m.servePicture(w, r, rest)
		default:
			http.NotFound(w, r)
		}
	})
}

// throttle is what every answer to a client with a good token says about the bucket.
type throttle struct {
	RequestedCost int     `json:"requestedCost"`
	ActualCost    int     `json:"actualCost"`
	Limit         int     `json:"limit"`
	Remaining     int     `json:"remaining"`
	RestoreRate   float64 `json:"restoreRate"`
}

// An answer is what goes back to the client, unless a fault changes it.
type answer struct {
	status int
	data   []byte // nil: no data member
	errs   gqlerror.List
	cost   throttle
	wait   time.Duration // where the bucket has no room: until it has
}

func refusal(status int, format string, args ...any) *answer {
	return &answer{status: status, errs: gqlerror.List{gqlerror.Errorf(format, args...)}}
}

func (m *Marketplace) serveGraphQL(w http.ResponseWriter, r *http.Request, base string) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	if !isJSON(r) {
		http.Error(w, "content type must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	entry := Request{At: time.Now(), Kind: KindInvalid}
	x, a := m.prepare(r, body, base, &entry)
	fault := m.strike(r, &entry)
	m.deliver(w, m.perform(x, a, fault, &entry), fault, entry)
}

func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// prepare reads a request up to the point where it would cost something. It returns a refusal
// instead of sending it, since a fault may come first.
func (m *Marketplace) prepare(r *http.Request, body []byte, base string, entry *Request) (*execution, *answer) {
	may := m.authorized(r)
	if may.account == "" {
		return nil, refusal(http.StatusUnauthorized, "Unauthorized")
	}
	var request struct {
		Query         string         `json:"query"`
		OperationName string         `json:"operationName"`
		Variables     map[string]any `json:"variables"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, refusal(http.StatusBadRequest, "The request body is not a JSON object with a query.")
	}
	doc := m.parse(request.Query)
	if len(doc.errs) > 0 {
		return nil, &answer{status: m.opts.RequestErrorStatus, errs: doc.errs}
	}
	x := &execution{m: m, lang: language(r.Header.Get("Accept-Language")), base: base, grant: may}
	if x.op = doc.query.Operations.ForName(request.OperationName); x.op == nil {
		return nil, refusal(m.opts.RequestErrorStatus, "Unknown operation named %q, of several.", request.OperationName)
	}
	var err error
	if x.vars, err = validator.VariableValues(m.schema, x.op, request.Variables); err != nil {
		return nil, &answer{status: m.opts.RequestErrorStatus, errs: gqlerror.List{gqlerror.Wrap(err)}}
	}
	for _, v := range x.op.VariableDefinitions {
		if loose := m.loose(v.Type, x.vars[v.Variable]); loose != "" {
			return nil, refusal(m.opts.RequestErrorStatus, "Variable \"$%s\" got an invalid value: %s", v.Variable, loose)
		}
	}
	x.fields = x.plan(x.op.SelectionSet)
	entry.Kind, entry.Operation = classify(x.fields), x.op.Name
	switch most := m.opts.MostAliases; {
	case x.planned > maxFields:
		return nil, refusal(m.opts.RequestErrorStatus, "The query selects more than %d fields.", maxFields)
	case most != 0 && x.aliases > max(most, 0):
		return nil, refusal(m.opts.RequestErrorStatus, "Aliases limit of %d exceeded, found %d.", max(most, 0), x.aliases)
	case m.opts.NoIntrospection && slices.ContainsFunc(x.fields, (*field).introspects):
		return nil, refusal(m.opts.RequestErrorStatus, "Introspection is switched off: no __schema and no __type.")
	}
	return x, nil
}

// loose is why a real server refuses a variable that VariableValues lets through, "" where it does
// not: an enum in another case, and an Int as a string.
func (m *Marketplace) loose(typ *ast.Type, v any) (why string) {
	def := m.schema.Types[typ.Name()]
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			why = cmp.Or(why, m.loose(typ, item))
		}
	case map[string]any:
		for name, member := range v {
			why = cmp.Or(why, m.loose(def.Fields.ForName(name).Type, member))
		}
	case string:
		switch {
		case def.Kind == ast.Enum && def.EnumValues.ForName(v) == nil:
			return fmt.Sprintf("Value %q does not exist in %q enum.", v, def.Name)
		case def.Name == "Int":
			return fmt.Sprintf("Int cannot represent non-integer value: %q", v)
		}
	}
	return why
}

// A document is a query text that parsed and validated, or the errors that it has.
type document struct {
	query *ast.QueryDocument
	errs  gqlerror.List
}

func (m *Marketplace) parse(text string) document {
	query, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, maxTokens)
	switch {
	case err != nil:
		return document{errs: gqlerror.List{gqlerror.WrapIfUnwrapped(err)}}
	case len(query.Operations) == 0:
		return document{errs: gqlerror.List{gqlerror.Errorf("Must provide an operation.")}}
	}
	return document{query, validator.ValidateWithRules(m.schema, query, nil)}
}

// authorized is the grant of a request's token; without an account where the token is refused.
func (m *Marketplace) authorized(r *http.Request) grant {
	m.mu.Lock()
	defer m.mu.Unlock()
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch {
	case m.token == "" || !strings.EqualFold(scheme, "Bearer"):
		return grant{}
	case token == m.token:
		return grant{account: m.opts.Account}
	default:
		return m.app.grantOf(token)
	}
}

// strike decides which fault hits a request, and lets a delay pass. A client that goes away
// meanwhile, or a marketplace that is closed, cuts the connection.
func (m *Marketplace) strike(r *http.Request, entry *Request) Fault {
	delay, fault := m.faults.strike(entry.Kind)
	entry.Fault = fault.Kind
	if delay <= 0 {
		return fault
	}
	entry.Fault = cmp.Or(fault.Kind, Slow)
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return fault
	case <-r.Context().Done():
	case <-m.done:
	}
	entry.Fault = Cut
	return Fault{Kind: Cut}
}

// perform answers a request, unless a fault prevents that.
func (m *Marketplace) perform(x *execution, refused *answer, fault Fault, entry *Request) *answer {
	switch fault.Kind { //nolint:exhaustive // the others do not prevent it
	case Unauthorized:
		return refusal(http.StatusUnauthorized, "Unauthorized")
	case ThrottledNow:
		if x != nil {
			entry.RequestedCost = x.requested(x.fields)
		}
		entry.Throttled = true
		return m.throttled(entry.RequestedCost, time.Second)
	case ServerError, Cut, HTML, InternalError:
		if !fault.Executed {
			return &answer{}
		}
	}
	switch {
	case refused != nil:
		return refused
	case fault.Kind == Objection && (len(fault.IDs) == 0 || slices.ContainsFunc(x.named(), fault.names)):
		return refusal(m.opts.RequestErrorStatus, "%s", fault.Message)
	case fault.Kind == DeniedReport && fault.Status != 0:
		return refusal(fault.Status, "Not authorized.")
	}
	x.fault = fault
	return m.execute(x, entry)
}

// execute charges a request, runs it, and gives back unused points.
func (m *Marketplace) execute(x *execution, entry *Request) *answer {
	requested := x.requested(x.fields)
	entry.RequestedCost = requested
	if requested > m.opts.QueryLimit {
		a := refusal(http.StatusOK, "Query has a cost of %d, which exceeds the single query limit of %d.", requested,
			m.opts.QueryLimit)
		a.cost.RequestedCost = requested
		return a
	}
	if wait, ok := m.bucket.take(requested); !ok {
		entry.Throttled = true
		return m.throttled(requested, wait)
	}
	m.mu.Lock()
	cost := x.run()
	m.mu.Unlock()
	for _, report := range x.reports {
		call(m, &m.onReported, report)
	}
	m.bucket.take(cost - requested)
	entry.ActualCost, entry.Content = cost, x.content
	return &answer{
		status: http.StatusOK, data: x.out.Bytes(), errs: x.errs, cost: throttle{RequestedCost: requested, ActualCost: cost},
	}
}

func (m *Marketplace) throttled(requested int, wait time.Duration) *answer {
	a := refusal(http.StatusOK, "Throttled")
	a.cost.RequestedCost = requested
	if m.opts.Throttle != ThrottledInBody {
		a.status, a.wait = http.StatusTooManyRequests, wait
	}
	return a
}

// status is that of an answer in the place of which a fault puts a page.
func (f Fault) status() int {
	if f.Kind == HTML {
		return http.StatusOK
	}
	return cmp.Or(f.Status, http.StatusBadGateway)
}

const momentPage = "<!DOCTYPE html>\n<html><head><title>One moment</title></head>" +
	"<body><h1>One moment, please</h1></body></html>\n"

// deliver writes the answer, or what a fault leaves of it, and records the request.
func (m *Marketplace) deliver(w http.ResponseWriter, a *answer, fault Fault, entry Request) {
	entry.Status, entry.Errors = a.status, len(a.errs)
	kind, body := "application/json; charset=utf-8", []byte(nil)
	switch {
	case fault.Kind == Cut:
		entry.Status = 0
	case fault.Kind == ServerError, fault.Kind == HTML:
		entry.Status = fault.status()
		kind, body = "text/html; charset=utf-8", []byte(momentPage)
	case a.status == http.StatusTooManyRequests:
		kind, body = "text/plain; charset=utf-8", []byte("Too many requests\n")
		if m.opts.Throttle == Bare429RetryAfter {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(a.wait.Seconds()))))
		}
	case fault.Kind == InternalError:
		entry.Status, entry.Errors = http.StatusOK, 1
		a.data, a.errs = []byte("null"), gqlerror.List{gqlerror.Errorf("Internal server error")}
		body = a.json(m)
	default:
		body = a.json(m)
	}
	note(&m.ledger, &m.ledger.requests, entry)
	if fault.Kind == Cut {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", kind)
	if fault.Kind == CutBody {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	if fault.Kind == CutBody || fault.Kind == TruncatedJSON {
		body = body[:len(body)/2]
	}
	w.WriteHeader(entry.Status)
	_, _ = w.Write(body) // a client that is gone does not read it
	if fault.Kind == CutBody {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// json is the body of an answer: data, errors and the state of the bucket. An unauthorized client
// does not get that state.
func (a *answer) json(m *Marketplace) []byte {
	type extensions struct {
		Throttle throttle `json:"throttle"`
	}
	body := struct {
		Data       json.RawMessage `json:"data,omitempty"`
		Errors     gqlerror.List   `json:"errors,omitempty"`
		Extensions *extensions     `json:"extensions,omitempty"`
	}{a.data, a.errs, nil}
	if a.status != http.StatusUnauthorized {
		a.cost.Limit, a.cost.Remaining, a.cost.RestoreRate = m.opts.Limit, m.bucket.level(), m.opts.RestoreRate
		body.Extensions = &extensions{a.cost}
	}
	return encode(body)
}

// encode is JSON as a server in JavaScript writes it.
func encode(v any) []byte {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // what the sandbox says can be written
	}
	return []byte(out.String())
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(encode(body)) // a client that is gone does not read it
}
