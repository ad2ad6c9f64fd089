package client

import (
	"net/http"
	"strings"
	"testing"
)

func TestTokenStaysWithItsOrigin(t *testing.T) {
	w := &refusing{}
	client := newHTTPClient(Config{URL: "https://market.test/base", Token: "t"}, w, newCredential("t"))
	for _, url := range []string{
		"http://market.test/base", "https://market.test.evil.test/base", "https://market.test:8443/base",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := w.sent; got != "" {
			t.Errorf("%s got %q, want %q", url, got, "")
		}
	}
}

// A refusing server answers nothing, and remembers the credentials that it was sent.
type refusing struct{ sent string }

func (r *refusing) RoundTrip(req *http.Request) (*http.Response, error) {
	r.sent = req.Header.Get("Authorization")
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: req}, nil
}
