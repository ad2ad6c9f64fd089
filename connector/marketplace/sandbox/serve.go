package sandbox

import (
	"encoding/json"
	"errors"
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
)

const maxBody = 1 << 20

// Handler serves the marketplace: POST /v1/graphql and POST /graphql, the installation of an app
// under /oauth/, the pictures under /images/, and the control under /sandbox/, all below the path
// of BaseURL.
func (m *Marketplace) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.RLock()
		base := m.baseURL
		m.mu.RUnlock()
		path := r.URL.Path
		if u, err := url.Parse(base); err == nil && u.Path != "" {
			var below bool
			if path, below = strings.CutPrefix(path, u.Path); !below {
				http.NotFound(w, r)
				return
			}
		}
		if base == "" {
			base = origin(r)
		}
		switch {
		case path == "/v1/graphql" || path == "/graphql":
			m.serveGraphQL(w, r, base)
		case strings.HasPrefix(path, oauthPath):
			m.serveOAuth(w, r, strings.TrimPrefix(path, oauthPath))
		case strings.HasPrefix(path, controlPath):
			m.serveControl(w, r, strings.TrimPrefix(path, controlPath))
		case strings.HasPrefix(path, "/images/"):
			m.servePicture(w, r, strings.TrimPrefix(path, "/images/"))
		default:
			http.NotFound(w, r)
		}
	})
}

// origin is the address the client used.
func origin(r *http.Request) string {
	if r.TLS != nil || r.URL.Scheme == "https" {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// throttle is what every answer says about the bucket.
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
	bare   bool          // no JSON: the 429 of a proxy
	wait   time.Duration // Retry-After of it; 0: none
}

func (m *Marketplace) serveGraphQL(w http.ResponseWriter, r *http.Request, base string) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "content type must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			http.Error(w, "request body too large", http.StatusRequestEntityTooLarge)
		} else {
			http.Error(w, "request body could not be read", http.StatusBadRequest)
		}
		return
	}
	entry := Request{At: time.Now(), Kind: KindInvalid}
	x, refusal := m.prepare(r, body, base, &entry)
	delay, fault := m.faults.strike(entry.Kind)
	if !m.pause(r, delay) {
		fault = Fault{Kind: Cut}
	}
	entry.Fault = fault.Kind
	if fault.Kind == "" && delay > 0 {
		entry.Fault = Slow
	}
	a := m.perform(x, refusal, fault, &entry)
	m.deliver(w, a, fault, entry)
}

// prepare reads a request up to the point where it would cost something. It returns a refusal
// instead of sending it, since a fault may come first.
func (m *Marketplace) prepare(r *http.Request, body []byte, base string, entry *Request) (*execution, *answer) {
	may := m.authorized(r)
	if may.account == "" {
		return nil, unauthorized()
	}
	var request struct {
		Query         string         `json:"query"`
		OperationName string         `json:"operationName"`
		Variables     map[string]any `json:"variables"`
	}
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.UseNumber() // an Int is told from a Float, and no digit of an id is lost
	if err := decoder.Decode(&request); err != nil || decoder.More() {
		return nil, &answer{
			status: http.StatusBadRequest,
			errs:   gqlerror.List{gqlerror.Errorf("The request body is not a JSON object with a query.")},
		}
	}
	refuse := func(errs ...*gqlerror.Error) (*execution, *answer) {
		return nil, &answer{status: m.opts.RequestErrorStatus, errs: errs}
	}
	if strings.TrimSpace(request.Query) == "" {
		return refuse(gqlerror.Errorf("No query string was present."))
	}
	doc := m.load(request.Query)
	if len(doc.errs) > 0 {
		return refuse(doc.errs...)
	}
	op, problem := doc.operation(request.OperationName)
	if problem != nil {
		return refuse(problem)
	}
	vars, problem := coerce(m.schema, op.def, request.Variables)
	if problem != nil {
		return refuse(problem)
	}
	x := &execution{m: m, op: op, vars: vars, lang: language(r.Header.Get("Accept-Language")), base: base, grant: may}
	entry.Kind, entry.Operation = op.kind, op.def.Name
	for _, f := range op.fields {
		if x.included(f) {
			entry.Roots++
		}
	}
	return x, nil
}

