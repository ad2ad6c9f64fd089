package admin_test

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/admin"
)

const token = "the-token-of-the-owner"

const backup = "GET /api/v1/backup" // costs a copy of the store

var all = []string{"GET /", "GET /metrics", "GET /api/v1/status", "POST /api/v1/sweep", backup}

// header is the headers of a request; Host stands for the request's own Host.
type header map[string]string

func ask(h http.Handler, what, body string, header header) *httptest.ResponseRecorder {
	method, path, _ := strings.Cut(what, " ")
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:9464"
	for name, value := range header {
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// listener stands before handlers that answer each request with 200.
func listener(token string, loopback bool, said *bytes.Buffer) http.Handler {
	answers := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	o := admin.Options{
		Loopback: loopback, Token: token, Logger: slog.New(slog.DiscardHandler),
		Ready: func(context.Context) error { return nil },
		Pages: map[string]http.Handler{"/api/": answers, "/metrics": answers, "/{$}": answers},
	}
	if said != nil {
		o.Logger = slog.New(slog.NewTextHandler(said, nil))
	}
	return admin.New(o)
}

func TestHosts(t *testing.T) {
	h := listener("", true, nil)
	for want, hosts := range map[bool][]string{
		true: {
			"127.0.0.1:9464", "127.0.0.1", "127.1.2.3:1", "localhost", "LocalHost:9464", "[::1]:9464", "[::1]",
			"[::ffff:127.0.0.1]:80",
		},
		false: {
			"", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:9464", "localhost.", "127.0.0.1.",
			"evil.localhost", "0.0.0.0:9464", "[::]", "192.168.1.2", "2130706433", "0x7f.1", "127.0.0.1@evil.example",
			"evil.example:127.0.0.1", "localhost evil.example", "localhost\x00", "[localhost]evil", "::1.evil.example",
		},
	} {
		for _, host := range hosts {
			code := ask(h, "GET /api/v1/status", "", header{"Host": host}).Code
			if (code != http.StatusMisdirectedRequest) != want {
				t.Errorf("host %q: %d, want it served %t", host, code, want)
			}
		}
	}
}

func TestOrigins(t *testing.T) {
	h := listener("", true, nil)
	link := func(site, into string) header {
		return header{"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": into}
	}
	for _, tt := range []struct {
		name   string
		header header
		page   bool // served at the dashboard
		api    bool // served below /api/
	}{
		{"a script", nil, true, true},
		{"our page", header{"Origin": "http://127.0.0.1:9464", "Sec-Fetch-Site": "same-origin"}, true, true},
		{"our page in a browser that says less", header{"Origin": "http://127.0.0.1:9464"}, true, true},
		{"our page through a proxy", header{"Origin": "https://x.example", "Sec-Fetch-Site": "same-origin"}, true, true},
		{"what a person typed", link("none", "document"), true, true},
		{"a link that a person follows", link("cross-site", "document"), true, false},
		{"another site", header{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, false, false},
		{"another port", header{"Origin": "http://127.0.0.1:8080", "Sec-Fetch-Site": "same-site"}, false, false},
		{"another site in a browser that says less", header{"Origin": "https://evil.example"}, false, false},
		{"a file, or a frame in a sandbox", header{"Origin": "null"}, false, false},
		{"a picture in a page", header{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image"}, false, false},
		{"a frame", link("cross-site", "iframe"), false, false},
		{"an origin that only begins like ours", header{"Origin": "http://127.0.0.1:9464.evil.example"}, false, false},
		{"an origin that is none", header{"Origin": "127.0.0.1:9464"}, false, false},
	} {
		for what, want := range map[string]bool{"GET /": tt.page, "POST /api/v1/sweep": tt.api, backup: tt.api} {
			if code := ask(h, what, "", tt.header).Code; (code != http.StatusForbidden) != want {
				t.Errorf("%s from %s: %d, want it served %t", what, tt.name, code, want)
			}
		}
	}
}

func TestToken(t *testing.T) {
	for _, tt := range []struct {
		name     string
		set      string
		loopback bool
	}{
		{"off loopback", token, false},
		{"off loopback, where none is set", "", false},
		{"on loopback, where one is set", token, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, given := range []string{
				"", "Bearer", "Bearer ", "Bearer guess", "Bearer " + token + "x", "Bearer " + token[1:],
				"Basic " + token, token, "bearer" + token,
			} {
				h := listener(tt.set, tt.loopback, nil)
				for _, what := range all {
					w := ask(h, what, "", header{"Authorization": given, "Cookie": "pubsync_session="})
					form := what == "GET /" && strings.Contains(w.Body.String(), `action="/login"`)
					if w.Code != http.StatusUnauthorized && !form || w.Header().Get("Set-Cookie") != "" {
						t.Errorf("%s with %q: %d %v, want 401 or the form", what, given, w.Code, w.Header())
					}
					if strings.Contains(w.Body.String(), token) {
						t.Errorf("%s with %q answers with the token: %s", what, given, w.Body)
					}
				}
			}
			h := listener(tt.set, tt.loopback, nil)
			for _, what := range []string{"GET /livez", "GET /readyz"} {
				if code := ask(h, what, "", nil).Code; code != http.StatusOK {
					t.Errorf("%s: %d, want 200", what, code)
				}
			}
			for _, what := range all {
				w := ask(h, what, "", header{"Authorization": "bearer " + token})
				if served := w.Code == http.StatusOK && w.Body.Len() == 0; served != (tt.set != "") {
					t.Errorf("%s with the token: %d %s", what, w.Code, w.Body)
				}
			}
		})
	}
}

func logIn(h http.Handler, given string, more header) *httptest.ResponseRecorder {
	header := header{"Content-Type": "application/x-www-form-urlencoded"}
	for name, value := range more {
		header[name] = value
	}
	return ask(h, "POST /login", "token="+given, header)
}

// A browser gets a session for the token, for itself alone and for hours, at every replica, and no other.
func TestSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := listener(token, false, nil)
		for _, origin := range []string{"http://127.0.0.1:9464", "https://127.0.0.1:9464"} {
			w := logIn(h, token, header{"Origin": origin})
			cookies := w.Result().Cookies()
			if w.Code != http.StatusSeeOther || len(cookies) != 1 {
				t.Fatalf("log in: %d with %v, want 303 with a cookie", w.Code, cookies)
			}
			c := cookies[0]
			if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" ||
				c.Secure != strings.HasPrefix(origin, "https:") || strings.Contains(c.Value, token) {
				t.Errorf("got %s at %s, want it strict, HttpOnly, for /, secure over TLS, without the token", c, origin)
			}
			begun, sealed, _ := strings.Cut(c.Value, ".")
			for value, want := range map[string]int{
				c.Value: 200, c.Value[1:]: 401, c.Value + "0": 401, begun: 401, "9" + begun + "." + sealed: 401,
			} {
				if code := ask(h, "GET /metrics", "", header{"Cookie": c.Name + "=" + value}).Code; code != want {
					t.Errorf("the cookie %q: %d, want %d", value, code, want)
				}
			}
			for set, want := range map[string]int{token: 200, token + "x": 401, "": 401} {
				if code := ask(listener(set, false, nil), "GET /metrics", "", header{"Cookie": c.String()}).Code; code != want {
					t.Errorf("at a process with the token %q: %d, want %d", set, code, want)
				}
			}
			time.Sleep(12 * time.Hour)
			if code := ask(h, "GET /metrics", "", header{"Cookie": c.Name + "=" + c.Value}).Code; code != 401 {
				t.Errorf("an old session: %d, want 401", code)
			}
		}
		w := logIn(h, strings.Repeat("x", 8192), nil)
		if w.Code != 401 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") ||
			w.Header().Get("Content-Security-Policy") == "" || w.Header().Get("Referrer-Policy") != "same-origin" {
			t.Errorf("a form of 8 KiB: %d %v, want 401 with the form, under a policy that sends its origin", w.Code,
				w.Header())
		}
	})
}

// The right token passes, in the form and in the header, among any number of wrong ones from its address. The log
// tells of wrong ones seldom, and quotes none.
func TestWrongTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		h := listener(token, false, &said)
		for i := range 300 { // for five minutes
			guess := fmt.Sprint("guess-", i)
			for given, want := range map[string][2]int{
				guess: {http.StatusUnauthorized, http.StatusUnauthorized}, token: {http.StatusOK, http.StatusSeeOther},
			} {
				sent := ask(h, "GET /metrics", "", header{"Authorization": "Bearer " + given}).Code
				if got := [2]int{sent, logIn(h, given, nil).Code}; got != want {
					t.Fatalf("%s: %d in the header and the form, want %d", given, got, want)
				}
			}
			time.Sleep(time.Second)
		}
		if n := strings.Count(said.String(), "wrong admin token"); n < 2 || n > 6 ||
			strings.Contains(said.String(), "guess-") || !strings.Contains(said.String(), "192.0.2.1:") {
			t.Errorf("want a warning a minute with the address and no guess, got %d: %.2000s", n, said.String())
		}
	})
}

