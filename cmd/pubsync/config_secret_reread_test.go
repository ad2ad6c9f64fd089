// A secret that was reset is read again from its file.

package main_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A token is reset at the marketplace and written into the file that the env file names. The worker goes
// on without a restart, and shows neither.
func TestAResetTokenIsTakenFromItsFile(t *testing.T) {
	const fresh = "fresh-t0ken-of-the-retailer"
	s := open(t, sandbox.Options{})
	s.set("MARKETPLACE_TOKEN", "")
	write := func(name, text string) {
		t.Helper()
		if err := writeFile(filepath.Join(s.dir, name), text+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	write("token", marketToken)
	write("shop.env", "PUBSYNC_MARKETPLACE_TOKEN_FILE=token")
	w := s.startAs(exec.Command(binary, "run", "--env-file", "shop.env"))
	eventually(t, 15*time.Second, "the worker is ready", w.ready)
	s.market.SetToken(fresh)
	id := s.add(lamp(1))
	w.post("/api/v1/sweep", "{}")
	eventually(t, 10*time.Second, "the worker is paused", func() bool { return w.paused() != "" })
	if r := s.call("status"); !strings.Contains(r.stdout, "token was refused") ||
		strings.Contains(r.stdout, "needs you   nothing\n") {
		t.Errorf("status says %s", r.stdout)
	}
	write("token", fresh)
	// ten seconds lie between two readings
	eventually(t, 25*time.Second, "what came meanwhile is on sale", func() bool {
		if !w.ready() {
			t.Error("the worker does not answer during the change")
		}
		return len(s.reported(id)) == 1
	})
	w.stop()
	if said := w.stderr.String(); !strings.Contains(said, "secrets read again") ||
		strings.Contains(said, marketToken) || strings.Contains(said, fresh) {
		t.Errorf("the log does not say it, or shows a token: %s", tail(said))
	}
}