// authorized is the grant of a request's token; without an account where the token is refused.
func (m *Marketplace) authorized(r *http.Request) grant {
	m.mu.RLock()
	defer m.mu.RUnlock()
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

func unauthorized() *answer {
	return &answer{status: http.StatusUnauthorized, errs: gqlerror.List{gqlerror.Errorf("Unauthorized")}}
}

// pause waits, unless the client goes away or the marketplace is closed.
func (m *Marketplace) pause(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	case <-m.done:
		return false
	}
}

// perform answers a request, unless a fault prevents that.
func (m *Marketplace) perform(x *execution, refusal *answer, fault Fault, entry *Request) *answer {
	switch fault.Kind {
	case Unauthorized:
		return unauthorized()
	case ThrottledNow:
		cost := 0
		if x != nil {
			cost = x.requestedCost(x.op.fields)
		}
		entry.RequestedCost, entry.Throttled = cost, true
		return m.throttled(cost, time.Second)
	case ServerError, Cut, HTML, InternalError:
		if !fault.Executed {
			return &answer{}
		}
	}
	if refusal != nil {
		return refusal
	}
	befalls := func(id string) bool { return slices.Contains(fault.IDs, id) }
	if fault.Kind == Objection && (len(fault.IDs) == 0 || slices.ContainsFunc(x.named(), befalls)) {
		return &answer{status: m.opts.RequestErrorStatus, errs: gqlerror.List{gqlerror.Errorf("%s", fault.Message)}}
	}
	if fault.Kind == DeniedReport && fault.Status != 0 {
		return &answer{status: fault.Status, errs: gqlerror.List{gqlerror.Errorf("Not authorized.")}}
	}
	x.denied = fault.Kind == DeniedReport
	x.empty, x.odd = fault.Kind == EmptyList, fault.Fields
	x.refuses = func(id string) bool {
		return fault.Kind == RefusedReport && (len(fault.IDs) == 0 || slices.Contains(fault.IDs, id))
	}
	return m.execute(x, entry)
}

// execute charges a request, runs it, and gives back unused points.
func (m *Marketplace) execute(x *execution, entry *Request) *answer {
	requested := x.requestedCost(x.op.fields)
	entry.RequestedCost = requested
	if requested > m.opts.QueryLimit {
		a := &answer{status: http.StatusOK, cost: throttle{RequestedCost: requested}}
		a.errs = gqlerror.List{
			gqlerror.Errorf(
				"Query has a cost of %d, which exceeds the single query limit of %d.", requested, m.opts.QueryLimit,
			),
		}
		return a
	}
	if wait, ok := m.bucket.charge(requested); !ok {
		entry.Throttled = true
		return m.throttled(requested, wait)
	}
	for _, id := range x.reported() {
		call(m, &m.onReport, id)
	}
	x.lock()
	x.run()
	x.unlock()
	for _, id := range x.content {
		call(m, &m.onContent, id)
	}
	for _, report := range x.reports {
		call(m, &m.onReported, report)
	}
	m.bucket.refund(requested - x.cost)
	entry.ActualCost, entry.Content = x.cost, x.content
	return &answer{
		status: http.StatusOK,
		data:   x.buf,
		errs:   x.errs,
		cost:   throttle{RequestedCost: requested, ActualCost: x.cost},
	}
}

// lock locks what the operation needs: for writing where it is a mutation or the variants must be
// sorted first, else for reading.
func (x *execution) lock() {
	switch {
	case x.op.def.Operation == ast.Mutation:
		x.m.mu.Lock()
	case x.ordersVariants():
		x.m.mu.Lock()
		x.m.sortVariants()
	default:
		x.m.mu.RLock()
	}
}

