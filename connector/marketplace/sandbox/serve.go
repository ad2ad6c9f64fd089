package sandbox

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

// Handler serves the marketplace, and its control under /sandbox/.
func (m *Marketplace) Handler() http.Handler {
	mux := http.NewServeMux()
	for path, serve := range map[string]http.HandlerFunc{
		"POST /v1/graphql": m.serveGraphQL, "POST /graphql": m.serveGraphQL, "GET /images/{name}": servePicture,
		"GET /oauth/authorize":     m.serveConsent,
		"POST /oauth/access_token": m.serveExchange, "POST /sandbox/orders": m.serveOrder,
		"GET /oauth/finish": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("The app is installed.\n"))
		},
		"GET /sandbox/publications": func(w http.ResponseWriter, _ *http.Request) {
			write(w, http.StatusOK, encode(object{"publications": m.Publications()}))
		},
	} {
		mux.HandleFunc(path, serve)
	}
	return http.MaxBytesHandler(mux, 1<<20)
}

func (m *Marketplace) serveGraphQL(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || !isJSON(r) {
		http.Error(w, "POST a JSON object", http.StatusUnsupportedMediaType)
		return
	}
	x := &execution{m: m, request: r, account: m.account(r), entry: Request{Kind: "invalid"}}
	status, why := x.prepare(body)
	m.respond(w, r, &x.entry, func(fault Fault) (int, []byte) {
		x.fault = fault
		return x.answer(status, why)
	})
}

func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// prepare reads a request as far as that is free, and returns why it is refused.
func (x *execution) prepare(body []byte) (status int, why error) {
	var request struct {
		Query         string         `json:"query"`
		OperationName string         `json:"operationName"`
		Variables     map[string]any `json:"variables"`
	}
	if x.account == "" {
		return http.StatusUnauthorized, gqlerror.Errorf("Unauthorized")
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return http.StatusBadRequest, err
	}
	invalid := x.m.opts.RequestErrorStatus
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: request.Query}, 20_000)
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
	if !plain(op.SelectionSet) {
		return invalid, errors.New("the sandbox serves no fragment and no directive")
	}
	x.op, x.entry.Operation, x.entry.Kind = op, strings.Clone(op.Name), kindOf(fields(op.SelectionSet)[0])
	if x.m.opts.NoIntrospection && slices.ContainsFunc(fields(op.SelectionSet), introspects) {
		return invalid, gqlerror.Errorf("Introspection is switched off: no __schema and no __type.")
	}
	return 0, nil
}

func (x *execution) answer(status int, why error) (int, []byte) {
	o, fault := &x.m.opts, x.fault
	lost := fault.Kind == InternalError
	switch {
	case why != nil || lost && !fault.Executed:
	case fault.Kind == Objection && slices.ContainsFunc(fields(x.op.SelectionSet), x.hit):
		status, why = o.RequestErrorStatus, gqlerror.Errorf("%s", fault.Message)
	default:
		status, x.cost = http.StatusOK, x.requested()
		switch {
		case x.cost > o.QueryLimit:
			why = gqlerror.Errorf("Query has a cost of %d, which exceeds the single query limit of %d.",
				x.cost, o.QueryLimit)
		case fault.Kind != ThrottledNow && x.m.take(x.cost):
			x.perform()
		case o.Bare429:
			return http.StatusTooManyRequests, []byte("Too many requests\n")
		default:
			why = gqlerror.Errorf("Throttled")
		}
	}
	if lost {
		status, why, x.data, x.executed = http.StatusOK, gqlerror.Errorf("Internal server error"), nil, true
	}
	return status, encode(x.body(status, why))
}

// body shows an unauthorized client no state of the bucket.
func (x *execution) body(status int, why error) object {
	errs, several := why.(gqlerror.List) //nolint:errorlint // nothing wraps it
	if !several && why != nil {
		errs = gqlerror.List{gqlerror.WrapIfUnwrapped(why)}
	}
	body := object{}
	if errs = append(errs, x.errs...); len(errs) > 0 {
		body["errors"] = errs
	}
	if x.executed {
		body["data"] = x.data
	}
	if o := &x.m.opts; status != http.StatusUnauthorized {
		body["extensions"] = object{"throttle": object{
			"requestedCost": x.cost, "actualCost": x.entry.ActualCost, "limit": o.Limit,
			"remaining": x.m.Remaining(), "restoreRate": o.RestoreRate,
		}}
	}
	return body
}

