// A secret that was reset is read again from its file.

package main_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// rereadBound is how long the worker may take to find a secret that was refused and has been reset:
// ten seconds between two readings, and the work.
const rereadBound = 25 * time.Second

// A token is reset at the marketplace and written where the worker took the old one from. The
// worker goes on without a restart, and shows neither.
func TestAResetTokenIsTakenFromItsFile(t *testing.T) {
	t.Parallel()
	const fresh = "fresh-t0ken-of-the-retailer"
	for _, tt := range []struct {
		name  string
		write func(s *site, token string) (args []string)
	}{
		{"a file of its own", func(s *site, token string) []string {
			path := filepath.Join(s.dir, "token")
			s.set("MARKETPLACE_TOKEN", "", "MARKETPLACE_TOKEN_FILE", path)
			if err := writeFile(path, token+"\n"); err != nil {
				s.t.Fatal(err)
			}
			return []string{"run"}
		}},
		{"an env file", func(s *site, token string) []string {
			s.set("MARKETPLACE_TOKEN", "")
			if err := writeFile(filepath.Join(s.dir, "shop.env"),
				"PUBSYNC_MARKETPLACE_TOKEN="+token+"\nPUBSYNC_STOCK_BUFFER=1\n"); err != nil {
				s.t.Fatal(err)
			}
			return []string{"run", "--env-file", "shop.env"}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.lamps(1)
			w := s.workWith(tt.write(s, marketToken), "SWEEP_SCHEDULE", "@every 1s")
			w.settles(1)
			s.market.SetToken(fresh)
			id := s.add(lamp(2))
			paused := func() bool {
				_, metrics := w.ask("GET", "/metrics", "", nil)
				return strings.Contains(metrics, "\npubsync_marketplace_paused 1\n")
			}
			eventually(t, 10*time.Second, "the worker is paused", paused)
			if status := s.call("status"); !strings.Contains(status.stdout, "marketplace paused since") ||
				!strings.Contains(status.stdout, "token was refused") {
				t.Errorf("status says %s", status.stdout)
			}
			tt.write(s, fresh)
			eventually(t, rereadBound, "what came meanwhile is on sale", func() bool { return len(s.reported(id)) == 1 })
			eventually(t, 10*time.Second, "the pause has ended", func() bool { return !paused() })
			w.stop()
			said := w.stderr.String()
			if !strings.Contains(said, "secrets read again") || !strings.Contains(said, "PUBSYNC_MARKETPLACE_TOKEN") {
				t.Errorf("nothing is said of it: %s", tail(said))
			}
			for _, token := range []string{marketToken, fresh} {
				if strings.Contains(said, token) {
					t.Errorf("%s is shown", token)
				}
			}
		})
	}
}
