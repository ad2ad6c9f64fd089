package listener

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	deliveries "github.com/pubsync/pubsync/connector/internal/delivery"
	"github.com/pubsync/pubsync/connector/quota"
	"github.com/pubsync/pubsync/store"
)

// An inbox keeps marks as the store does, and knows some publications.
type inbox struct {
	mu    sync.Mutex
	known []string
	marks map[string]store.Mark

	products map[string]string // product -> publication
}

func (i *inbox) Resolve(ctx context.Context, publications, products, _ []string) (ids []string, err error) {
	for _, product := range products {
		if id, ok := i.products[product]; ok {
			ids = append(ids, id)
		}
	}
	for _, id := range publications {
		if slices.Contains(i.known, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (i *inbox) Mark(ctx context.Context, marks ...store.Mark) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, m := range marks {
		i.marks[m.ID] = m
	}
	return nil
}

// cause is the kind of webhook for which a publication is due, "" for none.
func (i *inbox) cause(id string) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch m, ok := i.marks[id]; {
	case !ok:
		return ""
	case m.Cause == store.CauseSigned && m.Class == store.ClassHook:
		return "signed"
	case m.Cause == store.CauseSigned && m.Class == store.ClassSweep:
		return "signed, of its product"
	case m.Cause == store.CauseUnsigned && m.Class == store.ClassHint:
		return "unsigned"
	default:
		return fmt.Sprintf("%+v", m)
	}
}

// A receiver is a Webhooks that remembers its effects.
type receiver struct {
	*Webhooks
	inbox   *inbox
	mu      sync.Mutex
	counted map[string]int
	sweeps  int // asked for
	awaited map[string]string
}

func newReceiver(tune ...func(*Options)) *receiver {
	rc := &receiver{
		inbox:   &inbox{marks: map[string]store.Mark{}},
		counted: map[string]int{},
		awaited: map[string]string{},
	}
	o := Options{
		Prefix: "X-Service", Secrets: func() (secrets []string, pathToken string) { return []string{"secret"}, "path-token" },
		Inbox: rc.inbox, Marked: func() {}, Gaps: quota.NewGaps(), InboxFailed: func(error) {},
		Log:      slog.New(slog.DiscardHandler),
		Refusals: NewRefusals(slog.New(slog.DiscardHandler)),
		AskSweep: func() {
			rc.mu.Lock()
			defer rc.mu.Unlock()
			rc.sweeps++
		},
		Announce: func(id, updatedAt string) {
			rc.mu.Lock()
			defer rc.mu.Unlock()
			rc.awaited[id] = updatedAt
		},
		Count: func(result string) {
			rc.mu.Lock()
			defer rc.mu.Unlock()
			rc.counted[result]++
		},
	}
	for _, t := range tune {
		t(&o)
	}
	rc.Webhooks = NewWebhooks(o)
	return rc
}

func (rc *receiver) deliver(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	rc.ServeHTTP(w, r)
	return w
}

// A delivery is one request to the webhook listener.
type delivery struct {
	method, path string
	body         string
	sign         string // the secret to sign with; "" for no signature
	event        string
}

func (p delivery) request() *http.Request {
	return deliveries.Of(p.method, p.path, p.body, p.sign, p.event)
}

const hookBody = `{"data":{"publication":{"id":"p1"}}}`

// TestWebhookHandler holds the listener to its answers: a refused delivery counts against the
// registration, and one that is acknowledged is on disk.
func TestWebhookHandler(t *testing.T) {
	full := strings.Repeat(" ", maxSignedBody-len(hookBody)) + hookBody
	for _, tt := range []struct {
		name string
		sent delivery
		code int
		mark string // of p1: its causes; "" for none
	}{
		{"signed", delivery{"POST", "/webhooks", hookBody, "secret", "PUBLICATION_CREATED"}, 204, "signed"},
		{
			"signed, of an event that nobody knows",
			delivery{"POST", "/webhooks", hookBody, "secret", "MOON_ROSE"},
			204,
			"signed",
		},
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
		{"path token, larger than is parsed", delivery{"POST", "/webhooks/path-token", full + " ", "", ""}, 204, ""},
		{
			"path token, larger by one than is parsed",
			delivery{"POST", "/webhooks/path-token", full[len(full)-maxHintBody-1:], "", ""},
			204, "",
		},
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
		{
			"GET with another, which must look as if nothing were there",
			delivery{"GET", "/webhooks/guess", "", "", ""},
			404,
			"",
		},
		{"HEAD", delivery{"HEAD", "/webhooks", "", "", ""}, 405, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rc := newReceiver()
			w := rc.deliver(tt.sent.request())
			if w.Code != tt.code {
				t.Errorf("%d, want %d: %s", w.Code, tt.code, w.Body)
			}
			if allow := w.Header().Get("Allow"); (allow == "POST") != (tt.code == 405) {
				t.Errorf("got Allow %q with %d, want POST with 405 alone", allow, w.Code)
			}
			if w.Code == 204 && w.Body.Len() > 0 {
				t.Errorf("got a body in a 204: %s, want none", w.Body)
			}
			for _, secret := range []string{"secret", "path-token"} {
				if strings.Contains(w.Body.String(), secret) {
					t.Errorf("got the %s in the answer: %s, want no secret", secret, w.Body)
				}
			}
			if got := rc.inbox.cause("p1"); got != tt.mark {
				t.Errorf("p1 is due for %q, want %q", got, tt.mark)
			}
		})
	}
}

