package marketplace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// sent is one request as it reached the wire.
type sent struct {
	Query         string         `json:"query"`
	OperationName string         `json:"operationName"`
	Variables     map[string]any `json:"variables"`

	header http.Header
	url    string
}

// id is the first id that the document names.
func (s sent) id() string {
	_, id, _ := strings.Cut(s.Query, `(id:"`)
	id, _, _ = strings.Cut(id, `"`)
	return id
}

// A fakeWire is a server without sockets: answer is asked for every request, and every request is
// kept.
type fakeWire struct {
	answer func(n int, s sent) (status int, body string)
	header http.Header // of every answer
	err    error       // instead of every answer

	mu   sync.Mutex
	seen []sent
}

func (w *fakeWire) RoundTrip(req *http.Request) (*http.Response, error) {
	s := sent{header: req.Header.Clone(), url: req.URL.String()}
	if err := json.NewDecoder(req.Body).Decode(&s); err != nil {
		return nil, err
	}
	req.Body.Close()
	w.mu.Lock()
	w.seen = append(w.seen, s)
	n := len(w.seen)
	w.mu.Unlock()
	if w.err != nil {
		return nil, w.err
	}
	status, body := w.answer(n, s)
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	header := w.header.Clone()
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{
		StatusCode: status, Status: fmt.Sprint(status), Header: header,
		Body: io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body)), Request: req,
	}, nil
}

// operations are the names of the requests seen, in order.
func (w *fakeWire) operations() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	names := make([]string, len(w.seen))
	for i, s := range w.seen {
		names[i] = s.OperationName
	}
	return names
}

const token = "s3cret-token"

// connect makes a client on w, and probes unless w shall see that too.
func connect(t *testing.T, w *fakeWire) *Client {
	t.Helper()
	c := New(Config{URL: "https://market.test", Token: token, Languages: []string{"en", "nl"}, Transport: w})
	t.Cleanup(func() { c.Close() })
	return c
}

// known makes a client that has its forms, as the specification says, and a full bucket.
func known(t *testing.T, w *fakeWire) *Client {
	t.Helper()
	answer := w.answer
	w.answer = func(int, sent) (int, string) {
		return 200, `{"errors":[{"message":"GraphQL introspection is not allowed"}],` + throttled(0, 0, 1000) + `}`
	}
	c := connect(t, w)
	if _, err := c.Probe(t.Context()); err != nil {
		t.Fatalf("probe: %v", err)
	}
	w.answer, w.seen = answer, nil
	return c
}

// throttled is the extensions member of an answer.
func throttled(requested, actual, remaining int) string {
	return fmt.Sprintf(
		`"extensions":{"throttle":{"requestedCost":%d,"actualCost":%d,"limit":1000,"remaining":%d,"restoreRate":50}}`,
		requested, actual, remaining,
	)
}

// data is an answer that holds body as its data.
func data(body string) string {
	return `{"data":` + body + `,` + throttled(10, 10, 1000) + `}`
}

// always is a wire that gives one answer to everything.
func always(status int, body string) *fakeWire {
	return &fakeWire{answer: func(int, sent) (int, string) { return status, body }}
}

func contains(t *testing.T, what, s, part string) {
	t.Helper()
	if !strings.Contains(s, part) {
		t.Errorf("%s %q does not hold %q", what, s, part)
	}
}
