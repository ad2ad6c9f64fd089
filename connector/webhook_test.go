package connector

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

func signature(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

func TestPointsAt(t *testing.T) {
	for _, tt := range []struct {
		name string
		body string
		want string // p: publications, d: products, l: listings; ? for a body that cannot be read
	}{
		{"publication", `{"data":{"publication":{"id":"p1"}}}`, "p[p1] d[] l[]"},
		{"product", `{"data":{"product":{"id":"d1"}}}`, "p[] d[d1] l[]"},
		{"the product of the publication's listing", `{"data":{"publication":{"listing":{"product":{"id":"d1"}}}}}`, "p[] d[d1] l[]"},
		{"listing", `{"data":{"listing":{"id":"l1"}}}`, "p[] d[] l[l1]"},
		{"the product of a variant", `{"data":{"productVariant":{"product":{"id":"d1"}}}}`, "p[] d[d1] l[]"},
		{"all of them", `{"data":{"publication":{"id":"p1","listing":{"product":{"id":"d2"}}},"product":{"id":"d1"},"listing":{"id":"l1"},
			"productVariant":{"product":{"id":"d3"}}}}`, "p[p1] d[d1 d2 d3] l[l1]"},
		{"one product by three ways", `{"data":{"publication":{"listing":{"product":{"id":"d1"}}},"product":{"id":"d1"},
			"productVariant":{"product":{"id":"d1"}}}}`, "p[] d[d1] l[]"},
		{
			"other things beside", `{"event":"X","data":{"publication":{"id":"p1","status":"success","listing":{"title":"x","variants":[1,{}]}}},"at":1}`,
			"p[p1] d[] l[]",
		},

		{"ids elsewhere are none", `{"id":"x","publication":{"id":"x"},"data":{"id":"x","order":{"id":"x"},"productVariant":{"id":"x"},
			"publication":{"product":{"id":"x"},"listing":{"id":"x"}},"listing":{"product":{"id":"x"}},"product":{"publication":{"id":"x"}}}}`, "p[] d[] l[]"},
		{"nothing", `{}`, "p[] d[] l[]"},
		{"no data", `{"data":{}}`, "p[] d[] l[]"},
		{"null data", `{"data":null}`, "p[] d[] l[]"},
		{"null all the way", `{"data":{"publication":null,"product":{"id":null},"productVariant":{"product":null}}}`, "p[] d[] l[]"},
		{"an empty id", `{"data":{"publication":{"id":""},"product":{"id":"d1"}}}`, "p[] d[d1] l[]"},

		{"a number", `{"data":{"publication":{"id":42}}}`, "p[42] d[] l[]"},
		{"a number too large for any integer", `{"data":{"product":{"id":123456789012345678901234567890}}}`, "p[] d[123456789012345678901234567890] l[]"},
		{"a fraction, as it is written", `{"data":{"product":{"id":1.50}}}`, "p[] d[1.50] l[]"},
		{"an id of another kind", `{"data":{"publication":{"id":true},"product":{"id":["d1"]},"listing":{"id":{"id":"l1"}}}}`, "p[] d[] l[]"},
		{"one that is wrong leaves the others", `{"data":{"publication":{"id":{}},"product":{"id":"d1"},"listing":7}}`, "p[] d[d1] l[]"},
		{"a publication that is a string", `{"data":{"publication":"p1","product":{"id":"d1"}}}`, "p[] d[d1] l[]"},
		{"a publication that is a list", `{"data":{"publication":[{"id":"p1"}],"listing":{"id":"l1"}}}`, "p[] d[] l[l1]"},
		{"any character", `{"data":{"publication":{"id":"gid://x/1?é\n\u0000\"<script>"}}}`, "p[gid://x/1?é\n\x00\"<script>] d[] l[]"},
		{"a long id", `{"data":{"publication":{"id":"` + strings.Repeat("x", maxIdent) + `"}}}`, "p[" + strings.Repeat("x", maxIdent) + "] d[] l[]"},
		{"one that is too long to be an id", `{"data":{"publication":{"id":"` + strings.Repeat("x", maxIdent+1) + `"},"product":{"id":"d1"}}}`, "p[] d[d1] l[]"},
		{"a key twice: the last counts", `{"data":{"publication":{"id":"p1"},"publication":{"id":"p2"}}}`, "p[p2] d[] l[]"},

		{"empty", ``, "?"},
		{"no JSON", `id=p1`, "?"},
		{"cut off", `{"data":{"publication":{"id":"p1"}`, "?"},
		{"two documents", `{"data":{}}{"data":{"publication":{"id":"p1"}}}`, "?"},
		{"a byte order mark", "\ufeff" + `{"data":{"publication":{"id":"p1"}}}`, "?"},
		{"a list", `[{"data":{"publication":{"id":"p1"}}}]`, "?"},
		{"a string", `"p1"`, "?"},
		{"data that is a list", `{"data":[{"publication":{"id":"p1"}}]}`, "?"},
		{"a bomb of lists", strings.Repeat("[", 500_000), "?"},
		{"a bomb of objects", strings.Repeat(`{"data":`, 100_000) + "1" + strings.Repeat("}", 100_000), "?"},
		{"a bomb within an object", `{"data":{"publication":{"id":"p1","listing":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}}}`, "?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := pointsAt([]byte(tt.body))
			got := fmt.Sprintf("p%v d%v l%v", p.publications, p.products, p.listings)
			if !p.readable {
				got = "?"
				if !p.none() {
					t.Errorf("what cannot be read points at %+v", p)
				}
			}
			if got != tt.want {
				t.Errorf("%.300s, want %.300s", got, tt.want)
			}
			if p.none() != (tt.want == "?" || tt.want == "p[] d[] l[]") {
				t.Errorf("points at nothing: %t", p.none())
			}
		})
	}
}

