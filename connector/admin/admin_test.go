package admin

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const adminToken = "the-token-of-the-owner"

// changing is every address that changes something, and the one that costs a copy of the store.
var changing = []string{
	"POST /login", "POST /api/v1/publications/p1/retry", "POST /api/v1/publications/p1/approve",
	"POST /api/v1/retry-failed", "POST /api/v1/approve-all", "POST /api/v1/sweep",
	"GET /api/v1/backup",
}

var reading = []string{
	"GET /", "GET /metrics", "GET /api/v1/status", "GET /api/v1/publications",
	"GET /api/v1/publications/p1",
}

// knock makes one request of the admin listener; the header named Host is the request's.
func knock(h http.Handler, what string, header map[string]string) *httptest.ResponseRecorder {
	method, path, _ := strings.Cut(what, " ")
	r := httptest.NewRequest(method, path, strings.NewReader("{}"))
	r.Host = "127.0.0.1:9464"
	for name, value := range header {
		if name == "Host" {
			r.Host = value
		} else {
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const (
	storePath   = "/var/lib/pubsync.db"
	storeHeader = "The-Store"
)

// listener stands before handlers that answer each request with 200.
func listener(token string, loopback bool) *Handler {
	answers := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	return New(Options{
		Loopback: loopback, Token: func() string { return token }, Store: func() string { return storePath },
		StoreHeader: storeHeader,
		Ready:       func(context.Context) error { return nil }, API: answers, Metrics: answers, Dashboard: answers,
	})
}

func TestAdminHosts(t *testing.T) {
	h := listener("", true)
	for host, want := range map[string]bool{
		"127.0.0.1:9464": true, "127.0.0.1": true, "127.1.2.3:1": true, "localhost": true, "LocalHost:9464": true,
		"[::1]:9464": true, "[::1]": true,
		"[::ffff:127.0.0.1]:80": true,

		"": false, "evil.example": false, "127.0.0.1.evil.example": false, "localhost.evil.example:9464": false,
		"localhost.": false, "127.0.0.1.": false,
		"evil.localhost": false, "0.0.0.0:9464": false, "[::]": false, "192.168.1.2": false, "2130706433": false,
		"0x7f.1": false, "127.0.0.1@evil.example": false,
		"evil.example:127.0.0.1": false, "localhost evil.example": false, "localhost\x00": false, "[localhost]evil": false,
		"::1.evil.example": false,
	} {
		for _, what := range append(changing, reading...) {
			code := knock(h, what, map[string]string{"Host": host}).Code
			if refused := code == http.StatusMisdirectedRequest; refused == want {
				t.Errorf("%s of host %q: %d", what, host, code)
			}
		}
	}
}

func TestAdminOrigins(t *testing.T) {
	h := listener("", true)
	for _, tt := range []struct {
		name   string
		header map[string]string
		ours   bool
	}{
		{"a script", nil, true},
		{
			"our page",
			map[string]string{"Origin": "http://127.0.0.1:9464", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"},
			true,
		},
		{"our page in a browser that says less", map[string]string{"Origin": "http://127.0.0.1:9464"}, true},
		{
			"what a person typed",
			map[string]string{"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
			true,
		},

		{
			"a page of another site",
			map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
			false,
		},
		{
			"a page of another port",
			map[string]string{"Origin": "http://127.0.0.1:8080", "Sec-Fetch-Site": "same-site"},
			false,
		},
		{"a page in a browser that says less", map[string]string{"Origin": "https://evil.example"}, false},
		{"a file, or a frame in a sandbox", map[string]string{"Origin": "null"}, false},
		{
			"a picture in a page",
			map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
			false,
		},
		{
			"a frame",
			map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
			false,
		},
		{"a form", map[string]string{"Origin": "https://evil.example", "Content-Type": "text/plain"}, false},
		{
			"a foreign origin that the browser calls ours",
			map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"},
			false,
		},
		{
			"no origin that the browser calls ours",
			map[string]string{"Origin": "null", "Sec-Fetch-Site": "same-origin"},
			false,
		},
		{"a foreign origin that a person typed", map[string]string{
			"Origin": "https://evil.example", "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate",
			"Sec-Fetch-Dest": "document",
		}, false},
		{"our page through a proxy", map[string]string{
			"Origin": "https://admin.shop.example", "X-Forwarded-Host": "admin.shop.example", "Sec-Fetch-Site": "same-origin",
		}, true},
		{"a foreign page through a proxy", map[string]string{
			"Origin": "https://evil.example", "X-Forwarded-Host": "admin.shop.example", "Sec-Fetch-Site": "same-origin",
		}, false},
		{"an origin that only begins like ours", map[string]string{"Origin": "http://127.0.0.1:9464.evil.example"}, false},
		{"an origin that is none", map[string]string{"Origin": "127.0.0.1:9464"}, false},
	} {
		for _, what := range append(changing, reading...) {
			code := knock(h, what, tt.header).Code
			if refused := code == http.StatusForbidden; refused == tt.ours {
				t.Errorf("%s from %s: %d", what, tt.name, code)
			}
		}
	}
	link := map[string]string{
		"Sec-Fetch-Site": "cross-site",
		"Sec-Fetch-Mode": "navigate",
		"Sec-Fetch-Dest": "document",
	}
	if code := knock(h, "GET /", link).Code; code != http.StatusOK {
		t.Errorf("a link to the dashboard: %d, want %d", code, http.StatusOK)
	}
	for _, what := range changing {
		if code := knock(h, what, link).Code; code != http.StatusForbidden {
			t.Errorf("a link to %s: %d, want %d", what, code, http.StatusForbidden)
		}
	}
}

func TestAdminToken(t *testing.T) {
	open := listener(adminToken, false)
	shut := listener("", false) // should have a token and has none
	for _, given := range []string{
		"", "Bearer", "Bearer ", "Bearer  ", "Bearer guess", "Bearer " + adminToken + "x",
		"Bearer " + adminToken[1:], "Basic " + adminToken, adminToken, "bearer" + adminToken, "Bearer \x00",
	} {
		for _, what := range append(changing, reading...) {
			for name, h := range map[string]http.Handler{"one": open, "none": shut} {
				w := knock(h, what, map[string]string{"Authorization": given, "Cookie": sessionCookie + "="})
				form := what == "GET /" && w.Code == http.StatusOK &&
					strings.Contains(w.Body.String(), `action="/login"`)
				if w.Code != http.StatusUnauthorized && !form {
					t.Errorf("%s with %q where the token is %s: %d, want 401 or the form", what, given, name, w.Code)
				}
				if got := w.Header().Get("Set-Cookie"); got != "" {
					t.Errorf("%s with %q where the token is %s sets the cookie %q, want none", what, given, name, got)
				}
				if strings.Contains(w.Body.String(), adminToken) {
					t.Errorf("%s with %q where the token is %s answers with the token, want it hidden", what, given, name)
				}
			}
		}
	}
	for _, what := range append(changing[1:], reading...) {
		w := knock(open, what, map[string]string{"Authorization": "bearer " + adminToken})
		if w.Code == http.StatusUnauthorized {
			t.Errorf("%s with the token: %d, want another status", what, w.Code)
		}
		if strings.Contains(w.Body.String(), `action="/login"`) {
			t.Errorf("%s with the token is answered with the form, want the answer", what)
		}
	}
	loopback := listener(adminToken, true)
	for _, what := range append(changing[1:], reading...) {
		if w := knock(loopback, what, nil); w.Code != http.StatusUnauthorized &&
			!strings.Contains(w.Body.String(), `action="/login"`) {
			t.Errorf("%s on loopback without the token that is set: %d, want 401 or the form", what, w.Code)
		}
		if w := knock(loopback, what,
			map[string]string{"Authorization": "Bearer " + adminToken}); w.Code == http.StatusUnauthorized {
			t.Errorf("%s on loopback with the token: %d, want another status", what, w.Code)
		}
	}
	for _, what := range []string{"GET /livez", "GET /readyz"} {
		if code := knock(loopback, what, nil).Code; code != http.StatusOK {
			t.Errorf("%s on loopback without the token that is set: %d, want %d", what, code, http.StatusOK)
		}
		if code := knock(shut, what, map[string]string{"Host": "pod.example"}).Code; code != http.StatusOK {
			t.Errorf("%s without a token: %d, want %d", what, code, http.StatusOK)
		}
	}
}

// A browser that names no site, as over plain HTTP, sends the origin null with the form of a page
// under no-referrer.
func TestAdminLoginForm(t *testing.T) {
	h := listener(adminToken, false)
	for _, what := range []string{"GET /", "POST /login"} {
		w := knock(h, what, nil)
		if !strings.Contains(w.Body.String(), `action="/login"`) {
			t.Errorf("%s is answered with %d, want the form", what, w.Code)
		}
		if got := w.Header().Get("Referrer-Policy"); got != "same-origin" {
			t.Errorf("the form of %s has the policy %q, want same-origin", what, got)
		}
	}
}

// A browser gets a session for the token, for itself alone and for hours, and no other.
func TestAdminSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := listener(adminToken, false)
		form := httptest.NewRequest(http.MethodPost, "/login", strings.NewReader("token="+adminToken))
		form.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, form)
		cookies := w.Result().Cookies()
		if w.Code != http.StatusSeeOther || len(cookies) != 1 {
			t.Fatalf("log in: %d with the cookies %v, want 303 with one", w.Code, cookies)
		}
		c := cookies[0]
		if !c.HttpOnly {
			t.Error("a script can read the cookie, want it HttpOnly")
		}
		if c.SameSite != http.SameSiteStrictMode {
			t.Errorf("the cookie's SameSite is %d, want strict", c.SameSite)
		}
		if got := c.Path + " " + c.Domain; got != "/ " {
			t.Errorf("the cookie's path and domain are %q, want / and none", got)
		}
		if n := len(c.Value); n < 26 {
			t.Errorf("the cookie has %d characters, want at least 26", n)
		}
		asks := func(value string) int {
			return knock(h, "GET /api/v1/status", map[string]string{"Cookie": c.Name + "=" + value}).Code
		}
		if code := asks(c.Value); code != http.StatusOK {
			t.Errorf("with the session: %d, want %d", code, http.StatusOK)
		}
		if code := asks(c.Value[1:]); code != http.StatusUnauthorized {
			t.Errorf("with a part of it: %d, want %d", code, http.StatusUnauthorized)
		}
		time.Sleep(sessionLength)
		if code := asks(c.Value); code != http.StatusUnauthorized {
			t.Errorf("with an old one: %d, want %d", code, http.StatusUnauthorized)
		}
		large := httptest.NewRequest(http.MethodPost, "/login",
			strings.NewReader(strings.Repeat("x", 8192)+"&token="+adminToken))
		large.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w = httptest.NewRecorder()
		h.ServeHTTP(w, large)
		if w.Code != http.StatusUnauthorized {
			t.Errorf("a form of 8 KiB: %d, want %d", w.Code, http.StatusUnauthorized)
		}
		if got := w.Header().Get("Content-Type"); !strings.HasPrefix(got, "text/html") {
			t.Errorf("a form of 8 KiB is answered with %q, want a page", got)
		}
		if w.Header().Get("Content-Security-Policy") == "" {
			t.Error("the page has no Content-Security-Policy, want one")
		}
	})
}

// A request that names a store reaches the worker of that store alone.
func TestAdminStore(t *testing.T) {
	h := listener("", true)
	for named, want := range map[string]int{
		"": http.StatusOK, storePath: http.StatusOK,
		"/var/lib/other.db": http.StatusConflict,
	} {
		for _, what := range append(changing[1:], reading...) {
			if code := knock(h, what, map[string]string{storeHeader: named}).Code; code != want {
				t.Errorf("%s of store %q: %d, want %d", what, named, code, want)
			}
		}
	}
}
