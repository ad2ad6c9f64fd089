package doctor

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

// A shop redirects, refuses and answers by the path.
func newShop(t *testing.T) *httptest.Server {
	t.Helper()
	to := map[string]string{
		"/closed": "/password", "/dropped": "/", "/dropped-fr": "/fr/", "/renamed": "/products/lamp",
		"/member": "/account/login?to=x",
	}
	is := map[string]int{
		"/gone": 410, "/missing": 404, "/basic": 401, "/robots": 403, "/busy": 503,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie") != "" {
			t.Errorf("%s: sent a cookie, want none", r.URL)
		}
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "1", Path: "/"})
		switch {
		case r.URL.Path == "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case to[r.URL.Path] != "":
			http.Redirect(w, r, to[r.URL.Path], http.StatusFound)
		case is[r.URL.Path] != 0:
			w.WriteHeader(is[r.URL.Path])
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestSee(t *testing.T) {
	shop := newShop(t)
	client := newVisitor("127.0.0.1")
	defer client.CloseIdleConnections()
	for path, want := range map[string]string{
		"/products/lamp": "", "/renamed": "", "/?p=7": "",
		"/closed": "a page that asks for a password", "/member": "a page that asks for a password",
		"/basic": "a page that asks for a password", "/dropped": "the front page", "/dropped-fr": "the front page",
		"/missing": "a page that is not there (404)", "/gone": "a page that is not there (410)",
		"/robots": "unknown", "/busy": "unknown", "/loop": "unknown",
	} {
		saw, err := see(t.Context(), client, shop.URL+path)
		if errors.Is(err, errUnseen) {
			saw = "unknown"
		}
		if saw != want {
			t.Errorf("%s: %q, %v, want %q", path, saw, err, want)
		}
	}
}

// What is in a private network is not fetched, unless the shop is there; neither is what a public
// page leads to there.
func TestSeeGuards(t *testing.T) {
	asked := 0
	hidden := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer hidden.Close()
	u, err := url.Parse(hidden.URL)
	if err != nil {
		t.Fatal(err)
	}
	shop := httptest.NewServer(http.RedirectHandler("http://[::ffff:127.0.0.1]:"+u.Port()+"/", http.StatusFound))
	defer shop.Close()
	for name, client := range map[string]*http.Client{
		"no host is allowed": newVisitor(), "another one is": newVisitor("10.0.0.1"),
	} {
		if saw, err := see(t.Context(), client, hidden.URL+"/lamp"); !errors.Is(err, errUnseen) {
			t.Errorf("%s: %q, %v, want nothing told", name, saw, err)
		}
		client.CloseIdleConnections()
	}
	client := newVisitor("127.0.0.1")
	defer client.CloseIdleConnections()
	if saw, err := see(t.Context(), client, shop.URL+"/lamp"); !errors.Is(err, errUnseen) {
		t.Errorf("led elsewhere: %q, %v, want nothing told", saw, err)
	}
	if asked != 0 {
		t.Errorf("%d requests in the private network, want none", asked)
	}
	if _, err := see(t.Context(), client, hidden.URL+"/lamp"); err != nil || asked == 0 {
		t.Errorf("where the shop is: %v after %d requests, want it seen", err, asked)
	}
}