func (x *execution) unlock() {
	if x.op.def.Operation == ast.Mutation || x.ordersVariants() {
		x.m.mu.Unlock()
		return
	}
	x.m.mu.RUnlock()
}

func (x *execution) ordersVariants() bool {
	return slices.ContainsFunc(x.op.fields, func(f *field) bool { return f.name == "productVariants" })
}

// call runs hooks without the lock, since they may change the marketplace.
func call[T any](m *Marketplace, hooks *[]func(T), with T) {
	m.mu.RLock()
	all := *hooks
	m.mu.RUnlock()
	for _, hook := range all {
		hook(with)
	}
}

func (m *Marketplace) throttled(requested int, wait time.Duration) *answer {
	a := &answer{
		status: http.StatusOK,
		cost:   throttle{RequestedCost: requested},
		errs:   gqlerror.List{gqlerror.Errorf("Throttled")},
	}
	if m.opts.Throttle != ThrottledInBody {
		a.status, a.bare = http.StatusTooManyRequests, true
	}
	if m.opts.Throttle == Bare429RetryAfter {
		a.wait = wait
	}
	return a
}

// deliver writes the answer, or what a fault leaves of it, and records the request.
func (m *Marketplace) deliver(w http.ResponseWriter, a *answer, fault Fault, entry Request) {
	entry.Status, entry.Errors = a.status, len(a.errs)
	var body []byte
	switch {
	case fault.Kind == Cut:
		entry.Status = 0
		m.ledger.answered(entry)
		panic(http.ErrAbortHandler)
	case fault.Kind == ServerError, fault.Kind == HTML:
		entry.Status = http.StatusOK
		if fault.Kind == ServerError {
			if entry.Status = fault.Status; entry.Status == 0 {
				entry.Status = http.StatusBadGateway
			}
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		body = []byte(
			"<!DOCTYPE html>\n<html><head><title>One moment</title></head><body><h1>One moment, " +
				"please</h1></body></html>\n",
		)
	case a.bare:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if a.wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(a.wait.Seconds()))))
		}
		body = []byte("Too many requests\n")
	case fault.Kind == InternalError:
		entry.Status, entry.Errors = http.StatusOK, 1
		a.data, a.errs = []byte("null"), gqlerror.List{gqlerror.Errorf("Internal server error")}
		fallthrough
	default:
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		body = a.json(m)
	}
	m.ledger.answered(entry)
	switch {
	case fault.Kind == TruncatedJSON:
		body = body[:len(body)/2]
	case fault.Kind == CutBody:
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(entry.Status)
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(entry.Status)
	_, _ = w.Write(body) // a client that is gone does not read it
}

// json is the body of an answer: data, errors and the state of the bucket. An unauthorized client
// does not get that state.
func (a *answer) json(m *Marketplace) []byte {
	buf := append(make([]byte, 0, len(a.data)+256), '{')
	if a.data != nil {
		buf = append(buf, `"data":`...)
		buf = append(append(buf, a.data...), ',')
	}
	if len(a.errs) > 0 {
		errs, err := json.Marshal(a.errs)
		if err != nil {
			errs = []byte(`[{"message":"Internal server error"}]`)
		}
		buf = append(buf, `"errors":`...)
		buf = append(append(buf, errs...), ',')
	}
	if a.status == http.StatusUnauthorized {
		buf[len(buf)-1] = '}'
		return buf
	}
	a.cost.Limit, a.cost.Remaining, a.cost.RestoreRate = m.opts.Limit, m.bucket.level(), m.opts.RestoreRate
	cost, err := json.Marshal(a.cost)
	if err != nil {
		cost = []byte(`{}`)
	}
	buf = append(buf, `"extensions":{"throttle":`...)
	return append(append(buf, cost...), '}', '}')
}
