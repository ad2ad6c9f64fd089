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
	secrets := map[string]string{
		"marketplace token": marketToken, "shop token": shopToken, "webhook secret": hookSecret, "path token": pathToken,
		"admin token": admin,
	}
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
	token := map[string]string{"Authorization": "Bearer " + admin}

	w := s.work("LOG_LEVEL", "debug")
	eventually(t, 15*time.Second, "a few tries", func() bool { return len(s.shop.puts(ids[1])) >= 3 })
	w.hint(`{"data":{}}`)
	w.hook("PUBLICATION_CREATED", "{")
	for _, path := range []string{
		"/", "/metrics", "/api/v1/status", "/api/v1/publications",
		"/api/v1/publications/" + ids[0], "/api/v1/publications/" + ids[1],
	} {
		res, body := w.ask("GET", path, "", token)
		if res.StatusCode != http.StatusOK {
			t.Errorf("GET %s: %s", path, res.Status)
		}
		said["GET "+path] = body
	}
	commands := [][]string{
		{"status"},
		{"status", "--json"},
		{"publications"},
		{"publications", "--json"},
		{"explain", ids[0]},
		{"explain", ids[1], "--json"},
		{"plan", "--json"},
		{"run", "--once", "--json", "--patience", "1s"},
		{"adapters", "http"},
		{"doctor"},
		{"version"},
	}
	for _, args := range commands {
		r := s.call(args...)
		said["beside the worker: "+strings.Join(args, " ")] = r.stdout + r.stderr
	}
	// The marketplace and the shop refuse what they are given.
	s.market.SetToken("another")
	r := s.call("run", "--once", "--json", "--patience", "1s")
	said["a refused token"] = r.stdout + r.stderr
	s.market.SetToken(marketToken)
	w.stop()
	said["the worker"] = w.stdout.String() + w.stderr.String()

	s.shop.rules(always(problem(401, echo)))
	for _, args := range commands {
		r := s.call(args...)
		said["after the worker: "+strings.Join(args, " ")] = r.stdout + r.stderr
	}
	// Addresses with credentials in them, and a shop behind a name that is none.
	for _, pairs := range [][]string{
		{"HTTP_URL", "http://user:" + shopToken + "@127.0.0.1:1"},
		{"MARKETPLACE_URL", "http://user:" + marketToken + "@127.0.0.1:1"},
	} {
		r := s.callWith(pairs, "run", "--once", "--patience", "1s")
		said["credentials in "+pairs[0]] = r.stdout + r.stderr
	}
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
		for name, secret := range secrets {
			if i := strings.Index(text, secret); i >= 0 {
				t.Errorf("%s shows the %s: …%s…", where, name, text[max(0, i-80):min(len(text), i+40)])
			}
		}
	}
	if len(said) < 25 {
		t.Errorf("only %d things were said", len(said))
	}
}
