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

func TestConform(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		shop   *smallShop
		env    []string
		code   int
		broken bool
	}{
		{"a good shop", &smallShop{}, nil, 0, false},
		{"with another adapter chosen", &smallShop{}, []string{"SHOP_ADAPTER", "catalog"}, 0, false},
		{"a shop that doubles", &smallShop{doubles: true}, nil, 1, true},
		{"a token that is refused", &smallShop{}, []string{"HTTP_TOKEN", "another-token"}, 4, false},
		{"an address beside the endpoint's", &smallShop{}, []string{"HTTP_URL", "/else"}, 4, false},
		{"nobody there", &smallShop{}, []string{"HTTP_URL", "http://127.0.0.1:1"}, 4, false},
		{"no address", &smallShop{}, []string{"HTTP_URL", ""}, 2, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.shop.products = map[string]int{}
			server := httptest.NewServer(tt.shop)
			defer server.Close()
			dir := t.TempDir()
			env := settings{}.with("HTTP_URL", server.URL, "HTTP_TOKEN", shopToken).with(tt.env...)
			if tt.env != nil && strings.HasPrefix(tt.env[1], "/") {
				env = env.with("HTTP_URL", server.URL+tt.env[1])
			}
			r := call(t, dir, env, "conform", "--json")
			if r.code != tt.code {
				t.Fatalf("exit %d, want %d: %s %s", r.code, tt.code, tail(r.stdout), tail(r.stderr))
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
			if said.Exit != tt.code {
				t.Errorf("exit as told: got %d, want %d", said.Exit, tt.code)
			}
			if (said.Broken > 0) != tt.broken {
				t.Errorf("broken: got %d, want some: %t", said.Broken, tt.broken)
			}
			if (said.Error != "") != (tt.code == 4) {
				t.Errorf("error: got %q, want one: %t", said.Error, tt.code == 4)
			}
			if got, want := len(said.Results), said.Held+said.Broken+said.Skipped; got != want {
				t.Errorf("results: got %d, want %d", got, want)
			}
			words := call(t, dir, env, "conform")
			if words.code != tt.code ||
				tt.broken &&
					!(strings.Contains(words.stdout, "broken   idempotent") && strings.Contains(words.stdout,
						"> PUT /products/") && strings.Contains(words.stdout, "< 200 ")) {
				t.Errorf("in words: got exit %d: %s, want %d, and what was sent", words.code, words.stdout, tt.code)
			}
			for _, text := range []string{r.stdout, r.stderr, words.stdout, words.stderr} {
				if strings.Contains(text, shopToken) {
					t.Errorf("got the token in %s, want it hidden", tail(text))
				}
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
				t.Errorf("files left: got %v, %v, want none", entries, err)
			}
		})
	}
}

// TestConformStartsTheShopAnew has the named program do so, and what it says is told.
func TestConformStartsTheShopAnew(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the program of this test is a shell script")
	}
	server := httptest.NewServer(&smallShop{products: map[string]int{}})
	defer server.Close()
	dir := t.TempDir()
	env := settings{}.with("HTTP_URL", server.URL, "HTTP_TOKEN", shopToken)
	for script, want := range map[string]string{
		"sleep 30 & exit 0":         "held     restart-without-hint",
		"echo no such shop; exit 3": "no such shop",
	} {
		program := filepath.Join(dir, "restart")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		r := call(t, dir, env, "conform", "--restart", program)
		if !strings.Contains(r.stdout, want) {
			t.Errorf("%s: exit %d: got %s, want %q in it", script, r.code, tail(r.stdout), want)
		}
	}
}

// TestConformDeletesByHand has the named program delete, and what it says is told.
func TestConformDeletesByHand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the program of this test is a shell script")
	}
	server := httptest.NewServer(&smallShop{products: map[string]int{}})
	defer server.Close()
	dir := t.TempDir()
	env := settings{}.with("HTTP_URL", server.URL, "HTTP_TOKEN", shopToken)
	for script, want := range map[string]string{
		"exit 0": "410 is optional",
		`echo "no listing $1 of $2 for ` + shopToken + `"; exit 3`: "no listing",
	} {
		program := filepath.Join(dir, "delete")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		r := call(t, dir, env, "conform", "--delete-by-hand", program)
		_, after, _ := strings.Cut(r.stdout, "deleted-by-hand")
		if broken := script != "exit 0"; (r.code == 1) != broken || !strings.Contains(after, want) ||
			broken && !strings.Contains(after, "-deleted-by-hand-deleted for") {
			t.Errorf("%s: got exit %d: %s, want %q", script, r.code, tail(after), want)
		}
		if strings.Contains(r.stdout+r.stderr, shopToken) {
			t.Errorf("got the token in %s, want it hidden", tail(r.stdout))
		}
	}
}
