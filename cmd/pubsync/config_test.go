// No secret is printed, logged or served, and one that was reset is read again from its file.

package main_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// TestNoSecretIsShownAnywhere runs everything that speaks, with a shop that repeats in its refusals
// what it was sent, and looks for the secrets in all that was said and kept.
func TestNoSecretIsShownAnywhere(t *testing.T) {
	unraced(t)
	const admin = "admin-t0ken-of-the-owner"
	secrets := []string{marketToken, shopToken, hookSecret, pathToken, admin}
	s := open(t, sandbox.Options{})
	ids := s.lamps(4)
	s.set("ADMIN_TOKEN", admin, "LOG_LEVEL", "debug", "WEBHOOK_SECRET", hookSecret, "WEBHOOK_PATH_TOKEN", pathToken)
	echo := "you sent Bearer " + shopToken + " and " + shopToken
	s.shop.rules(func(r shoptest.Call) shoptest.Reply {
		switch string(r.ID) {
		case ids[0]:
			return problem(422, echo)
		case ids[1]:
			return problem(500, echo)
		default:
			return shoptest.Reply{}
		}
	})
	said := map[string]string{}
	run := func(when string, commands ...string) {
		t.Helper()
		for _, command := range commands {
			r := s.call(strings.Fields(command)...)
			said[when+": "+command] = r.stdout + r.stderr
		}
	}
	w := s.work()
	eventually(t, 15*time.Second, "a second try", func() bool { return len(s.shop.requests(shoptest.Publish)) >= 5 })
	ask(t, http.MethodPost, w.hooks+"/webhooks/"+pathToken, `{"data":{}}`, nil)
	w.hook("PUBLICATION_CREATED", "{")
	for _, path := range []string{"/", "/metrics", "/api/v1/status", "/api/v1/publications/" + ids[0]} {
		res, body := w.ask("GET", path, "", map[string]string{"Authorization": "Bearer " + admin})
		if res.StatusCode != http.StatusOK {
			t.Errorf("GET %s: %s", path, res.Status)
		}
		said["GET "+path] = body
	}
	run("beside the worker", "status", "publications --json", "explain "+ids[0], "run --once --json --patience 1s")
	w.stop()
	said["the worker"] = w.stdout.String() + w.stderr.String()

	s.shop.rules(always(problem(401, echo)))
	s.market.SetToken("another")
	run("where both sides refuse", "run --once --json --patience 1s", "doctor")
	s.set("MARKETPLACE_URL", "http://user:"+marketToken+"@127.0.0.1:1")
	s.set("HTTP_URL", "http://user:"+shopToken+"@127.0.0.1:1")
	run("with credentials in the addresses", "doctor")
	files, err := filepath.Glob(filepath.Join(s.dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no store: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		said["the file "+filepath.Base(file)] = string(data)
		if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s may be read by others: %v", file, info.Mode())
		}
	}
	for where, text := range said {
		for _, secret := range secrets {
			if i := strings.Index(text, secret); i >= 0 {
				t.Errorf("%s shows %s: …%s…", where, secret, text[max(0, i-80):min(len(text), i+40)])
			}
		}
	}
}

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
