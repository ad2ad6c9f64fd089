// No secret comes back that another side repeats, in whatever form.

package main_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// echoes are the ways in which a server may throw back what it was sent.
var echoes = map[string]func(http.ResponseWriter, string){
	"refuses the token":  func(w http.ResponseWriter, said string) { problemWith(w, http.StatusUnauthorized, said) },
	"refuses the sender": func(w http.ResponseWriter, said string) { problemWith(w, http.StatusForbidden, said) },
	"refuses the body": func(w http.ResponseWriter,
		said string,
	) {
		problemWith(w, http.StatusUnprocessableEntity, said)
	},
	"fails": func(w http.ResponseWriter,
		said string,
	) {
		problemWith(w, http.StatusInternalServerError, said)
	},
	"has a GraphQL error": func(w http.ResponseWriter, said string) { problemWith(w, http.StatusOK, said) },
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

// echoServer answers every request by what was in it: its credentials, the end of its body, its
// address and its headers.
func echoServer(t *testing.T, answer func(http.ResponseWriter, string)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20)) //nolint:errcheck // as much as came
		// The secrets first: no more than some hundred characters of an answer are shown.
		said := fmt.Sprint(
			user,
			" ",
			password,
			" ",
			r.Header.Get("Authorization"),
			r.Header.Get("X-Shopify-Access-Token"),
			" ",
			string(body[max(0, len(body)-80):]),
			" ",
			r.URL,
			" ",
			r.Header,
		)
		for _, name := range []string{"vendure-auth-token", "X-Request-Id"} {
			w.Header().Set(name, "session-t0ken-of-the-shop")
		}
		answer(w, strings.TrimSpace(said))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestNoSecretComesBack has a shop of each kind, and a marketplace, throw back what they are sent,
// in all that the program says and keeps.
func TestNoSecretComesBack(t *testing.T) {
	t.Parallel()
	const canary = "c4nary/of+the=merchant"
	shops := map[string]func(at string) []string{
		"http": func(at string) []string { return []string{"HTTP_URL", at, "HTTP_TOKEN", canary} },
		"woocommerce": func(at string) []string {
			return []string{
				"WOOCOMMERCE_URL",
				at,
				"WOOCOMMERCE_KEY",
				"ck_" + canary,
				"WOOCOMMERCE_SECRET",
				"cs_" + canary,
			}
		},
		"shopify": func(at string) []string {
			return []string{
				"SHOPIFY_STORE",
				"lamps.myshopify.com",
				"SHOPIFY_URL",
				at,
				"SHOPIFY_TOKEN",
				"shpat_" + canary,
			}
		},
		"vendure": func(at string) []string {
			return []string{"VENDURE_URL", at, "VENDURE_USERNAME", "owner", "VENDURE_PASSWORD", canary}
		},
		"medusa": func(at string) []string {
			return []string{
				"MEDUSA_URL",
				at,
				"MEDUSA_TOKEN",
				canary,
				"MEDUSA_STOREFRONT_URL",
				"https://shop.example/{handle}",
			}
		},
		"marketplace": func(at string) []string {
			return []string{"SHOP_ADAPTER", "http", "MARKETPLACE_URL", at, "MARKETPLACE_TOKEN", canary}
		},
	}
	for name, settings := range shops {
		t.Run(name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.lamps(2)
			for how, answer := range echoes {
				s.env["PUBSYNC_STORE_PATH"] = filepath.Join(t.TempDir(), "pubsync.db")
				pairs := append(
					[]string{"SHOP_ADAPTER", name, "LOG_LEVEL", "debug"},
					settings(echoServer(t, answer))...)
				commands := [][]string{{"run", "--once", "--json", "--patience", "0s"}, {"doctor", "--json"}}
				said := ""
				for _, args := range commands {
					r := s.callWith(pairs, args...)
					if args[0] == "run" && r.code == 2 {
						t.Fatalf("%s: exit 2, %s", how, r.stderr)
					}
					said += r.stdout + r.stderr
				}
				if kept, err := os.ReadFile(s.env["PUBSYNC_STORE_PATH"]); err == nil {
					said += string(kept)
				}
				for _, secret := range []string{
					canary, "c4nary", base64.StdEncoding.EncodeToString([]byte(canary)),
					"session-t0ken",
				} {
					if i := strings.Index(said, secret); i >= 0 {
						t.Errorf("one that %s is shown: …%s…", how, said[max(0, i-100):min(len(said), i+60)])
					}
				}
			}
		})
	}
}

// TestNoSecretComesBackInAnotherForm has them throw back the secrets escaped, and in base64 with a
// user's name before them.
func TestNoSecretComesBackInAnotherForm(t *testing.T) {
	t.Parallel()
	const canary = `c4nary"of+the&merchant`
	quoted, err := json.Marshal(canary)
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]string{
		"a query": url.QueryEscape(
			canary,
		), "a path": url.PathEscape(canary), "HTML": html.EscapeString(canary), "JSON": string(quoted[1 : len(quoted)-1]),
		"base64": base64.StdEncoding.EncodeToString(
			[]byte("owner:" + canary),
		), "base64url": base64.RawURLEncoding.EncodeToString([]byte("me:" + canary + ":x")),
	}
	said := "you sent"
	for _, form := range forms {
		said += " " + form
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
			s.lamps(1)
			at := echoServer(
				t,
				func(w http.ResponseWriter, _ string) { problemWith(w, http.StatusUnprocessableEntity, said) },
			)
			settings := append([]string{"SHOP_ADAPTER", name, "LOG_LEVEL", "debug"}, pairs...)
			settings[slices.Index(settings, "")] = at
			r := s.callWith(settings, "run", "--once", "--json", "--patience", "0s")
			if r.code == 2 {
				t.Fatalf("exit 2, %s", r.stderr)
			}
			all := r.stdout + r.stderr + string(s.storeBytes())
			if !strings.Contains(all, "you sent") {
				t.Errorf("nothing of what it says is shown: %s", all)
			}
			for form, text := range forms {
				if core := text[8 : len(text)-4]; strings.Contains(all, core) {
					t.Errorf("%s is shown", form)
				}
			}
		})
	}
}
