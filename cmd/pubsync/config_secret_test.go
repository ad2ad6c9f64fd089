// No secret is printed, logged or served.

package main_test

import (
	"net/http"
	"os"
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
