// Who may use the admin listener.

package main_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestTheAdminListenerIsNotOpenToPagesOfOthers(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(1)[0]
	w := s.work()
	w.settles(1)
	host := strings.TrimPrefix(w.admin, "http://")
	_, port, _ := strings.Cut(host, ":")
	tests := []struct {
		name, method, path string
		header             map[string]string
		refused            bool
	}{
		{"a script without an origin", "POST", "/api/v1/publications/" + id + "/retry", nil, false},
		{
			"its own page", "POST", "/api/v1/publications/" + id + "/retry",
			map[string]string{"Origin": w.admin, "Sec-Fetch-Site": "same-origin"},
			false,
		},
		{
			"a page of another origin", "POST", "/api/v1/publications/" + id + "/retry",
			map[string]string{"Origin": "https://evil.example"},
			true,
		},
		{"a page of another site", "POST", "/api/v1/sweep", map[string]string{"Sec-Fetch-Site": "cross-site"}, true},
		{"a page of another port", "POST", "/api/v1/sweep", map[string]string{"Origin": "http://127.0.0.1:1"}, true},
		{"a file", "POST", "/api/v1/publications/" + id + "/approve", map[string]string{"Origin": "null"}, true},
		{"a foreign Host", "GET", "/api/v1/status", map[string]string{"Host": "rebound.example:" + port}, true},
		{"a foreign Host that begins like ours", "GET", "/", map[string]string{"Host": "127.0.0.1.evil.example"}, true},
		{"a foreign Host at the metrics", "GET", "/metrics", map[string]string{"Host": "rebound.example"}, true},
		{"localhost", "GET", "/api/v1/status", map[string]string{"Host": "localhost:" + port}, false},
		{"the IPv6 loopback", "GET", "/api/v1/status", map[string]string{"Host": "[::1]:" + port}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, _ := w.ask(tt.method, tt.path, "", tt.header)
			if refused := res.StatusCode >= 400; refused != tt.refused {
				t.Errorf("%s", res.Status)
			}
		})
	}
	w.stop()
}

func TestTheAdminListenerOffLoopbackNeedsItsToken(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(1)
	_, port, _ := strings.Cut(freePort(t), ":")
	if r := s.callWith([]string{"ADMIN_LISTEN", "0.0.0.0:" + port, "WEBHOOK_LISTEN", freePort(t), "WEBHOOK_SECRET", "x"},
		"run"); r.code != 2 ||
		!strings.Contains(r.stderr, "PUBSYNC_ADMIN_TOKEN") {
		t.Errorf("without a token: exit %d, %s", r.code, r.stderr)
	}
	const token = "admin-t0ken-of-the-owner"
	s.set("ADMIN_LISTEN", "0.0.0.0:"+port, "ADMIN_TOKEN", token)
	w := s.work()
	w.admin = "http://127.0.0.1:" + port
	for path, want := range map[string]int{
		"/livez": 200, "/readyz": 200, "/metrics": 401, "/api/v1/status": 401,
		"/api/v1/publications": 401,
	} {
		for _, header := range []map[string]string{
			nil,
			{"Authorization": "Bearer guess"},
			{"Authorization": "Basic " + token},
		} {
			if res, _ := w.ask("GET", path, "", header); res.StatusCode != want {
				t.Errorf("GET %s with %v: %s, want %d", path, header, res.Status, want)
			}
		}
		if res, _ := w.ask("GET", path, "",
			map[string]string{"Authorization": "Bearer " + token}); res.StatusCode != http.StatusOK {
			t.Errorf("GET %s with the token: %s", path, res.Status)
		}
	}
	for _, path := range []string{"/api/v1/sweep", "/api/v1/publications/x/retry"} {
		if res, _ := w.ask("POST", path, "{}", nil); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("POST %s without the token: %s", path, res.Status)
		}
	}
	if res, page := w.ask("GET", "/", "", nil); strings.Contains(page, "pubsync_") || strings.Contains(page, token) ||
		res.StatusCode == http.StatusInternalServerError {
		t.Errorf("the page without the token: %s, %s", res.Status, page)
	}
	// A browser logs in once.
	res, _ := w.ask("POST", "/login", "token="+token,
		map[string]string{"Content-Type": "application/x-www-form-urlencoded"})
	cookies := res.Cookies()
	if len(cookies) != 1 || strings.Contains(cookies[0].Value, token) || !cookies[0].HttpOnly ||
		cookies[0].SameSite != http.SameSiteStrictMode {
		t.Fatalf("log in: %s, cookies %v", res.Status, cookies)
	}
	if res, _ := w.ask("GET", "/api/v1/status", "",
		map[string]string{"Cookie": cookies[0].Name + "=" + cookies[0].Value}); res.StatusCode != http.StatusOK {
		t.Errorf("with the session: %s", res.Status)
	}
	if res, _ := w.ask("POST", "/login", "token=guess",
		map[string]string{"Content-Type": "application/x-www-form-urlencoded"}); res.StatusCode != http.StatusUnauthorized ||
		len(res.Cookies()) != 0 {
		t.Errorf("a wrong token: %s", res.Status)
	}
	// The commands have the token from the same settings.
	if r := s.call("status", "--json"); r.code != 0 {
		t.Errorf("status: exit %d, want 0, %s", r.code, r.stderr)
	}
	if r := s.callWith([]string{"ADMIN_TOKEN", "guess"}, "status", "--json"); r.code != 5 ||
		strings.Contains(r.stderr, "guess") {
		t.Errorf("status with another token: exit %d, %s", r.code, r.stderr)
	}
	w.stop()
}

// A token that is set is asked for on loopback too, also of our own commands, which say so where
// they have none or another.
func TestTheAdminTokenIsAskedForOnLoopback(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(1)
	const token = "admin-t0ken-of-the-owner"
	s.set("ADMIN_TOKEN", token)
	w := s.work()
	for path, want := range map[string]int{
		"/livez": 200, "/readyz": 200, "/metrics": 401, "/api/v1/status": 401,
		"/api/v1/backup": 401,
	} {
		if res, _ := w.ask("GET", path, "", nil); res.StatusCode != want {
			t.Errorf("GET %s: %s, want %d", path, res.Status, want)
		}
		if res, _ := w.ask("GET", path, "",
			map[string]string{"Authorization": "Bearer " + token}); res.StatusCode != http.StatusOK {
			t.Errorf("GET %s with the token: %s", path, res.Status)
		}
	}
	if res, _ := w.ask("POST", "/api/v1/sweep", "{}", nil); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("a sweep: %s", res.Status)
	}
	for _, args := range [][]string{
		{"status", "--json"},
		{"run", "--once"},
		{"retry", "--failed"},
		{"backup", "copy.db"},
	} {
		for _, other := range []string{"", "guess-of-a-neighbour"} {
			if r := s.callWith([]string{"ADMIN_TOKEN", other}, args...); r.code != 5 ||
				!strings.Contains(r.stderr, "PUBSYNC_ADMIN_TOKEN") ||
				strings.Contains(r.stderr, "guess") {
				t.Errorf("pubsync %s with the token %q: exit %d, %s", args[0], other, r.code, r.stderr)
			}
		}
		if r := s.call(args...); r.code != 0 {
			t.Errorf("pubsync %s: exit %d, want 0, %s", args[0], r.code, r.stderr)
		}
	}
	w.stop()
}
