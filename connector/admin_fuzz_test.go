package connector_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Whatever is asked of the admin listener, the answer is one of its own, and only the dashboard is
// a page.
func FuzzAdmin(f *testing.F) {
	for _, what := range []string{
		"GET /", "GET /metrics", "POST /login", "GET /api/v1/status", "GET /api/v1/publications", "GET " +
			"/api/v1/publications/p1",
		"POST /api/v1/publications/p1/retry", "POST /api/v1/publications/p1/approve", "POST /api/v1/retry-failed",
		"POST /api/v1/approve-all",
		"POST /api/v1/sweep", "GET /api/v1/backup",
	} {
		method, path, _ := strings.Cut(what, " ")
		f.Add(method, path, "", []byte(`{}`))
	}
	f.Add("GET", "/api/v1/publications", "state=live&after=cDE&limit=1", []byte(nil))
	f.Add("GET", "/api/v1/publications", "state=x&after=!&limit=-1&limit=9999999999999999999", []byte(nil))
	f.Add("POST", "/api/v1/publications/\x00<script>/retry", "reset=true", []byte(nil))
	f.Add("POST", "/api/v1/sweep", "", []byte(`{"full":"yes","patience":"-1h","store":"../x","settings":{"":null}}`))
	f.Fuzz(func(t *testing.T, method, path, query string, body []byte) {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:9464/", bytes.NewReader(body))
		r.Method, r.URL = method, &url.URL{Path: "/" + strings.TrimPrefix(path, "/"), RawQuery: query}
		if bytes.Contains(bytes.ToLower(body), []byte("wait")) {
			t.Skip("a run is no answer from here")
		}
		w := httptest.NewRecorder()
		harness.New(t, sandbox.Options{}).Connector().AdminHandler(true).ServeHTTP(w, r)
		switch w.Code {
		case 200, 202, 204, 301, 307, 303, 400, 401, 404, 405, 409:
		default:
			t.Errorf("%s %q ?%q %q: %d %s", method, path, query, body, w.Code, w.Body)
		}
		kind := w.Header().Get("Content-Type")
		if strings.HasPrefix(kind, "text/html") && r.URL.Path != "/" && r.URL.Path != "/login" && w.Code/100 != 3 ||
			w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %q ?%q: %d, %v", method, path, query, w.Code, w.Header())
		}
	})
}