func (x *execution) perform() {
	x.m.locked(func() {
		root := x.query()
		if x.op.Operation == ast.Mutation {
			root = object{"webhookCreate": x.createWebhook, "publicationStatusUpdated": x.report}
		}
		x.data, x.entry.ActualCost = x.object(root, x.op.SelectionSet)
	})
	for _, report := range x.reports {
		x.m.tell(report)
	}
	x.m.take(x.entry.ActualCost - x.cost)
	x.executed = true
}

const momentPage = "<!DOCTYPE html>\n<title>One moment</title><h1>One moment, please</h1>\n"

// respond sends what a fault leaves of run's answer, and records the request.
func (m *Marketplace) respond(w http.ResponseWriter, r *http.Request, entry *Request, run func(Fault) (int, []byte)) {
	fault, body := m.strike(r, entry.Kind), []byte(momentPage)
	status, instead := map[FaultKind]int{ServerError: cmp.Or(fault.Status, 502), HTML: 200, Cut: 0}[fault.Kind]
	if !instead {
		status, body = run(fault)
	} else if fault.Executed {
		run(fault)
	}
	m.locked(func() { m.seen = append(m.seen[max(len(m.seen)-mostNoted, 0):], *entry) })
	if fault.Kind == Cut {
		panic(http.ErrAbortHandler)
	}
	write(w, status, body)
}

func write(w http.ResponseWriter, status int, body []byte) {
	kind := "application/json; charset=utf-8"
	if body[0] != '{' {
		kind = http.DetectContentType(body)
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// A Server is a marketplace on a port.
type Server struct {
	*Marketplace
	URL  string // without a trailing slash
	http *httptest.Server
}

// Start serves a new marketplace on a free loopback port. It panics where there is none.
func Start(opts Options) *Server {
	return Serve(New(opts), httptest.NewUnstartedServer(nil).Listener)
}

// Serve serves a marketplace on a listener, which the server closes.
func Serve(m *Marketplace, listener net.Listener) *Server {
	config := &http.Server{Handler: m.Handler(), ReadHeaderTimeout: 10 * time.Second}
	s := &Server{Marketplace: m, http: &httptest.Server{Listener: listener, Config: config}}
	s.http.Start()
	s.URL = s.http.URL
	if a, is := listener.Addr().(*net.TCPAddr); is && a.IP.IsUnspecified() {
		s.URL = fmt.Sprintf("http://127.0.0.1:%d", a.Port)
	}
	return s
}

// Close is [Marketplace.Close], and cuts every connection.
func (s *Server) Close() {
	s.Marketplace.Close()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Transport serves in the caller's goroutine, for testing/synctest. A request whose context ends fails, but may be
// executed.
func (m *Marketplace) Transport() http.RoundTripper { return Transport(m.Handler()) }

// Transport makes a RoundTripper of any handler, such as a webhook receiver's.
func Transport(h http.Handler) http.RoundTripper { return direct{h} }

type direct struct{ handler http.Handler }

// RoundTrip calls the handler.
func (d direct) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	ctx, in := req.Context(), req.Clone(req.Context()) // a handler may write to its request, a RoundTripper must not
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	defer in.Body.Close() //nolint:errcheck // it was read
	in.RequestURI, in.RemoteAddr, in.Host = req.URL.RequestURI(), "127.0.0.1:1", cmp.Or(in.Host, req.URL.Host)
	defer func() {
		switch p := recover(); {
		case p != nil && p != http.ErrAbortHandler: //nolint:errorlint // a panic's value is compared, as net/http does
			panic(p)
		case ctx.Err() != nil:
			resp, err = nil, context.Cause(ctx)
		case p != nil:
			resp, err = nil, fmt.Errorf("connection cut: %w", io.ErrUnexpectedEOF)
		}
	}()
	answer := httptest.NewRecorder()
	d.handler.ServeHTTP(answer, in)
	resp = answer.Result()
	resp.Request = req
	return resp, nil
}
