// What the README says is so.

package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// The prices of the README's first configuration are those that the supplier recommends to
// consumers.
func TestTheReadmesFiveMinutesSellAtTheRecommendedPrice(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	settings := regexp.MustCompile(`(?m)^ *PUBSYNC_(PRICE_[A-Z_]+)=(.*)$`).FindAllStringSubmatch(string(data), -1)
	if len(settings) < 2 {
		t.Fatalf("the README's settings of prices: %v", settings)
	}
	for _, m := range settings {
		s.set(m[1], m[2])
	}
	l := lamp(1)
	for i := range l.Variants {
		l.Variants[i].Cost, l.Variants[i].MSRP = "7.50", "17.95"
	}
	id := s.add(l)
	s.imported()
	if got := s.prices(id); !slices.Equal(got, []string{"17.95", "17.95"}) {
		t.Errorf("sold for %v, want what the supplier recommends, 17.95", got)
	}
	if r := s.call("explain", id); !strings.Contains(r.stdout, "the msrp includes VAT and is not taxed again") {
		t.Errorf("explain does not tell the sum: %s", r.stdout)
	}
}

// TestTheReadmesCommandsExist runs every command that the pages show, with a publication's id for
// ID, a file for FILE, a name for NAME and a folder for DIR.
func TestTheReadmesCommandsExist(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	id := s.lamps(1)[0]
	s.imported()
	var shown strings.Builder
	for _, page := range documents(t) {
		if page == guide {
			continue // its commands are followed in the order of the page
		}
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		shown.Write(data)
	}
	if err := writeFile(filepath.Join(s.dir, "pubsync.env"), "PUBSYNC_STOCK_BUFFER=0\n"); err != nil {
		t.Fatal(err)
	}
	commands := map[string]bool{}
	for _, m := range regexp.MustCompile("`pubsync ([a-z][^`]*)`").FindAllStringSubmatch(shown.String(), -1) {
		commands[strings.TrimSuffix(m[1], "…")] = true
	}
	if len(commands) < 10 {
		t.Fatalf("the pages show only %v", commands)
	}
	playground := openPlayground(t, "--listen", freePort(t))
	for command := range commands {
		args := strings.Fields(command)
		for i, a := range args {
			switch a {
			case "ID":
				args[i] = id
			case "FILE":
				args[i] = filepath.Join(s.dir, "copy.db")
			case "NAME":
				args[i] = "tea"
			case "DIR":
				args[i] = filepath.Join(s.dir, "tea")
			}
		}
		t.Run(command, func(t *testing.T) {
			switch {
			case len(args) > 1 && args[1] == "do":
				args = append(args, "--at", playground.address)
			case args[0] == "sandbox":
				args = append(args, "--listen", freePort(t))
			}
			if long := slices.Contains([]string{"run", "demo", "sandbox"}, args[0]) && !slices.Contains(args, "--once") &&
				!slices.Contains(args, "do"); long {
				own := filepath.Join(t.TempDir(), "own.db")
				p := launch(t, s.dir, s.env.with("STORE_PATH", own, "ADMIN_LISTEN", freePort(t)), args...)
				eventually(t, 20*time.Second, "it says something",
					func() bool { return p.stdout.String()+p.stderr.String() != "" })
				throughout(t, time.Second, "it runs: "+p.stderr.String(), p.running)
				p.signal(sigterm)
				if code := p.code(commandBound); code != 0 {
					t.Errorf("exit %d: %s", code, p.stderr.String())
				}
				return
			}
			r := call(t, s.dir, s.env, args...)
			known := r.code == 0 || args[0] == "store" && strings.Contains(r.stderr, "no store at")
			if !known {
				t.Errorf("exit %d: %s %s", r.code, r.stdout, r.stderr)
			}
		})
	}
}
