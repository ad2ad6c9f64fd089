// A running `pubsync run`, as the tests start, ask and stop it.

package main_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
)

type worker struct {
	*process
	admin string // its address, with the scheme
	hooks string
}

// work starts the worker, with the settings changed by pairs, and returns when it is ready. It
// sweeps at start and then, unless told otherwise, so seldom that no test meets it.
func (s *site) work(pairs ...string) *worker {
	s.t.Helper()
	w := s.start(pairs...)
	eventually(s.t, 15*time.Second, "the worker is ready", w.ready)
	return w
}

// start is work without waiting for the worker to be ready.
func (s *site) start(pairs ...string) *worker {
	s.t.Helper()
	return s.startAs(exec.Command(binary, "run"), pairs...)
}

func (s *site) startAs(cmd *exec.Cmd, pairs ...string) *worker {
	s.t.Helper()
	if s.env["PUBSYNC_ADMIN_LISTEN"] == "" {
		s.set("ADMIN_LISTEN", freePort(s.t))
	}
	env := s.env.with("SWEEP_SCHEDULE", "@every 1h", "RESYNC_SCHEDULE", "@every 1h", "WEBHOOK_LISTEN", freePort(s.t),
		"WEBHOOK_SECRET", hookSecret,
		"WEBHOOK_PATH_TOKEN", pathToken).
		with(pairs...)
	w := &worker{process: start(s.t, s.dir, env, cmd)}
	w.admin, w.hooks = "http://"+env["PUBSYNC_ADMIN_LISTEN"], "http://"+env["PUBSYNC_WEBHOOK_LISTEN"]
	return w
}

func (w *worker) ready() bool {
	w.t.Helper()
	if !w.running() {
		w.t.Fatalf("the worker ended: %s", w.stderr.String())
	}
	res, err := http.Get(w.admin + "/readyz")
	if err != nil {
		return false
	}
	defer res.Body.Close() //nolint:errcheck // only its status counts
	return res.StatusCode == http.StatusOK
}

func (w *worker) get(path string, into any) {
	w.t.Helper()
	res, body := w.ask(http.MethodGet, path, "", nil)
	if res.StatusCode != http.StatusOK {
		w.t.Fatalf("GET %s: %s, %s", path, res.Status, body)
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		w.t.Fatalf("GET %s: %v", path, err)
	}
}

func (w *worker) post(path, body string) int {
	w.t.Helper()
	res, _ := w.ask(http.MethodPost, path, body, nil)
	return res.StatusCode
}

func (w *worker) ask(method, path, body string, header map[string]string) (*http.Response, string) {
	w.t.Helper()
	return ask(w.t, method, w.admin+path, body, header)
}

// settles waits until nothing is due and nothing owed, and want publications are known.
func (w *worker) settles(want int) {
	w.t.Helper()
	eventually(w.t, 20*time.Second, fmt.Sprintf("%d publications are worked off", want), func() bool {
		var st desk.Status
		w.get("/api/v1/status", &st)
		n := 0
		for _, k := range st.Publications {
			n += k
		}
		return n == want && st.Due == 0 && st.Outbox == 0 && st.Publications["pending"] == 0
	})
}

// stop ends the worker as a service manager does, and checks that it drains and exits 0.
func (w *worker) stop() {
	w.t.Helper()
	w.signal(sigterm)
	if code := w.code(25 * time.Second); code != 0 {
		w.t.Errorf("the worker ended with %d", code)
	}
}

// measures waits until the metrics of the worker hold a line that contains a text.
func (w *worker) measures(text string) {
	w.t.Helper()
	eventually(w.t, 5*time.Second, fmt.Sprintf("the metrics hold %q", text), func() bool {
		_, metrics := w.ask(http.MethodGet, "/metrics", "", nil)
		return strings.Contains(metrics, text)
	})
}

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
