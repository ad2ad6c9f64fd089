package sandbox

import (
	"encoding/json"
	"errors"
	"io"
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
		path := r.URL.Path
		if u, err := url.Parse(base); err == nil {
			path = strings.TrimPrefix(path, u.Path)
		}
		if base == "" {
			base = "http://" + r.Host // the address that the client used
			if r.TLS != nil || r.URL.Scheme == "https" {
				base = "https://" + r.Host
			}
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		place, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		switch {
		case path == "/v1/graphql" || path == "/graphql":
			m.serveGraphQL(w, r, base)
		case place == "oauth":
			m.serveOAuth(w, r, rest)
		case place == "sandbox":
			m.serveControl(w, r, rest)
		case place == "images":
			servePicture(w, r, rest)
		default:
			http.NotFound(w, r)
		}
	})
}

type throttle struct {
	RequestedCost int     `json:"requestedCost"`
	ActualCost    int     `json:"actualCost"`
	Limit         int     `json:"limit"`
	Remaining     int     `json:"remaining"`
	RestoreRate   float64 `json:"restoreRate"`
}

// An answer is what goes back to the client, unless a fault changes it.
type answer struct {
	status   int
	executed bool // it has a data member
	data     any
	errs     gqlerror.List
}

func refusal(status int, format string, args ...any) *answer {
	return &answer{status: status, errs: gqlerror.List{gqlerror.Errorf(format, args...)}}
}

func (m *Marketplace) serveGraphQL(w http.ResponseWriter, r *http.Request, base string) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || !isJSON(r) {
		http.Error(w, "POST a JSON object", http.StatusUnsupportedMediaType)
		return
	}
	entry := Request{At: time.Now(), Kind: KindInvalid}
	x := &execution{m: m, lang: language(r.Header.Get("Accept-Language")), base: base, grant: m.grantOf(r)}
	refused := x.prepare(body, &entry)
	x.fault = m.strike(r, &entry)
	a := x.prevented(refused, &entry)
	if a == nil {
		a = x.perform(&entry)
	}
	m.deliver(w, a, x.fault, entry)
}

func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// prepare reads a request up to the point where it would cost something, and returns why it is
// refused. A fault may come before that is said.
func (x *execution) prepare(body []byte, entry *Request) *answer {
	m := x.m
	if x.account == "" {
		return refusal(http.StatusUnauthorized, "Unauthorized")
	}
	var request struct {
		Query         string         `json:"query"`
		OperationName string         `json:"operationName"`
		Variables     map[string]any `json:"variables"`
	}
	if json.Unmarshal(body, &request) != nil {
		return refusal(http.StatusBadRequest, "The request body is not a JSON object with a query.")
	}
	invalid := func(err error) *answer {
		return &answer{status: m.opts.RequestErrorStatus, errs: gqlerror.List{gqlerror.WrapIfUnwrapped(err)}}
	}
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: request.Query}, maxTokens)
	if err != nil {
		return invalid(err)
	}
	if errs := validator.ValidateWithRules(m.schema, doc, nil); len(errs) > 0 {
		return &answer{status: m.opts.RequestErrorStatus, errs: errs}
	}
	op := doc.Operations.ForName(request.OperationName)
	if op == nil {
		return invalid(gqlerror.Errorf("Unknown operation named %q.", request.OperationName))
	}
	if x.vars, err = validator.VariableValues(m.schema, op, request.Variables); err != nil {
		return invalid(err)
	}
	for _, v := range op.VariableDefinitions {
		if err := m.exact(v.Type, x.vars[v.Variable]); err != nil {
			return invalid(gqlerror.Errorf("Variable \"$%s\" got an invalid value: %s", v.Variable, err))
		}
	}
	if !plain(op.SelectionSet) {
		return invalid(errors.New("the sandbox serves no fragment, no directive and no field twice"))
	}
	x.op, entry.Operation = op, op.Name
	entry.Kind = kindOf(fields(op.SelectionSet)[0])
	if m.opts.NoIntrospection && x.schemaCost() > 0 {
		return invalid(gqlerror.Errorf("Introspection is switched off: no __schema and no __type."))
	}
	return nil
}

