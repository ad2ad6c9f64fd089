// conform tells an endpoint that keeps the protocol from one that does not.

package main_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// A smallShop is the smallest endpoint that keeps the laws, or one that doubles.
type smallShop struct {
	doubles bool

	mu       sync.Mutex
	next     int
	products map[string]int
}

func (l *smallShop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	say := func(status int, answer any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		if answer != nil {
			_ = json.NewEncoder(w).Encode(answer) //nolint:errcheck // the client may be gone
		}
	}
	id, found := strings.CutPrefix(r.URL.EscapedPath(), "/products/")
	l.mu.Lock()
	defer l.mu.Unlock()
	number, known := l.products[id]
	switch {
	case r.URL.Path == "/health":
		say(http.StatusOK, nil)
	case r.Header.Get("Authorization") != "Bearer "+shopToken:
		say(http.StatusUnauthorized, map[string]string{"title": "you sent " + r.Header.Get("Authorization")})
	case !found, r.Method == http.MethodDelete && !known:
		say(http.StatusNotFound, map[string]string{"title": "nothing here"})
	case r.Method == http.MethodDelete:
		if r.URL.Query().Get("mode") == "delete" {
			delete(l.products, id)
		}
		say(http.StatusNoContent, nil)
	case err != nil || !json.Valid(body):
		say(http.StatusBadRequest, map[string]string{"title": "no product", "detail": "you sent Bearer " + shopToken})
	default:
		if !known || l.doubles {
			l.next++
			number = l.next
			l.products[id] = number
		}
		say(http.StatusOK, map[string]any{"id": number, "url": "https://shop.example/p"})
	}
}

// conforms is a shop behind an address, and the settings that point at it.
func conforms(t *testing.T, shop *smallShop) (dir string, env settings) {
	t.Helper()
	shop.products = map[string]int{}
	server := httptest.NewServer(shop)
	t.Cleanup(server.Close)
	return t.TempDir(), settings{}.with("HTTP_URL", server.URL, "HTTP_TOKEN", shopToken)
}

func TestConform(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		shop *smallShop
		set  []string
		code int
	}{
		{"a good shop, with another adapter chosen", &smallShop{}, []string{"SHOP_ADAPTER", "catalog"}, 0},
		{"a shop that doubles", &smallShop{doubles: true}, nil, 1},
		{"a token that is refused", &smallShop{}, []string{"HTTP_TOKEN", "another-token"}, 4},
		{"nobody there", &smallShop{}, []string{"HTTP_URL", "http://127.0.0.1:1"}, 4},
		{"no address", &smallShop{}, []string{"HTTP_URL", ""}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, env := conforms(t, tt.shop)
			r := call(t, dir, env.with(tt.set...), "conform", "--json")
			if r.code != tt.code || strings.Contains(r.stdout+r.stderr, shopToken) {
				t.Fatalf("exit %d, want %d and no token: %s %s", r.code, tt.code, tail(r.stdout), tail(r.stderr))
			}
			if tt.code == 2 {
				if !strings.Contains(r.stderr, "PUBSYNC_HTTP_URL") {
					t.Errorf("got %s, want PUBSYNC_HTTP_URL in it", r.stderr)
				}
				return
			}
			var said struct {
				Held, Broken, Skipped, Exit int
				Error                       string
				Results                     []struct{ Law, Sentence, Outcome, Reason string }
			}
			r.decode(t, &said)
			if said.Exit != tt.code || (said.Broken > 0) != (tt.code == 1) || (said.Error != "") != (tt.code == 4) ||
				len(said.Results) != said.Held+said.Broken+said.Skipped {
				t.Errorf("got %+v, want exit %d", said, tt.code)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
				t.Errorf("files left: got %v, %v, want none", entries, err)
			}
		})
	}
}

// In words a broken law shows what was sent. The named programs start the shop anew and delete by hand,
// and what they say is told without the token.
func TestConformStartsPrograms(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the programs of this test are shell scripts")
	}
	for _, tt := range []struct {
		flag, script string
		doubles      bool
		code         int
		want         []string
	}{
		{"--restart", "sleep 30 & exit 0", false, 0, []string{"held     restart-without-hint"}},
		{"--restart", "echo no such shop; exit 3", false, 1, []string{"no such shop"}},
		{"--delete-by-hand", "exit 0", true, 1, []string{
			"410 is optional", "broken   idempotent", "> PUT /products/", "< 200 ",
		}},
		{
			"--delete-by-hand", `echo "no listing $1 of $2 for ` + shopToken + `"; exit 3`, false, 1,
			[]string{"no listing", "-deleted-by-hand-deleted for"},
		},
	} {
		t.Run(tt.flag+" "+tt.script, func(t *testing.T) {
			t.Parallel()
			dir, env := conforms(t, &smallShop{doubles: tt.doubles})
			program := filepath.Join(dir, "program")
			if err := os.WriteFile(program, []byte("#!/bin/sh\n"+tt.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			r := call(t, dir, env, "conform", tt.flag, program)
			if r.code != tt.code || strings.Contains(r.stdout+r.stderr, shopToken) {
				t.Errorf("exit %d, want %d and no token: %s", r.code, tt.code, tail(r.stdout))
			}
			for _, want := range tt.want {
				if !strings.Contains(r.stdout, want) {
					t.Errorf("no %q in %s", want, tail(r.stdout))
				}
			}
		})
	}
}