func TestValidSignature(t *testing.T) {
	const secret = "s3cr3t"
	body := []byte(`{"data":{}}`)
	good := signature(secret, body)
	for _, tt := range []struct {
		name, secret, given string
		body                []byte
		want                bool
	}{
		{"as it should be", secret, good, body, true},
		{"in capitals", secret, strings.ToUpper(good), body, true},
		{"with spaces around it", secret, " " + good + "\t", body, true},
		{"none", secret, "", body, false},
		{"of another body", secret, signature(secret, []byte(`{"data":{} }`)), body, false},
		{"of another secret", secret, signature("other", body), body, false},
		{"of an empty body", secret, signature(secret, nil), nil, true},
		{"one bit off", secret, good[:63] + string("0123456789abcdef"[(strings.IndexByte("0123456789abcdef", good[63])+1)%16]), body, false},
		{"cut by one", secret, good[:63], body, false},
		{"cut by two", secret, good[:62], body, false},
		{"longer by two", secret, good + "00", body, false},
		{"the start alone", secret, good[:8], body, false},
		{"no hex", secret, strings.Repeat("g", 64), body, false},
		{"with a scheme before it", secret, "sha256=" + good, body, false},
		{"in base64", secret, base64.StdEncoding.EncodeToString([]byte(good)[:32]), body, false},
		{"no secret, and its signature", "", signature("", body), body, false},
		{"no secret, and none", "", "", body, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := validSignature(tt.secret, tt.body, tt.given); got != tt.want {
				t.Errorf("%q: %t, want %t", tt.given, got, tt.want)
			}
		})
	}
}

