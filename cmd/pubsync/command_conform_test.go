// conform tells an endpoint that keeps the protocol from one that does not.

package main_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
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

// Each row is a shop and what is set: the exit code, and what is said. The token is shown nowhere.
func TestConform(t *testing.T) {
	unraced(t)
	t.Parallel()
	for _, tt := range []struct {
		name    string
		doubles bool
		set     []string
		code    int
		want    []string
	}{
		{
			"a good shop, with another adapter chosen", false,
			[]string{"SHOP_ADAPTER", "catalog"},
			0,
			[]string{"held     restart-without-hint"},
		},
		{"a shop that doubles", true, nil, 1, []string{"broken   idempotent", "> PUT /products/", "< 200 "}},
		{name: "a token that is refused", set: []string{"HTTP_TOKEN", "another-token"}, code: 4},
		{name: "nobody there", set: []string{"HTTP_URL", "http://127.0.0.1:1"}, code: 4},
		{name: "no address", set: []string{"HTTP_URL", ""}, code: 2, want: []string{"PUBSYNC_HTTP_URL"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(&smallShop{doubles: tt.doubles, products: map[string]int{}})
			t.Cleanup(server.Close)
			dir, args := t.TempDir(), []string{"conform"}
			if tt.code == 4 {
				args = append(args, "--json")
			}
			env := settings{}.with("HTTP_URL", server.URL, "HTTP_TOKEN", shopToken).with(tt.set...)
			r := call(t, dir, env, args...)
			if r.code != tt.code || strings.Contains(r.stdout+r.stderr, shopToken) {
				t.Fatalf("exit %d, want %d and no token: %s %s", r.code, tt.code, tail(r.stdout), tail(r.stderr))
			}
			for _, want := range tt.want {
				if !strings.Contains(r.stdout+r.stderr, want) {
					t.Errorf("no %q in %s", want, tail(r.stdout))
				}
			}
			if tt.code == 4 {
				var said struct {
					Held, Broken, Skipped, Exit int
					Error                       string
					Results                     []struct{ Law, Sentence, Outcome, Reason string }
				}
				r.decode(t, &said)
				if said.Exit != 4 || said.Error == "" || len(said.Results) != said.Held+said.Broken+said.Skipped {
					t.Errorf("got %+v, want exit 4", said)
				}
			}
		})
	}
}
