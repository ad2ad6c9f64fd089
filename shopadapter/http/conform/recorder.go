package conform

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

// A recorder is the transport of every request to the endpoint. It remembers the exchanges, and
// what the endpoint should hold after them.
type recorder struct {
	base   string // the path of the base address
	next   http.RoundTripper
	redact func(string) string

	mu     sync.Mutex
	said   []Exchange
	held   map[shopadapter.PublicationID]held
	ever   []shopadapter.PublicationID // in the order of their first PUT, refused or not
	broken bool                        // another token is sent
}

// A held product is one that a PUT was accepted of.
type held struct {
	answer          laws.Answer
	puts            []put // that were accepted
	onSale, deleted bool
}

func newRecorder(e Endpoint) *recorder {
	r := &recorder{next: http.DefaultTransport, redact: e.Redact, held: map[shopadapter.PublicationID]held{}}
	if e.Client.Transport != nil {
		r.next = e.Client.Transport
	}
	if u, err := url.Parse(e.URL); err == nil {
		r.base = strings.TrimRight(u.EscapedPath(), "/")
	}
	if r.redact == nil {
		r.redact = func(s string) string { return s }
	}
	return r
}

// RoundTrip makes a request and reads the answer to its end.
func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		if err = errors.Join(err, req.Body.Close()); err != nil {
			return nil, err
		}
	}
	out := req.Clone(req.Context())
	if out.Body = http.NoBody; len(body) > 0 {
		out.Body = io.NopCloser(bytes.NewReader(body))
	}
	r.mu.Lock()
	if r.broken {
		out.Header.Set("Authorization", "Bearer another-token")
	}
	r.mu.Unlock()
	path := strings.TrimPrefix(req.URL.EscapedPath(), r.base)
	seen := Exchange{Request: req.Method + " " + path, Body: r.show(body, maxShown)}
	if req.URL.RawQuery != "" {
		seen.Request += "?" + req.URL.RawQuery
	}
	resp, err := r.next.RoundTrip(out)
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
		_ = resp.Body.Close() //nolint:errcheck // it was read
	}
	if err != nil {
		seen.Answer = r.show([]byte("no answer: "+err.Error()), maxShown)
		r.record(seen)
		return nil, err
	}
	seen.Status, seen.Answer = resp.StatusCode, r.show(data, maxShown)
	r.record(seen)
	r.remember(req, path, body, resp.StatusCode, data)
	resp.Body = io.NopCloser(bytes.NewReader(data))
	return resp, nil
}

// remember records what an answer says about a product.
func (r *recorder) remember(req *http.Request, path string, body []byte, status int, data []byte) {
	segment, found := strings.CutPrefix(path, "/products/")
	name, err := url.PathUnescape(segment)
	if !found || err != nil {
		return
	}
	id := shopadapter.PublicationID(name)
	if req.Method == http.MethodPut {
		r.tried(id)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	h, known := r.held[id]
	switch {
	case req.Method == http.MethodPut && (status == http.StatusOK || status == http.StatusCreated):
		var p put
		_ = json.Unmarshal(body, &p) //nolint:errcheck // a body that is no product has no title
		h.answer, h.onSale, h.deleted, h.puts = readAnswer(data), true, false, append(slices.Clip(h.puts), p)
	case !known:
		return
	case status == http.StatusGone:
		h.onSale, h.deleted = false, true
	case req.Method == http.MethodDelete && (status == http.StatusNoContent || status == http.StatusNotFound):
		h.onSale = false
		h.deleted = h.deleted || req.URL.Query().Get("mode") == shopadapter.Delete.String()
	}
	r.held[id] = h
}

// readAnswer reads the answer to a PUT, as leniently as the adapter does.
func readAnswer(data []byte) (a laws.Answer) {
	var said httpshop.Answer
	if json.Unmarshal(data, &said) != nil {
		return a
	}
	a.ID, a.URL = string(said.ID), string(said.URL)
	if said.Variants != nil || said.Refused != nil {
		a.Variants, a.Refused = words(said.Variants), words(said.Refused)
	}
	return a
}

func words(texts httpshop.Texts) map[string]string {
	m := map[string]string{}
	for name, text := range texts {
		m[name] = string(text)
	}
	return m
}

func (r *recorder) record(e Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, e)
}

// last is the last exchanges.
func (r *recorder) last(most int) []Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.said[max(0, len(r.said)-most):])
}

// show is a text as a person reads it: on one line, cut, without secrets.
func (r *recorder) show(text []byte, most int) string {
	return quote.Line(string(text), most, r.redact)
}

// tried remembers that a PUT was begun, since the endpoint may have made it however that ended.
func (r *recorder) tried(id shopadapter.PublicationID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.ever, id) {
		r.ever = append(r.ever, id)
	}
}

// known is what the endpoint should hold.
func (r *recorder) known() map[shopadapter.PublicationID]held {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.held)
}

// forget remembers that a product was deleted by hand.
func (r *recorder) forget(id shopadapter.PublicationID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.held[id]
	h.onSale, h.deleted = false, true
	r.held[id] = h
}

// breakToken sends another token until mend is called.
func (r *recorder) breakToken() (mend func()) {
	set := func(broken bool) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.broken = broken
	}
	set(true)
	return func() { set(false) }
}
