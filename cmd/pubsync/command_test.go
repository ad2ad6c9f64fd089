package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestEveryCommandThatPrintsDataPrintsOneJSONDocument(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(2)[0]
	s.imported()
	for _, beside := range []bool{false, true} {
		if beside {
			w := s.work()
			w.settles(2)
		}
		for _, args := range [][]string{
			{"run", "--once"},
			{"run", "--once", "--dry-run"},
			{"plan"},
			{"status"},
			{"publications"},
			{"explain", id},
			{"doctor"},
			{"webhook", "list"},
			{"adapters"},
			{"adapters", "http"},
			{"backup"},
			{"version"},
		} {
			if args[0] == "backup" {
				args = append(args, filepath.Join(t.TempDir(), "copy.db"))
			}
			r := s.call(append(args, "--json")...)
			var document any
			if err := oneDocument(r.stdout, &document); err != nil || r.code != 0 {
				t.Errorf("pubsync %s, beside a worker %t: exit %d, %v: %s %s", strings.Join(args, " "), beside, r.code, err,
					tail(r.stdout), tail(r.stderr))
			}
			if args[0] == "backup" {
				args[1] += ".2"
			}
			// Without --json it is for people, and not on standard error.
			if r := s.call(args...); r.code != 0 || strings.TrimSpace(r.stdout) == "" || json.Valid([]byte(r.stdout)) {
				t.Errorf("pubsync %s, beside a worker %t: exit %d, %s", strings.Join(args, " "), beside, r.code, tail(r.stdout))
			}
		}
	}
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		upset func(*site)
		code  int
		check string // the one that fails
	}{
		{"all well", func(*site) {}, 0, ""},
		{"the token is refused", func(s *site) { s.set("MARKETPLACE_TOKEN", "old") }, 3, "token"},
		{"the marketplace is away", func(s *site) { s.set("MARKETPLACE_URL", nobody(s.t)) }, 3, "token"},
		{"the shop's credentials are refused", func(s *site) { s.shop.healthy(401) }, 4, "shop"},
		{"the shop is away", func(s *site) { s.set("HTTP_URL", nobody(s.t)) }, 4, "shop"},
		{"the store is damaged", func(s *site) {
			if err := writeFile(s.env["PUBSYNC_STORE_PATH"], strings.Repeat("x", 9000)); err != nil {
				s.t.Fatal(err)
			}
		}, 5, "store"},
		{"the webhook's address is doubtful", func(s *site) {
			s.set("WEBHOOK_URL", "https://www.shop.example/hooks", "WEBHOOK_LISTEN", freePort(s.t), "WEBHOOK_SECRET", hookSecret)
			if r := s.call("webhook", "register"); r.code != 0 || strings.Count(r.stderr, "is on a www host") != 1 {
				s.t.Errorf("register: exit %d, %s", r.code, r.stderr)
			}
			s.market.Forget() // the doctor writes nothing
			if r := s.call("doctor"); !strings.Contains(r.stdout, "is on a www host") {
				s.t.Errorf("the doctor does not warn: %s", r.stdout)
			}
		}, 0, ""},
		{"a setting is wrong", func(s *site) { s.set("PRICE_BASE", "x") }, 2, "configuration"},
		{"the webhook is not registered", func(s *site) {
			s.set("WEBHOOK_URL", "http://127.0.0.1:1/webhooks", "WEBHOOK_LISTEN", freePort(s.t), "WEBHOOK_SECRET", hookSecret)
		}, 1, "webhook"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			tt.upset(s)
			r := s.call("doctor", "--json")
			var found struct {
				Checks []struct {
					Check, Detail string
					OK            bool
				}
			}
			r.decode(t, &found)
			if r.code != tt.code {
				t.Errorf("exit %d, want %d", r.code, tt.code)
			}
			failed := map[string]string{}
			for _, c := range found.Checks {
				if !c.OK {
					failed[c.Check] = c.Detail
				}
			}
			if (len(failed) > 0) != (tt.code != 0) || tt.check != "" && failed[tt.check] == "" {
				t.Errorf("what fails: %v, want %q among it", failed, tt.check)
			}
			if n := s.market.Totals()[sandbox.KindWebhookCreate].Requests + len(s.shop.requests("")); n != 0 {
				t.Errorf("the doctor wrote %d times", n)
			}
			words := s.call("doctor")
			if lines := strings.Count(strings.TrimSpace(words.stdout), "\n") + 1; words.code != tt.code ||
				lines < len(found.Checks) {
				t.Errorf("in words: exit %d, %d lines for %d checks", words.code, lines, len(found.Checks))
			}
		})
	}
}