// exact refuses what VariableValues lets through and a real server does not: an enum in another case.
func (m *Marketplace) exact(typ *ast.Type, v any) error {
	def := m.schema.Types[typ.Name()]
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if err := m.exact(def.Fields.ForName(name).Type, member); err != nil {
				return err
			}
		}
	case string:
		if def.Kind == ast.Enum && def.EnumValues.ForName(v) == nil {
			return gqlerror.Errorf("Value %q does not exist in %q enum.", v, def.Name)
		}
	}
	return nil
}

// grantOf is the grant of a request's token, without an account where that is refused.
func (m *Marketplace) grantOf(r *http.Request) grant {
	m.mu.Lock()
	defer m.mu.Unlock()
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case m.token == "" || !bearer:
		return grant{}
	case token == m.token:
		return grant{account: m.opts.Account}
	default:
		return m.tokens[token]
	}
}

// prevented is the answer to a request that is not executed; nil for one that is.
func (x *execution) prevented(refused *answer, entry *Request) *answer {
	fault := x.fault
	switch fault.Kind { //nolint:exhaustive // the others do not prevent it
	case Unauthorized:
		return refusal(http.StatusUnauthorized, "Unauthorized")
	case ThrottledNow:
		if x.op != nil {
			entry.RequestedCost = x.requested()
		}
		return x.m.throttled(entry)
	case ServerError, Cut, HTML, InternalError:
		if !fault.Executed {
			return &answer{}
		}
	}
	switch {
	case refused != nil:
		return refused
	case fault.Kind == Objection && (len(fault.IDs) == 0 || slices.ContainsFunc(x.named(), fault.names)):
		return refusal(x.m.opts.RequestErrorStatus, "%s", fault.Message)
	case fault.Kind == DeniedReport && fault.Status != 0:
		return refusal(fault.Status, "Not authorized.")
	}
	entry.RequestedCost = x.requested()
	switch most := x.m.opts.QueryLimit; {
	case entry.RequestedCost > most:
		return refusal(http.StatusOK, "Query has a cost of %d, which exceeds the single query limit of %d.",
			entry.RequestedCost, most)
	case !x.m.bucket.take(entry.RequestedCost):
		return x.m.throttled(entry)
	}
	return nil
}

func (x *execution) perform(entry *Request) *answer {
	x.m.mu.Lock()
	data, cost := x.run()
	x.m.mu.Unlock()
	for _, report := range x.reports {
		x.m.tell(report)
	}
	x.m.bucket.take(cost - entry.RequestedCost)
	entry.ActualCost, entry.Content = cost, x.content
	return &answer{status: http.StatusOK, executed: true, data: data, errs: x.errs}
}

func (m *Marketplace) throttled(entry *Request) *answer {
	entry.Throttled = true
	status := http.StatusOK
	if m.opts.Bare429 {
		status = http.StatusTooManyRequests
	}
	return refusal(status, "Throttled")
}

const momentPage = "<!DOCTYPE html>\n<html><head><title>One moment</title></head>" +
	"<body><h1>One moment, please</h1></body></html>\n"

// deliver writes the answer, or what a fault leaves of it, and records the request.
func (m *Marketplace) deliver(w http.ResponseWriter, a *answer, fault Fault, entry Request) {
	if fault.Kind == InternalError {
		a = refusal(http.StatusOK, "Internal server error")
		a.executed = true
	}
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
	default:
		body = m.json(a, entry)
	}
	m.note(entry)
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

// json is the body of an answer. An unauthorized client does not get the state of the bucket.
func (m *Marketplace) json(a *answer, entry Request) []byte {
	body := map[string]any{}
	if a.executed {
		body["data"] = a.data
	}
	if len(a.errs) > 0 {
		body["errors"] = a.errs
	}
	if a.status != http.StatusUnauthorized {
		body["extensions"] = map[string]throttle{"throttle": {
			entry.RequestedCost, entry.ActualCost, m.opts.Limit, m.bucket.level(), m.opts.RestoreRate,
		}}
	}
	return encode(body)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(encode(body)) // a client that is gone does not read it
}
