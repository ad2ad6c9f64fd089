// No secret comes back in what the program says, whatever a server does with what it was sent.

package main_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// echoes are the ways in which a server may throw back what it was sent.
var echoes = map[string]func(http.ResponseWriter, string){
	"refuses the token":   func(w http.ResponseWriter, said string) { problemWith(w, 401, said) },
	"refuses the sender":  func(w http.ResponseWriter, said string) { problemWith(w, 403, said) },
	"refuses the body":    func(w http.ResponseWriter, said string) { problemWith(w, 422, said) },
	"fails":               func(w http.ResponseWriter, said string) { problemWith(w, 500, said) },
	"has a GraphQL error": func(w http.ResponseWriter, said string) { problemWith(w, 200, said) },
	"answers with a page": func(w http.ResponseWriter, said string) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<html><title>%s</title><body><pre>%s</pre>", said, said)
	},
	"redirects": func(w http.ResponseWriter, said string) {
		w.Header().Set("Location", "/login?sent="+strings.NewReplacer("\n", "+", " ", "+").Replace(said))
		w.WriteHeader(http.StatusFound)
	},
}

func problemWith(w http.ResponseWriter, status int, said string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{ //nolint:errcheck // the client has gone
		"code": said, "title": said, "detail": said, "message": said, "error": said, "error_description": said, "data": nil,
		"errors": []any{
			map[string]any{"message": said, "path": []any{said}, "extensions": map[string]any{"code": said}},
		},
	})
}

// echoServer answers every request by what was in it, and by what it says beside: of an answer no more
// than some hundred characters are shown, so that the secrets come first.
func echoServer(t *testing.T, beside string, answer func(http.ResponseWriter, string)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20)) //nolint:errcheck // as much as came
		for _, name := range []string{"vendure-auth-token", "X-Request-Id"} {
			w.Header().Set(name, "session-t0ken-of-the-shop")
		}
		answer(w, fmt.Sprint("you sent ", user, " ", password, " ", r.Header.Get("Authorization"),
			r.Header.Get("X-Shopify-Access-Token"), beside, " ", string(body[max(0, len(body)-80):]), " ", r.URL, r.Header))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A shop of each kind, and a marketplace, throw back what they were sent, as it was and in every form in
// which a server may write it. Nothing of it stands in what a run or the doctor says, or in the store.
func TestNoSecretComesBack(t *testing.T) {
	t.Parallel()
	const canary = `c4nary"of+the&merchant`
	quoted, err := json.Marshal(canary)
	if err != nil {
		t.Fatal(err)
	}
	forms := []string{
		canary, url.QueryEscape(canary), url.PathEscape(canary), html.EscapeString(canary), string(quoted[1 : len(quoted)-1]),
		base64.StdEncoding.EncodeToString([]byte("owner:" + canary)),
		base64.RawURLEncoding.EncodeToString([]byte("me:" + canary + ":x")),
	}
	for name, pairs := range map[string][]string{
		"http":        {"HTTP_URL", "", "HTTP_TOKEN", canary},
		"woocommerce": {"WOOCOMMERCE_URL", "", "WOOCOMMERCE_KEY", "ck_key-of-the-shop", "WOOCOMMERCE_SECRET", canary},
		"shopify":     {"SHOPIFY_URL", "", "SHOPIFY_STORE", "lamps.myshopify.com", "SHOPIFY_TOKEN", canary},
		"vendure":     {"VENDURE_URL", "", "VENDURE_USERNAME", "owner", "VENDURE_PASSWORD", canary},
		"medusa":      {"MEDUSA_URL", "", "MEDUSA_TOKEN", canary, "MEDUSA_STOREFRONT_URL", "https://shop.example/{handle}"},
		"marketplace": {"MARKETPLACE_URL", "", "MARKETPLACE_TOKEN", canary, "SHOP_ADAPTER", "http"},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.lamps(2)
			shown := false
			for i, how := range slices.Sorted(maps.Keys(echoes)) {
				settings := append([]string{"SHOP_ADAPTER", name, "LOG_LEVEL", "debug"}, pairs...)
				settings[slices.Index(settings, "")] = echoServer(t, strings.Join(forms, " "), echoes[how])
				s.set("STORE_PATH", filepath.Join(s.dir, fmt.Sprint(i, ".db")))
				command := []string{"run", "--once", "--json", "--patience", "0s"}
				if i%2 == 1 {
					command = []string{"doctor", "--json"}
				}
				r := s.callWith(settings, command...)
				if i%2 == 0 && r.code == 2 {
					t.Fatalf("%s: exit 2, %s", how, r.stderr)
				}
				all := r.stdout + r.stderr + string(s.storeBytes())
				shown = shown || strings.Contains(all, "you sent")
				for _, form := range append(forms, "12345678session-t0ken1234") {
					if core := form[8 : len(form)-4]; strings.Contains(all, core) {
						t.Errorf("one that %s: %q is shown: %s", how, core, tail(all))
					}
				}
			}
			if !shown {
				t.Error("nothing of what they say is shown")
			}
		})
	}
}
