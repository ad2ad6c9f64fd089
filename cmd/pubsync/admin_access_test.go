// Who may use the admin listener.

package main_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Off loopback a token is needed, and one that is set is asked for on loopback too, also of our own
// commands, which say so where they have none or another.
func TestTheAdminListenerAndItsToken(t *testing.T) {
	unraced(t)
	t.Parallel()
	const token = "admin-t0ken-of-the-owner"
	for _, host := range []string{"0.0.0.0", "127.0.0.1"} {
		t.Run(host, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.lamps(1)
			_, port, _ := strings.Cut(freePort(t), ":")
			s.set("ADMIN_LISTEN", host+":"+port)
			commands := [][]string{{"status", "--json"}}
			if host == "0.0.0.0" {
				r := s.call("run")
				if r.code != 2 || !strings.Contains(r.stderr, "PUBSYNC_ADMIN_TOKEN") {
					t.Errorf("without a token: exit %d, %s", r.code, r.stderr)
				}
			} else { // how a command is refused does not go by the host
				commands = append(commands,
					[]string{"run", "--once"}, []string{"retry", "--failed"}, []string{"backup", "copy.db"}, []string{"doctor"})
			}
			s.set("ADMIN_TOKEN", token)
			w := s.work()
			w.admin = "http://127.0.0.1:" + port
			for path, want := range map[string]int{"/readyz": 200, "/metrics": 401, "/api/v1/status": 401} {
				if res, _ := w.ask("GET", path, "", nil); res.StatusCode != want {
					t.Errorf("GET %s without the token: %s, want %d", path, res.Status, want)
				}
			}
			for _, args := range commands {
				for _, other := range []string{"", "guess-of-a-neighbour"} {
					if r := s.callWith([]string{"ADMIN_TOKEN", other}, args...); (other != "" || host == "127.0.0.1") &&
						(r.code != 5 || !strings.Contains(r.stdout+r.stderr, "PUBSYNC_ADMIN_TOKEN") ||
							strings.Contains(r.stdout+r.stderr, "guess")) {
						t.Errorf("pubsync %s with the token %q: exit %d, %s%s", args[0], other, r.code, r.stdout, r.stderr)
					}
				}
				if r := s.call(args...); r.code != 0 {
					t.Errorf("pubsync %s: exit %d, want 0, %s", args[0], r.code, r.stderr)
				}
			}
			w.stop()
		})
	}
}
