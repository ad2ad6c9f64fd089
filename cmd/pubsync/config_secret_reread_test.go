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

// A token is reset at the marketplace and written into the file that the env file names. The worker goes
// on without a restart, and shows neither.
func TestAResetTokenIsTakenFromItsFile(t *testing.T) {
	const fresh = "fresh-t0ken-of-the-retailer"
	s := open(t, sandbox.Options{})
	s.lamps(1)
	s.set("MARKETPLACE_TOKEN", "")
	write := func(name, text string) {
		t.Helper()
		if err := writeFile(filepath.Join(s.dir, name), text+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	write("token", marketToken)
	write("shop.env", "PUBSYNC_MARKETPLACE_TOKEN_FILE=token")
	w := s.workWith([]string{"run", "--env-file", "shop.env"}, "SWEEP_SCHEDULE", "@every 1s")
	w.settles(1)
	s.market.SetToken(fresh)
	id := s.add(lamp(2))
	eventually(t, 10*time.Second, "the worker is paused", func() bool { return w.paused() != "" })
	if status := s.call("status"); !strings.Contains(status.stdout, "marketplace paused since") ||
		!strings.Contains(status.stdout, "token was refused") ||
		strings.Contains(status.stdout, "needs you   nothing\n") {
		t.Errorf("status says %s", status.stdout)
	}
	write("token", fresh)
	eventually(t, rereadBound, "what came meanwhile is on sale", func() bool { return len(s.reported(id)) == 1 })
	eventually(t, 10*time.Second, "the pause has ended", func() bool { return w.paused() == "" })
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
}