func TestWebhookListenerSettings(t *testing.T) {
	for _, tt := range []struct {
		name, prefix, secret, token string
		sent                        delivery
		code                        int
	}{
		{
			"no secret, and one is signed with none",
			"X-Service", "", "path-token",
			delivery{"POST", "/webhooks", hookBody, "", ""},
			404,
		},
		{
			"no path token, and none is given", "X-Service", "secret", "",
			delivery{"POST", "/webhooks/", hookBody, "", ""},
			404,
		},
		{"neither", "X-Service", "", "", delivery{"POST", "/webhooks", hookBody, "secret", ""}, 404},
		{"another prefix", "X-Market", "secret", "", delivery{"POST", "/webhooks", hookBody, "secret", ""}, 401},
		{"a prefix in small letters", "x-service", "secret", "", delivery{"POST", "/webhooks", hookBody, "secret", ""}, 204},
		{
			"a path token that has to be escaped",
			"X-Service", "", "a/b c%",
			delivery{"POST", "/webhooks/a%2Fb%20c%25", hookBody, "", ""},
			204,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rc := newReceiver(func(o *Options) {
				o.Prefix, o.Secrets = tt.prefix, func() ([]string, string) {
					return slices.DeleteFunc([]string{tt.secret}, func(s string) bool { return s == "" }), tt.token
				}
			})
			if w := rc.deliver(tt.sent.request()); w.Code != tt.code {
				t.Errorf("%d, want %d: %s", w.Code, tt.code, w.Body)
			}
		})
	}
}

// A body that breaks off leads to no mark.
func TestWebhookCutOff(t *testing.T) {
	rc := newReceiver()
	body := io.MultiReader(strings.NewReader(hookBody), broken{})
	r := httptest.NewRequest(http.MethodPost, "/webhooks/path-token", body)
	if w := rc.deliver(r); w.Code/100 == 2 {
		t.Errorf("half a body: got %d, want no success", w.Code)
	}
	if got := rc.inbox.cause("p1"); got != "" {
		t.Errorf("half a body: got p1 due for %s, want it not due", got)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

func FuzzWebhookHandler(f *testing.F) {
	f.Add("/webhooks", []byte(hookBody), true)
	f.Add("/webhooks/path-token", []byte(`{"data":{"product":{"id":"\u0000"}}}`), false)
	f.Add("/webhooks/guess", []byte(`{`), false)
	f.Fuzz(func(t *testing.T, path string, body []byte, signed bool) {
		if len(body) > maxSignedBody || strings.ContainsAny(path, " \t\r\n\x00%?#") || !strings.HasPrefix(path, "/") {
			t.Skip("no request that a server would hand on")
		}
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
		if w := newReceiver().deliver(r); w.Code != want {
			t.Errorf("%s with %q: %d, want %d", path, body, w.Code, want)
		}
	})
}

// TestProductEvents holds what becomes of PRODUCT_UPDATED and PRODUCT_DELETED, whose bodies no
// specification shows.
func TestProductEvents(t *testing.T) {
	const product, nothing = `{"data":{"product":{"id":"d1"}}}`, `{"data":{"thing":{"id":"x"}}}`
	for _, tt := range []struct {
		name  string
		sent  delivery
		known bool
		mark  string
		sweep int
	}{
		{
			"signed, of a product of ours",
			delivery{"POST", "/webhooks", product, "secret", "PRODUCT_UPDATED"},
			true,
			"signed, of its product", 0,
		},
		{"signed, deleted", delivery{"POST", "/webhooks", product, "secret", "PRODUCT_DELETED"}, true, "signed, of " +
			"its product", 0},
		{
			"signed, of a publication and its product",
			delivery{
				"POST", "/webhooks", `{"data":{"publication":{"id":"p1","listing":{"product":{"id":"d1"}}}}}`, "secret",
				"PUBLICATION_CREATED",
			},
			true, "signed", 0,
		},
		{"signed, of another product", delivery{"POST", "/webhooks", product, "secret", "PRODUCT_UPDATED"}, false, "", 1},
		{"signed, naming nothing", delivery{"POST", "/webhooks", nothing, "secret", "PRODUCT_DELETED"}, true, "", 1},
		{
			"signed, naming nothing, of no product",
			delivery{"POST", "/webhooks", nothing, "secret", "ORDER_CREATED"},
			true, "", 0,
		},
		{
			"unsigned, of a product of ours",
			delivery{"POST", "/webhooks/path-token", product, "", "PRODUCT_UPDATED"},
			true,
			"unsigned", 0,
		},
		{"unsigned, deleted", delivery{"POST", "/webhooks/path-token", product, "", "PRODUCT_DELETED"}, true, "unsigned", 0},
		{
			"unsigned, of another product",
			delivery{"POST", "/webhooks/path-token", product, "", "PRODUCT_UPDATED"},
			false, "", 1,
		},
		{"unsigned, naming nothing", delivery{"POST", "/webhooks/path-token", nothing, "", "PRODUCT_DELETED"}, true, "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rc := newReceiver()
			if tt.known {
				rc.inbox.products = map[string]string{"d1": "p1"}
			}
			if w := rc.deliver(tt.sent.request()); w.Code != http.StatusNoContent {
				t.Errorf("got %d, want 204", w.Code)
			}
			if rc.inbox.cause("p1") != tt.mark || rc.sweeps != tt.sweep {
				t.Errorf(
					"p1 is due for %q and %d sweeps are asked for, want %q and %d", rc.inbox.cause("p1"), rc.sweeps,
					tt.mark, tt.sweep,
				)
			}
		})
	}
}
