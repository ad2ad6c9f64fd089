// HTTP requests of the tests: of a browser, of the marketplace's webhooks.

package main_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"syscall"
	"testing"
)

const (
	sigint  = syscall.SIGINT
	sigterm = syscall.SIGTERM
)

// ask makes one HTTP request and reads the answer. It follows no redirect.
func ask(t *testing.T, method, address, body string, header map[string]string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		if name == "Host" {
			req.Host = value
		} else {
			req.Header.Set(name, value)
		}
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
	defer res.Body.Close() //nolint:errcheck // read to its end
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
	return res, string(data)
}

func signature(body string) string {
	mac := hmac.New(sha256.New, []byte(hookSecret))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

func (w *worker) hook(event, body string) int {
	w.t.Helper()
	res, _ := ask(w.t, http.MethodPost, w.hooks+"/webhooks", body, map[string]string{
		"X-Service-Signature": signature(body), "X-Service-Event": event, "Content-Type": "application/json",
	})
	return res.StatusCode
}

func created(id string) string {
	return fmt.Sprintf(`{"data":{"publication":{"id":%q,"status":"syncing","listing":{"product":{"id":"x"}}}}}`, id)
}

// before is the address of a server that stands before another, and passes on what it does not answer itself.
func before(t *testing.T, target string, answers func(w http.ResponseWriter, body string) bool) string {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || answers(w, string(body)) {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
