package listener_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A receiver is a Webhooks and what it led to. Its inbox knows publication p1, and p1 by product d1.
type receiver struct {
	*listener.Webhooks
	mu      sync.Mutex
	asked   string            // for the last time, of the inbox
	due     map[string]string // publication -> "signed", "signed, of its product" or "unsigned"
	counted map[string]int
	sweeps  int // asked for
	awaited map[string]string
	writes  func() error // of the inbox
	said    bytes.Buffer
}

func newReceiver(tune ...func(*listener.Options)) *receiver {
	rc := &receiver{
		due: map[string]string{}, counted: map[string]int{}, awaited: map[string]string{},
		writes: func() error { return nil },
	}
	log := slog.New(slog.NewTextHandler(&rc.said, nil))
	o := listener.Options{
		Prefix: "X-Service", Secrets: func() ([]string, string) { return []string{"old", "secret"}, "path-token" },
		Inbox: rc, Marked: func() {}, InboxFailed: func(error) {}, Log: log,
		LookAt:   func(string, bool, time.Time) time.Time { return time.UnixMilli(1) },
		AskSweep: func() { rc.record(func() { rc.sweeps++ }) },
		Count:    func(result string) { rc.record(func() { rc.counted[result]++ }) },
	}
	for _, t := range tune {
		t(&o)
	}
	rc.Webhooks = listener.NewWebhooks(o)
	return rc
}

func (rc *receiver) record(f func()) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	f()
}

func (rc *receiver) Resolve(_ context.Context, publications, products, listings []string) (ids []string, err error) {
	rc.record(func() { rc.asked = fmt.Sprintf("p%v d%v l%v", publications, products, listings) })
	if slices.Contains(publications, "p1") || slices.Contains(products, "d1") {
		ids = []string{"p1"}
	}
	return ids, nil
}

func (rc *receiver) Mark(_ context.Context, marks ...store.Mark) error {
	if err := rc.writes(); err != nil {
		return err
	}
	for _, m := range marks {
		says := map[store.Class]string{
			store.ClassHook: "signed", store.ClassSweep: "signed, of its product", store.ClassHint: "unsigned",
		}[m.Class]
		rc.record(func() {
			rc.due[m.ID] = says
			if m.Class == store.ClassHook || m.Seen != "" {
				rc.awaited[m.ID] = m.Seen
			}
		})
	}
	return nil
}

// A hook is one request to the webhook listener.
type hook struct {
	method, path string
	body         string
	sign         string // the secret to sign with; "" for no signature
	event        string
}

func (rc *receiver) deliver(d hook) *httptest.ResponseRecorder {
	r := httptest.NewRequest(d.method, d.path, strings.NewReader(d.body))
	if d.sign != "" {
		r.Header.Set("X-Service-Signature", signature(d.sign, d.body))
	}
	r.Header.Set("X-Service-Event", d.event)
	w := httptest.NewRecorder()
	rc.ServeHTTP(w, r)
	return w
}

func signature(secret, body string) string {
	return string(marketplace.Signature([]byte(secret), []byte(body)))
}

const named = `{"data":{"publication":{"id":"p1"}}}`

