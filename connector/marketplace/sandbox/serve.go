package sandbox

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
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
// under /oauth/, the pictures under /images/, and the control under /sandbox/.
func (m *Marketplace) Handler() http.Handler {
	mux := http.NewServeMux()
	for path, serve := range map[string]http.HandlerFunc{
		"POST /v1/graphql": m.serveGraphQL, "POST /graphql": m.serveGraphQL, "GET /images/{name}": servePicture,
		"GET /oauth/authorize": m.serveConsentPage, "POST /oauth/consent": m.serveConsent,
		"POST /oauth/access_token": m.serveExchange, "POST /sandbox/orders": m.serveOrder,
		"GET /oauth/finish": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("The app is installed.\n")) // a browser that is gone does not read it
		},
		"GET /sandbox/publications": func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, http.StatusOK, object{"publications": m.Publications()})
		},
	} {
		mux.HandleFunc(path, serve)
	}
	return http.MaxBytesHandler(mux, maxBody)
}

// base is where the addresses of a marketplace start, as the client of a request reaches it.
func base(r *http.Request) string {
	if r.TLS != nil || r.URL.Scheme == "https" {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

//nolint:staticcheck,revive // the words of a server
var (
	errUnauthorized = errors.New("Unauthorized")
	errThrottled    = errors.New("Throttled")
	errInternal     = errors.New("Internal server error")
)

func (m *Marketplace) serveGraphQL(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || !isJSON(r) {
		http.Error(w, "POST a JSON object", http.StatusUnsupportedMediaType)
		return
	}
	lang := r.Header.Get("Accept-Language")
	x := &execution{
		m: m, lang: strings.ToLower(lang[:min(len(lang), 2)]), base: base(r), grant: m.grantOf(r),
		entry: Request{At: time.Now(), Kind: KindInvalid},
	}
	status, why := x.prepare(body)
	x.fault = m.strike(r, &x.entry)
	x.answer(status, why)
	x.send(w)
}

func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// prepare reads a request up to the point where it would cost something, and returns why it is
// refused, with a status. A fault may come before that is said.
func (x *execution) prepare(body []byte) (status int, why error) {
	var request struct {
		Query         string         `json:"query"`
		OperationName string         `json:"operationName"`
		Variables     map[string]any `json:"variables"`
	}
	if x.account == "" {
		return http.StatusUnauthorized, errUnauthorized
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return http.StatusBadRequest, err
	}
	invalid := x.m.opts.RequestErrorStatus
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: request.Query}, maxTokens)
	if err != nil {
		return invalid, err
	}
	if errs := validator.ValidateWithRules(x.m.schema, doc, nil); len(errs) > 0 {
		return invalid, errs
	}
	op := doc.Operations.ForName(request.OperationName)
	if op == nil {
		return invalid, gqlerror.Errorf("Unknown operation named %q.", request.OperationName)
	}
	if x.vars, err = validator.VariableValues(x.m.schema, op, request.Variables); err != nil {
		return invalid, err
	}
	for _, v := range op.VariableDefinitions {
		if err := x.m.exact(v.Type, x.vars[v.Variable]); err != nil {
			return invalid, err
		}
	}
	if !plain(op.SelectionSet) {
		return invalid, errors.New("the sandbox serves no fragment, no directive and no field twice")
	}
	x.op, x.entry.Operation, x.entry.Kind = op, strings.Clone(op.Name), kindOf(fields(op.SelectionSet)[0])
	if x.m.opts.NoIntrospection && slices.ContainsFunc(fields(op.SelectionSet), introspects) {
		return invalid, gqlerror.Errorf("Introspection is switched off: no __schema and no __type.")
	}
	return 0, nil
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
	case []any:
		for _, member := range v {
			if err := m.exact(typ.Elem, member); err != nil {
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

// answer executes a request where nothing prevents that.
func (x *execution) answer(status int, why error) {
	o, fault := &x.m.opts, x.fault
	switch {
	case fault.Kind == Unauthorized:
		status, why = http.StatusUnauthorized, errUnauthorized
	case fault.Kind == ThrottledNow:
		x.throttle()
		return
	case fault.replaces() && !fault.Executed:
		return
	case why != nil:
	case fault.Kind == Objection && (len(fault.IDs) == 0 || slices.ContainsFunc(x.named(), fault.names)):
		status, why = o.RequestErrorStatus, errors.New(fault.Message)
	case fault.Kind == DeniedReport && fault.Status != 0:
		status, why = fault.Status, gqlerror.Errorf("Not authorized.")
	}
	if why != nil {
		x.refuse(status, why)
		return
	}
	x.entry.RequestedCost = x.requested()
	switch {
	case x.entry.RequestedCost > o.QueryLimit:
		x.refuse(http.StatusOK, gqlerror.Errorf("Query has a cost of %d, which exceeds the single query limit of %d.",
			x.entry.RequestedCost, o.QueryLimit))
	case !x.m.take(x.entry.RequestedCost):
		x.throttle()
	default:
		x.perform()
	}
}

func (x *execution) refuse(status int, why error) {
	x.entry.Status = status
	if errs, several := why.(gqlerror.List); several { //nolint:errorlint // nothing wraps it
		x.errs = errs
		return
	}
	x.errs = gqlerror.List{gqlerror.WrapIfUnwrapped(why)}
}

func (x *execution) throttle() {
	status := http.StatusOK
	if x.entry.Throttled = true; x.m.opts.Bare429 {
		status = http.StatusTooManyRequests
	}
	if x.op != nil {
		x.entry.RequestedCost = x.requested()
	}
	x.refuse(status, errThrottled)
}

func (x *execution) perform() {
	x.m.locked(func() {
		root := x.query()
		if x.op.Operation == ast.Mutation {
			root = x.mutation()
		}
		x.data, x.entry.ActualCost = x.object(root, x.op.SelectionSet)
	})
	for _, report := range x.reports {
		x.m.tell(report)
	}
	x.m.take(x.entry.ActualCost - x.entry.RequestedCost)
	x.entry.Status, x.executed = http.StatusOK, true
}

const momentPage = "<!DOCTYPE html>\n<title>One moment</title><h1>One moment, please</h1>\n"

// send writes the answer, or what a fault leaves of it, and records the request.
func (x *execution) send(w http.ResponseWriter) {
	fault, kind, entry := x.fault, "application/json; charset=utf-8", &x.entry
	if fault.Kind == InternalError {
		x.refuse(http.StatusOK, errInternal)
		x.data, x.executed = nil, true
	}
	entry.Errors = len(x.errs)
	body := x.json()
	switch {
	case fault.replaces() && fault.Kind != InternalError:
		entry.Status, kind, body = fault.status(), "text/html; charset=utf-8", []byte(momentPage)
	case entry.Status == http.StatusTooManyRequests:
		kind, body = "text/plain; charset=utf-8", []byte("Too many requests\n")
	}
	x.m.note(*entry)
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
func (x *execution) json() []byte {
	body := object{}
	if x.executed {
		body["data"] = x.data
	}
	if len(x.errs) > 0 {
		body["errors"] = x.errs
	}
	if o := &x.m.opts; x.entry.Status != http.StatusUnauthorized {
		body["extensions"] = object{"throttle": object{
			"requestedCost": x.entry.RequestedCost, "actualCost": x.entry.ActualCost, "limit": o.Limit,
			"remaining": x.m.Remaining(), "restoreRate": o.RestoreRate,
		}}
	}
	return encode(body)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(encode(body)) // a client that is gone does not read it
}
