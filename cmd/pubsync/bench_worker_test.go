// A running `pubsync run`, as the tests start, ask and stop it.

package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"time"
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

type status struct {
	Publications map[string]int
	Due, Outbox  int
	LastError    json.RawMessage
}

// settles waits until nothing is due and nothing owed, and want publications are known.
func (w *worker) settles(want int) status {
	w.t.Helper()
	var st status
	eventually(w.t, 20*time.Second, fmt.Sprintf("%d publications are worked off", want), func() bool {
		st = status{}
		w.get("/api/v1/status", &st)
		n := 0
		for _, k := range st.Publications {
			n += k
		}
		return n == want && st.Due == 0 && st.Outbox == 0 && st.Publications["pending"] == 0
	})
	return st
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