func FuzzPointsAt(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `[]`, `{"data":{"publication":{"id":"p1","listing":{"product":{"id":7}}},"product":{"id":"d1"}}}`,
		`{"data":{"listing":{"id":null},"productVariant":{"product":{"id":1e999}}}}`, `{"DATA":{"Product":{"ID":"x"}}}`, `{"data":{"product":{"id":"\ud800"}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p := pointsAt(body)
		if len(p.publications) > 1 || len(p.products) > 3 || len(p.listings) > 1 {
			t.Errorf("%d publications, %d products, %d listings", len(p.publications), len(p.products), len(p.listings))
		}
		for _, ids := range [][]string{p.publications, p.products, p.listings} {
			seen := map[string]bool{}
			for _, id := range ids {
				if id == "" || len(id) > maxIdent || seen[id] {
					t.Errorf("%q among %q", id, ids)
				}
				seen[id] = true
			}
		}
		if !p.readable && !p.none() {
			t.Errorf("what cannot be read points at %+v", p)
		}
	})
}

func FuzzSignature(f *testing.F) {
	body := []byte(`{"data":{}}`)
	f.Add("secret", body, signature("secret", body))
	f.Add("secret", body, strings.ToUpper(signature("secret", body)))
	f.Add("", body, signature("", body))
	f.Add("secret", []byte(nil), "")
	f.Fuzz(func(t *testing.T, secret string, body []byte, given string) {
		want := secret != "" && strings.EqualFold(strings.TrimSpace(given), signature(secret, body))
		if got := validSignature(secret, body, given); got != want {
			t.Errorf("secret %q, body %q, signature %q: %t, want %t", secret, body, given, got, want)
		}
	})
}

// A delivery is one request to the webhook listener.
type delivery struct {
	method, path string
	body         string
	sign         string // the secret to sign with; "" for no signature
	event        string
}

func (p delivery) request() *http.Request {
	r := httptest.NewRequest(p.method, p.path, strings.NewReader(p.body))
	if p.sign != "" {
		r.Header.Set("X-Service-Signature", signature(p.sign, []byte(p.body)))
	}
	r.Header.Set("X-Service-Event", p.event)
	return r
}

func deliver(c *Connector, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	c.WebhookHandler().ServeHTTP(w, r)
	return w
}

const hookBody = `{"data":{"publication":{"id":"p1"}}}`

// TestWebhookHandler holds the listener to its answers: a refused delivery counts against the registration, and one that is acknowledged is
// on disk.
func TestWebhookHandler(t *testing.T) {
	full := strings.Repeat(" ", maxWebhookBody-len(hookBody)) + hookBody
	for _, tt := range []struct {
		name string
		sent delivery
		code int
		mark string // of p1: its causes; "" for none
	}{
		{"signed", delivery{"POST", "/webhooks", hookBody, "secret", "PUBLICATION_CREATED"}, 204, "signed"},
		{"signed, of an event that nobody knows", delivery{"POST", "/webhooks", hookBody, "secret", "MOON_ROSE"}, 204, "signed"},
		{"signed, without the name of an event", delivery{"POST", "/webhooks", hookBody, "secret", ""}, 204, "signed"},
		{"signed, unreadable", delivery{"POST", "/webhooks", `<xml>`, "secret", ""}, 204, ""},
		{"signed, empty", delivery{"POST", "/webhooks", ``, "secret", ""}, 204, ""},
		{"signed, naming nothing", delivery{"POST", "/webhooks", `{"data":{"order":{"id":"o1"}}}`, "secret", ""}, 204, ""},
		{"signed, as large as it may be", delivery{"POST", "/webhooks", full, "secret", ""}, 204, "signed"},
		{"signed, larger by one", delivery{"POST", "/webhooks", full + " ", "secret", ""}, 413, ""},
		{"larger by one, and not signed", delivery{"POST", "/webhooks", full + " ", "", ""}, 413, ""},
		{"not signed", delivery{"POST", "/webhooks", hookBody, "", ""}, 401, ""},
		{"signed with another secret", delivery{"POST", "/webhooks", hookBody, "guess", ""}, 401, ""},
		{"signed with the path token", delivery{"POST", "/webhooks", hookBody, "path-token", ""}, 401, ""},
		{"path token, nothing known is named", delivery{"POST", "/webhooks/path-token", hookBody, "", ""}, 204, ""},
		{"path token, unreadable", delivery{"POST", "/webhooks/path-token", `x`, "", ""}, 204, ""},
		{"path token, too large", delivery{"POST", "/webhooks/path-token", full + " ", "", ""}, 413, ""},
		{"another path token", delivery{"POST", "/webhooks/guess", hookBody, "", ""}, 404, ""},
		{"a path token cut short", delivery{"POST", "/webhooks/path-toke", hookBody, "", ""}, 404, ""},
		{"a longer path token", delivery{"POST", "/webhooks/path-token/", hookBody, "", ""}, 404, ""},
		{"no path token", delivery{"POST", "/webhooks/", hookBody, "", ""}, 404, ""},
		{"the secret as path token", delivery{"POST", "/webhooks/secret", hookBody, "", ""}, 404, ""},
		{"another path token, signed", delivery{"POST", "/webhooks/guess", hookBody, "secret", ""}, 404, ""},
		{"another path", delivery{"POST", "/", hookBody, "secret", ""}, 404, ""},
		{"a path that begins alike", delivery{"POST", "/webhooksx", hookBody, "secret", ""}, 404, ""},
		{"GET", delivery{"GET", "/webhooks", "", "", ""}, 405, ""},
		{"PUT, signed", delivery{"PUT", "/webhooks", hookBody, "secret", ""}, 405, ""},
		{"GET with the path token", delivery{"GET", "/webhooks/path-token", "", "", ""}, 405, ""},
		{"GET with another, which must look as if nothing were there", delivery{"GET", "/webhooks/guess", "", "", ""}, 404, ""},
		{"HEAD", delivery{"HEAD", "/webhooks", "", "", ""}, 405, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, sandbox.Options{})
			w := deliver(b.connector(), tt.sent.request())
			if w.Code != tt.code {
				t.Errorf("%d, want %d: %s", w.Code, tt.code, w.Body)
			}
			if allow := w.Header().Get("Allow"); (allow == "POST") != (tt.code == 405) {
				t.Errorf("%d allows %q", w.Code, allow)
			}
			if w.Code == 204 && w.Body.Len() > 0 {
				t.Errorf("a body in a 204: %s", w.Body)
			}
			for _, secret := range []string{"secret", "path-token"} {
				if strings.Contains(w.Body.String(), secret) {
					t.Errorf("the answer tells the %s: %s", secret, w.Body)
				}
			}
			if got := causesOf(t, b.store, "p1"); got != tt.mark {
				t.Errorf("p1 is due for %q, want %q", got, tt.mark)
			}
		})
	}
}

// causesOf is why a publication is due.
func causesOf(t *testing.T, s *store.Store, id string) string {
	t.Helper()
	m, ok, err := s.MarkOf(id)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case !ok:
		return ""
	case m.Cause == store.CauseSigned && m.Class == store.ClassHook:
		return "signed"
	case m.Cause == store.CauseUnsigned && m.Class == store.ClassHint:
		return "unsigned"
	}
	return fmt.Sprintf("%+v", m)
}

func TestWebhookListenerSettings(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  WebhookOptions
		sent delivery
		code int
	}{
		{
			"no secret, and one is signed with none",
			WebhookOptions{Prefix: "X-Service", PathToken: "path-token"},
			delivery{"POST", "/webhooks", hookBody, "", ""},
			404,
		},
		{"no path token, and none is given", WebhookOptions{Prefix: "X-Service", Secret: "secret"}, delivery{"POST", "/webhooks/", hookBody, "", ""}, 404},
		{"neither", WebhookOptions{Prefix: "X-Service"}, delivery{"POST", "/webhooks", hookBody, "secret", ""}, 404},
		{"another prefix", WebhookOptions{Prefix: "X-Market", Secret: "secret"}, delivery{"POST", "/webhooks", hookBody, "secret", ""}, 401},
		{"a prefix in small letters", WebhookOptions{Prefix: "x-service", Secret: "secret"}, delivery{"POST", "/webhooks", hookBody, "secret", ""}, 204},
		{
			"a path token that has to be escaped",
			WebhookOptions{Prefix: "X-Service", PathToken: "a/b c%"},
			delivery{"POST", "/webhooks/a%2Fb%20c%25", hookBody, "", ""},
			204,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, sandbox.Options{})
			b.tune = func(o *Options) { o.Webhook = tt.set }
			if w := deliver(b.connector(), tt.sent.request()); w.Code != tt.code {
				t.Errorf("%d, want %d: %s", w.Code, tt.code, w.Body)
			}
		})
	}
}

// A store that cannot be written is the one thing for which the marketplace is asked to come again.
func TestWebhookStoreClosed(t *testing.T) {
	for _, p := range []delivery{
		{"POST", "/webhooks", hookBody, "secret", ""},
		{"POST", "/webhooks/path-token", hookBody, "", ""},
	} {
		b := newBench(t, sandbox.Options{})
		c := b.connector()
		if err := b.store.Close(); err != nil {
			t.Fatal(err)
		}
		w := deliver(c, p.request())
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %d, Retry-After %q", p.path, w.Code, w.Header().Get("Retry-After"))
		}
		if got := w.Body.String(); strings.Contains(got, "pubsync.db") || strings.Contains(got, "bolt") {
			t.Errorf("%s: the answer tells of the store: %s", p.path, got)
		}
		forged := p
		forged.sign, forged.path = "guess", "/webhooks"
		if w := deliver(c, forged.request()); w.Code != http.StatusUnauthorized {
			t.Errorf("forged: %d, and the store is not its business", w.Code)
		}
	}
}

// What an unsigned body names is looked at only when it is known; by its product, its listing or its own id.
func TestWebhookNamesWhatIsKnown(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       []string // due for it
		sweeps     bool
	}{
		{"publication", `{"data":{"publication":{"id":"p1"}}}`, []string{"p1"}, false},
		{"product of two", `{"data":{"product":{"id":"d1"}}}`, []string{"p1", "p2"}, false},
		{"product of a variant", `{"data":{"productVariant":{"product":{"id":"d2"}}}}`, []string{"p3"}, false},
		{"listing", `{"data":{"listing":{"id":"l2"}}}`, []string{"p2"}, false},
		{"publication and product", `{"data":{"publication":{"id":"p3"},"product":{"id":"d1"}}}`, []string{"p1", "p2", "p3"}, false},
		{"unknown beside known", `{"data":{"publication":{"id":"p9"},"product":{"id":"d2"}}}`, []string{"p3"}, false},
		{"nothing known", `{"data":{"publication":{"id":"p9"},"product":{"id":"d9"},"listing":{"id":"l9"}}}`, nil, true},
		{"a part of an id", `{"data":{"product":{"id":"d"},"listing":{"id":"l"}}}`, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, sandbox.Options{})
			for i, product := range []string{"d1", "d1", "d2"} {
				id := fmt.Sprint("p", i+1)
				if _, err := b.store.Settle(store.Settlement{Record: store.Record{
					ID: id, State: string(StateLive), OnSale: true, Product: product, Listing: fmt.Sprint("l", i+1),
				}}); err != nil {
					t.Fatal(err)
				}
			}
			c := b.connector()
			if w := deliver(c, delivery{"POST", "/webhooks/path-token", tt.body, "", ""}.request()); w.Code != 204 {
				t.Fatalf("%d: %s", w.Code, w.Body)
			}
			var due []string
			for _, id := range []string{"p1", "p2", "p3", "p9"} {
				switch causesOf(t, b.store, id) {
				case "":
				case "unsigned":
					due = append(due, id)
				default:
					t.Errorf("%s is due for %s", id, causesOf(t, b.store, id))
				}
			}
			if diff := cmp.Diff(tt.want, due); diff != "" {
				t.Errorf("due (-want +got):\n%s", diff)
			}
			if got := c.queue.hinted(); got != tt.sweeps {
				t.Errorf("asks for a light sweep: %t, want %t", got, tt.sweeps)
			}
			if full, hint, ok := c.queue.take(false); ok {
				t.Errorf("leads to a sweep that its budget does not allow: full %t, hint %t", full, hint)
			}
		})
	}
}

// A sender that breaks off is answered, to nobody, and leaves nothing behind.
func TestWebhookCutOff(t *testing.T) {
	b := newBench(t, sandbox.Options{})
	body := io.MultiReader(strings.NewReader(hookBody), broken{})
	r := httptest.NewRequest(http.MethodPost, "/webhooks/path-token", body)
	if w := deliver(b.connector(), r); w.Code/100 == 2 {
		t.Errorf("half a body is acknowledged with %d", w.Code)
	}
	if got := causesOf(t, b.store, "p1"); got != "" {
		t.Errorf("half a body makes p1 due for %s", got)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

// The same webhook a thousand times, and from many senders at once, is one look.
func TestWebhookBurst(t *testing.T) {
	b := newBench(t, sandbox.Options{})
	c := b.connector()
	codes := make(chan int)
	for range 8 {
		go func() {
			for range 25 {
				codes <- deliver(c, delivery{"POST", "/webhooks", hookBody, "secret", "PUBLICATION_CREATED"}.request()).Code
			}
		}()
	}
	for range 200 {
		if code := <-codes; code != 204 {
			t.Errorf("%d", code)
		}
	}
	if got := causesOf(t, b.store, "p1"); got != "signed" {
		t.Errorf("p1 is due for %q", got)
	}
	now := time.Now()
	every := func(store.Class) bool { return true }
	m, ok, err := b.store.Due(now, every, func(string) bool { return false })
	if err != nil || !ok || m.ID != "p1" {
		t.Fatalf("due: %+v, %t, %v", m, ok, err)
	}
	if m, ok, err := b.store.Due(now, every, func(id string) bool { return id == "p1" }); err != nil || ok {
		t.Errorf("due beside it: %+v, %v", m, err)
	}
}

func FuzzWebhookHandler(f *testing.F) {
	f.Add("/webhooks", []byte(hookBody), true)
	f.Add("/webhooks/path-token", []byte(`{"data":{"product":{"id":"\u0000"}}}`), false)
	f.Add("/webhooks/guess", []byte(`{`), false)
	f.Fuzz(func(t *testing.T, path string, body []byte, signed bool) {
		if len(body) > maxWebhookBody || strings.ContainsAny(path, " \t\r\n\x00%?#") || !strings.HasPrefix(path, "/") {
			t.Skip("no request that a server would hand on")
		}
		b := newBench(t, sandbox.Options{})
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		r.URL.Path = path
		if signed {
			r.Header.Set("X-Service-Signature", signature("secret", body))
		}
		want := http.StatusNotFound
		switch {
		case path == "/webhooks/path-token", path == "/webhooks" && signed:
			want = http.StatusNoContent
		case path == "/webhooks":
			want = http.StatusUnauthorized
		}
		if w := deliver(b.connector(), r); w.Code != want {
			t.Errorf("%s with %q: %d, want %d", path, body, w.Code, want)
		}
	})
}