// A refused delivery counts against the registration, and one that is acknowledged is durable.
func TestAnswers(t *testing.T) {
	const product, nothing = `{"data":{"product":{"id":"d1"}}}`, `{"data":{"order":{"id":"o1"}}}`
	full, hint := strings.Repeat(" ", 1<<20-len(named))+named, strings.Repeat(" ", 64<<10-len(named))+named
	for _, tt := range []struct {
		name   string
		sent   hook
		code   int
		due    string // why p1 is to be looked at; "" for not at all
		sweeps int
	}{
		{"signed", hook{"POST", "/webhooks", named, "secret", "PUBLICATION_CREATED"}, 204, "signed", 0},
		{"signed with the other secret", hook{"POST", "/webhooks", named, "old", ""}, 204, "signed", 0},
		{"of an unknown event", hook{"POST", "/webhooks", named, "secret", "MOON_ROSE"}, 204, "signed", 0},
		{"of a product", hook{"POST", "/webhooks", product, "secret", "PRODUCT_DELETED"}, 204, "signed, of its product", 0},
		{"of another product", hook{"POST", "/webhooks", `{"data":{"product":{"id":"d2"}}}`, "secret", ""}, 204, "", 1},
		{"naming nothing", hook{"POST", "/webhooks", nothing, "secret", "ORDER_CREATED"}, 204, "", 0},
		{"naming nothing, of products", hook{"POST", "/webhooks", nothing, "secret", "PRODUCT_DELETED"}, 204, "", 1},
		{"unreadable", hook{"POST", "/webhooks", `<xml>`, "secret", ""}, 204, "", 0},
		{"as large as it may be", hook{"POST", "/webhooks", full, "secret", ""}, 204, "signed", 0},
		{"larger by one", hook{"POST", "/webhooks", full + " ", "secret", ""}, 413, "", 0},
		{"larger by one, not signed", hook{"POST", "/webhooks", full + " ", "", ""}, 401, "", 0},
		{"not signed", hook{"POST", "/webhooks", named, "", ""}, 401, "", 0},
		{"signed with a guess", hook{"POST", "/webhooks", named, "guess", ""}, 401, "", 0},

		{"path token", hook{"POST", "/webhooks/path-token", named, "", ""}, 204, "unsigned", 0},
		{"path token, unknown", hook{"POST", "/webhooks/path-token", `{"data":{"listing":{"id":1}}}`, "", ""}, 204, "", 1},
		{"path token, unreadable", hook{"POST", "/webhooks/path-token", `x`, "", ""}, 204, "", 1},
		{"path token, as large as is parsed", hook{"POST", "/webhooks/path-token", hint, "", ""}, 204, "unsigned", 0},
		{"path token, larger by one", hook{"POST", "/webhooks/path-token", hint + " ", "", ""}, 204, "", 1},
		{"path token, far larger", hook{"POST", "/webhooks/path-token", full + full, "", ""}, 204, "", 1},
		{"another path token", hook{"POST", "/webhooks/guess", named, "", ""}, 404, "", 0},
		{"a longer path token", hook{"POST", "/webhooks/path-token/", named, "", ""}, 404, "", 0},
		{"the secret as path token", hook{"POST", "/webhooks/secret", named, "", ""}, 404, "", 0},
		{"another path token, signed", hook{"POST", "/webhooks/guess", named, "secret", ""}, 404, "", 0},
		{"a path that begins alike", hook{"POST", "/webhooksx", named, "secret", ""}, 404, "", 0},

		{"GET", hook{"GET", "/webhooks", "", "", ""}, 405, "", 0},
		{"GET with the path token", hook{"GET", "/webhooks/path-token", "", "", ""}, 405, "", 0},
		{"GET with another: as if nothing were there", hook{"GET", "/webhooks/guess", "", "", ""}, 404, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rc := newReceiver()
			w := rc.deliver(tt.sent)
			if w.Code != tt.code || (w.Header().Get("Allow") == "POST") != (tt.code == 405) {
				t.Errorf("got %d %v, want %d, with Allow for 405 alone", w.Code, w.Header(), tt.code)
			}
			if body := w.Body.String(); w.Code == 204 && body != "" || strings.Contains(body, "secret") ||
				strings.Contains(body, "path-token") {
				t.Errorf("got the body %q, want none in a 204, and no secret", body)
			}
			if rc.due["p1"] != tt.due || rc.sweeps != tt.sweeps {
				t.Errorf("p1 is due for %q, %d sweeps are asked for, want %q, %d", rc.due["p1"], rc.sweeps, tt.due, tt.sweeps)
			}
		})
	}
}

func TestSettings(t *testing.T) {
	for _, tt := range []struct {
		name, prefix string
		secrets      []string
		token        string
		sent         hook
		code         int
	}{
		{"no secret", "X-Service", nil, "path-token", hook{"POST", "/webhooks", named, "", ""}, 404},
		{"no secret, signed", "X-Service", nil, "", hook{"POST", "/webhooks", named, "secret", ""}, 404},
		{"an empty secret", "X-Service", []string{""}, "", hook{"POST", "/webhooks", named, "", ""}, 404},
		{"another prefix", "X-Market", []string{"secret"}, "", hook{"POST", "/webhooks", named, "secret", ""}, 401},
		{"small letters", "x-service", []string{"secret"}, "", hook{"POST", "/webhooks", named, "secret", ""}, 204},
		{"an escaped token", "X-Service", nil, "a/b c%", hook{"POST", "/webhooks/a%2Fb%20c%25", named, "", ""}, 204},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rc := newReceiver(func(o *listener.Options) {
				o.Prefix, o.Secrets = tt.prefix, func() ([]string, string) { return tt.secrets, tt.token }
			})
			if w := rc.deliver(tt.sent); w.Code != tt.code {
				t.Errorf("got %d, want %d: %s", w.Code, tt.code, w.Body)
			}
		})
	}
}

func TestSignatures(t *testing.T) {
	const good = "249517cde7204a297a89cd1c401d4900dbdef650abc50aec9ea57a5e2afac19f" // by another program
	for given, want := range map[string]int{
		good: 204, strings.ToUpper(good): 204, " " + good + "\t": 204,
		signature("secret", named+" "): 401,
		good[:63]:                      401,
		good[:62]:                      401,
		good[1:] + good[:1]:            401,
		good + "00":                    401,
		"sha256=" + good:               401,
		strings.Repeat("g", 64):        401,
		strings.Repeat("0", 2<<10):     401,
	} {
		r := httptest.NewRequest(http.MethodPost, "/webhooks", strings.NewReader(named))
		r.Header.Set("X-Service-Signature", given)
		w := httptest.NewRecorder()
		if newReceiver().ServeHTTP(w, r); w.Code != want {
			t.Errorf("signature %q: got %d, want %d", given, w.Code, want)
		}
	}
}