// A login leads to what was asked for, and never to another host.
func TestLoginKeepsTheAddress(t *testing.T) {
	h := listener(token, false, nil)
	shown := ask(h, "GET /?id=a%26b&find=%22x", "", nil)
	page := shown.Body.String()
	if shown.Code != http.StatusUnauthorized {
		t.Errorf("the form comes with %d, want 401", shown.Code)
	}
	if want := `name="query" value="id=a%26b&amp;find=%22x"`; !strings.Contains(page, want) {
		t.Errorf("the form has no %s: %s", want, page)
	}
	for _, tt := range []struct{ query, want string }{
		{"", "/"},
		{"id=a%26b&find=%22x", "/?id=a%26b&find=%22x"},
		{"//evil.example", "/?//evil.example"},
		{"\\evil.example", "/?\\evil.example"},
	} {
		w := logIn(h, token+"&query="+url.QueryEscape(tt.query), nil)
		if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != tt.want {
			t.Errorf("%q: %d to %s, want 303 to %s", tt.query, w.Code, got, tt.want)
		}
		if again := logIn(h, "x&query="+url.QueryEscape(tt.query), nil); !strings.Contains(
			again.Body.String(), `value="`+html.EscapeString(tt.query)+`"`) {
			t.Errorf("%q is lost by a wrong token: %s", tt.query, again.Body)
		}
	}
}