// A proxy before the marketplace, or the marketplace itself, appends a slash to every address.
func TestWebhookListAndRegister(t *testing.T) {
	s := open(t, sandbox.Options{KeepCallback: func(address string) string { return address + "/" }})
	address := "http://127.0.0.1:1/webhooks"
	s.set("WEBHOOK_URL", address, "WEBHOOK_LISTEN", freePort(t), "WEBHOOK_SECRET", hookSecret)
	if r := s.call("webhook", "list"); r.code != 0 || strings.Contains(r.stdout, address) {
		t.Errorf("none registered: exit %d, %s", r.code, r.stdout)
	}
	for i := range 3 {
		r := s.call("webhook", "register", "--json")
		var made struct{ Registered bool }
		if r.decode(t, &made); r.code != 0 || made.Registered != (i == 0) {
			t.Errorf("register: exit %d, %s", r.code, r.stdout)
		}
	}
	if hooks := s.market.Webhooks(); len(hooks) != 1 || hooks[0].CallbackURL != address+"/" {
		t.Errorf("registered: %+v", hooks)
	}
	var list struct {
		Webhooks []struct {
			CallbackURL  string
			Active, Ours bool
		}
	}
	r := s.call("webhook", "list", "--json")
	if r.decode(t, &list); r.code != 0 || len(list.Webhooks) != 1 || !list.Webhooks[0].Ours ||
		!list.Webhooks[0].Active {
		t.Errorf("list: exit %d, %s", r.code, r.stdout)
	}
	// One that is made beside it delivers everything twice: the doctor names it, and is content.
	header := map[string]string{"Authorization": "Bearer " + marketToken, "Content-Type": "application/json"}
	res, answer := ask(t, "POST", s.market.URL+"/v1/graphql",
		`{"query":"mutation{webhookCreate(input:{callbackUrl:\"`+address+
			`\",events:[\"PUBLICATION_CREATED\"],active:true}){webhook{id} userErrors{message}}}"}`, header)
	if hooks := s.market.Webhooks(); len(hooks) != 2 {
		t.Fatalf("%s, %s: %+v", res.Status, answer, hooks)
	}
	second := s.market.Webhooks()[1].ID
	if r := s.call("doctor"); r.code != 0 || !strings.Contains(r.stdout, "superfluous") ||
		!strings.Contains(r.stdout, second) {
		t.Errorf("the doctor: exit %d, %s", r.code, r.stdout)
	}
	if r := s.call("webhook", "register"); r.code != 0 || !strings.Contains(r.stdout, second) ||
		len(s.market.Webhooks()) != 2 {
		t.Errorf("register: exit %d, %s", r.code, r.stdout)
	}
}

func TestABackupIsAStore(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(3)
	w := s.work()
	w.settles(3)
	copied := filepath.Join(s.dir, "copy.db")
	if r := s.call("backup", copied); r.code != 0 {
		t.Fatalf("backup beside the worker: exit %d, %s", r.code, r.stderr)
	}
	if r := s.call("backup", copied); r.code == 0 {
		t.Error("a backup was written over")
	}
	w.stop()
	if r := s.call("backup", filepath.Join(s.dir, "another.db")); r.code != 0 {
		t.Errorf("backup without a worker: exit %d, %s", r.code, r.stderr)
	}
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup: %v, %v", info, err)
	}
	s.set("STORE_PATH", copied)
	if lines := s.lines("live"); len(lines) != 3 || lines[ids[0]].Reported != "success" {
		t.Errorf("the backup holds %+v", lines)
	}
	s.shop.forget()
	s.market.Forget()
	if sum := s.imported(); len(s.shop.requests("")) != 0 || len(s.market.Reports()) != 0 {
		t.Errorf("a run with the backup: %+v", sum)
	}
}

func TestTheSandboxIsAMarketplaceForOthers(t *testing.T) {
	t.Parallel()
	address := freePort(t)
	p := launch(t, t.TempDir(), settings{}, "sandbox", "--listen", address, "--restore-rate", "5000", "--publications",
		"12", "--token", marketToken)
	eventually(t, commandBound/4, "it says where it is",
		func() bool { return strings.Contains(p.stdout.String(), "PUBSYNC_MARKETPLACE_URL=http://"+address) })
	dir := t.TempDir()
	sh := openShop(t)
	r := call(t, dir, baseSettings(dir, "http://"+address, sh.server.URL), "run", "--once", "--json", "--patience", "3s")
	var sum summary
	r.decode(t, &sum)
	if sum.Swept != 12 || sum.Created == 0 || sum.Created != len(sh.holds()) {
		t.Errorf("a run on it: %+v", sum)
	}
	p.signal(sigterm)
	if code := p.code(commandBound / 4); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestTheFormOfTheLog(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(1)
	first := func(text string) string {
		l, _, _ := strings.Cut(text, "\n")
		return l
	}
	for format, isJSON := range map[string]bool{"": true, "auto": true, "json": true, "text": false} {
		r := s.callWith([]string{
			"LOG_FORMAT", format, "LOG_LEVEL", "debug", "STORE_PATH",
			filepath.Join(s.dir, "log-"+format+".db"),
		}, "run", "--once")
		if l := first(r.stderr); l == "" || json.Valid([]byte(l)) != isJSON || strings.Contains(r.stderr, "\x1b[") {
			t.Errorf("format %q: %q", format, l)
		}
	}
	if r := s.callWith([]string{"LOG_LEVEL", "error"}, "run", "--once"); r.stderr != "" {
		t.Errorf("at level error: %s", r.stderr)
	}
}