func TestPointers(t *testing.T) {
	long := strings.Repeat("x", publication.MaxIdent)
	for body, want := range map[string]string{
		`{"publication":{"id":"p7"}}`:                         "p[p7] d[] l[]",
		`{"product":{"id":"d7"}}`:                             "p[] d[d7] l[]",
		`{"publication":{"listing":{"product":{"id":"d7"}}}}`: "p[] d[d7] l[]",
		`{"listing":{"id":"l7"}}`:                             "p[] d[] l[l7]",
		`{"productVariant":{"product":{"id":"d7"}}}`:          "p[] d[d7] l[]",
		`{"product":{"id":"d1"},"productVariant":{"product":{"id":"d1"}},"publication":{"listing":{"product":
			{"id":"d2"}}}}`: "p[] d[d1 d2] l[]",

		`{"publication":{"id":42}}`:                            "p[42] d[] l[]",
		`{"product":{"id":123456789012345678901234567890}}`:    "p[] d[123456789012345678901234567890] l[]",
		`{"publication":{"id":"gid://x/1?é\n\u0000<script>"}}`: "p[gid://x/1?é\n\x00<script>] d[] l[]",
		`{"publication":{"id":"` + long + `"}}`:                "p[" + long + "] d[] l[]",

		`{"publication":{"id":"` + long + `x"},"product":{"id":"d7"}}`: "p[] d[d7] l[]",
		`{"publication":{"id":{}},"product":{"id":"d7"},"listing":7}`:  "p[] d[d7] l[]",
		`{"publication":"p7","product":{"id":"d7"}}`:                   "p[] d[d7] l[]",
		`{"publication":[{"id":"p7"}],"listing":{"id":"l7"}}`:          "p[] d[] l[l7]",

		`{"id":"x","order":{"id":"x"},"productVariant":{"id":"x"},"publication":{"product":{"id":"x"},
			"listing":{"id":"x"}},"listing":{"product":{"id":"x"}}}`: "names_nothing",
		`null`: "names_nothing",
		`{"publication":null,"product":{"id":null},"productVariant":{"product":null}}`:     "names_nothing",
		`{"publication":{"id":true},"product":{"id":["d1"]},"listing":{"id":{"id":"l1"}}}`: "names_nothing",
		`[{"publication":{"id":"p1"}}]`:                                              "unreadable",
		`{"publication":{"id":"p1"}`:                                                 "unreadable",
		strings.Repeat(`{"data":`, 6000) + "1" + strings.Repeat("}", 6000) + "[":     "unreadable",
		`{"publication":{"id":"p1","listing":` + strings.Repeat(`[`, 20_000) + `]}}`: "unreadable",
	} {
		t.Run(fmt.Sprintf("%.80s", body), func(t *testing.T) {
			rc := newReceiver()
			w := rc.deliver(hook{"POST", "/webhooks/path-token", `{"data":` + body + `}`, "", ""})
			got := rc.asked
			for _, why := range []string{"names_nothing", "unreadable"} {
				if rc.counted[why] == 1 {
					got += why
				}
			}
			if w.Code != 204 || got != want {
				t.Errorf("got %d, %.300s, want 204, %.300s", w.Code, got, want)
			}
		})
	}
	for _, body := range []string{"", "id=p1", `"p1"`, "[]", "\ufeff" + named} {
		rc := newReceiver()
		if rc.deliver(hook{"POST", "/webhooks/path-token", body, "", ""}); rc.counted["unreadable"] != 1 {
			t.Errorf("%q: counted %v, want it unreadable", body, rc.counted)
		}
	}
}

// The updatedAt of a signed body is awaited, that of an unsigned one is not.
func TestUpdatedAt(t *testing.T) {
	const at = "2026-01-02T03:04:05Z"
	dated := `{"data":{"publication":{"id":"p1","updatedAt":"` + at + `"}}}`
	rc := newReceiver()
	rc.deliver(hook{"POST", "/webhooks/path-token", dated, "", ""})
	if len(rc.awaited) > 0 {
		t.Errorf("an unsigned body: got %v awaited, want nothing", rc.awaited)
	}
	rc.deliver(hook{"POST", "/webhooks", dated, "secret", ""})
	rc.deliver(hook{"POST", "/webhooks", `{"data":{"publication":{"id":"p2"}}}`, "secret", ""})
	if diff := cmp.Diff(map[string]string{"p1": at, "p2": ""}, rc.awaited); diff != "" {
		t.Errorf("awaited (-want +got):\n%s", diff)
	}
}

// Ten thousand webhooks within a minute are one warning for each reason, and all are counted.
func TestWarningsAreSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rc := newReceiver()
		send := func() {
			rc.deliver(hook{"POST", "/webhooks/path-token", "{", "", "X"})
			rc.deliver(hook{"POST", "/webhooks", named, "secret", "MOON_ROSE"})
			rc.deliver(hook{"POST", "/webhooks", named, "secret", "PRODUCT_UPDATED"})
		}
		for range 10_000 {
			send()
		}
		time.Sleep(time.Minute)
		send()
		counted := map[string]int{"unreadable": 10_001, "unknown_event": 10_001, "accepted": 10_001}
		if diff := cmp.Diff(counted, rc.counted); diff != "" {
			t.Errorf("counted (-want +got):\n%s", diff)
		}
		for why, want := range map[string]int{"unreadable": 2, "unknown_event": 2, "accepted": 0} {
			if n := strings.Count(rc.said.String(), "why="+why); n != want {
				t.Errorf("%s: got %d lines, want %d: %.1000q", why, n, want, rc.said.String())
			}
		}
	})
}

// Refusals in a row are told of before the marketplace deletes the registration, as far as they look
// like its own.
func TestRefusals(t *testing.T) {
	const event = "PUBLICATION_CREATED"
	good, forged := hook{"POST", "/webhooks", named, "secret", event}, hook{"POST", "/webhooks", named, "guess", event}
	stranger := hook{"POST", "/webhooks", named, "guess", ""}
	hint, lost := hook{"POST", "/webhooks/path-token", named, "", event}, hook{"POST", "/webhooks/old", named, "", event}
	for _, tt := range []struct {
		name string
		sent []hook
		row  int
		why  string
	}{
		{"none", nil, 0, ""},
		{"acknowledged", []hook{good, hint}, 0, ""},
		{"another secret", []hook{forged, forged, forged}, 3, "signature"},
		{"and then acknowledged", []hook{forged, forged, good}, 0, ""},
		{"another path token", []hook{lost, lost}, 2, "not_found"},
		{"not the marketplace's", []hook{stranger, {"GET", "/webhooks", "", "", event}}, 0, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			rc := newReceiver()
			for _, d := range tt.sent {
				rc.deliver(d)
				time.Sleep(time.Minute)
			}
			got := rc.Refused()
			if got.InARow != tt.row || got.Why != tt.why || got.Last.IsZero() != (tt.row == 0) {
				t.Errorf("%s: got %+v, want %d for %s", tt.name, got, tt.row, tt.why)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		rc := newReceiver()
		expect := func(when string, want int) {
			t.Helper()
			if got := rc.Refused(); got.InARow != want {
				t.Errorf("%s: %+v, want %d in a row", when, got, want)
			}
		}
		for range 10 {
			rc.deliver(forged)
			time.Sleep(time.Hour)
		}
		time.Sleep(46 * time.Hour)
		expect("47 hours after the last", 10)
		time.Sleep(time.Hour)
		expect("two days after the last", 0)
		rc.writes = func() error { return errors.New("no space left on device") }
		if n := strings.Count(rc.said.String(), "webhooks are refused"); n != 10 {
			t.Errorf("%d lines of the log tell of ten refusals, want as many", n)
		}
		if w := rc.deliver(good); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" ||
			rc.Refused().Why != "store" {
			t.Errorf("with a full disk: %d %v, want 503 with Retry-After", w.Code, w.Header())
		}
	})
}

// A signed webhook of no known account is its owner's, once that is known. Else it is acknowledged and passed over.
func TestStrange(t *testing.T) {
	var owner http.Handler
	rc := newReceiver(func(o *listener.Options) {
		o.Inbox, o.Owner = nil, func(*http.Request) http.Handler { return owner }
	})
	if code := rc.deliver(hook{"POST", "/webhooks", named, "secret", ""}).Code; code != 204 || rc.asked != "" ||
		rc.counted["other_account"] != 1 {
		t.Errorf("got %d, asked for %q, counted %v, want 204 and nothing looked at", code, rc.asked, rc.counted)
	}
	its := newReceiver()
	owner = its
	if code := rc.deliver(hook{"POST", "/webhooks", named, "guess", ""}).Code; code != 401 || its.due["p1"] != "" {
		t.Errorf("signed by nobody: %d, and its owner is due %v, want 401 alone", code, its.due)
	}
	if code := rc.deliver(hook{"POST", "/webhooks", named, "secret", ""}).Code; code != 204 || its.due["p1"] != "signed" {
		t.Errorf("of an owner: %d, who is due %v, want 204 and a signed one", code, its.due)
	}
}
