package listener

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// from is a signed delivery of an account's.
func from(account, secret, body string) *http.Request {
	r := delivery{"POST", "/webhooks", body, secret, "PUBLICATION_CREATED"}.request()
	r.Header.Set("X-Service-Account-Id", account)
	return r
}

// named is a body that names a publication.
func named(id string) string { return `{"data":{"publication":{"id":"` + id + `"}}}` }

// TestWebhooksOfAnotherAccount holds what is learned of the account, and from which webhook on.
func TestWebhooksOfAnotherAccount(t *testing.T) {
	type step struct {
		account, secret, body string
		due                   bool // p1 or the one that is named becomes due
	}
	const unknown, known = "p9", "p1"
	for _, tt := range []struct {
		name  string
		steps []step
		ours  string
	}{
		{
			"none is known: all are ours",
			[]step{{"a", "secret", named(unknown), true}, {"b", "secret", named(unknown), true}},
			"",
		},
		{
			"one that names a publication of ours",
			[]step{{"a", "secret", named(known), true}, {"b", "secret", named(unknown), false}},
			"a",
		},
		{"another one that names a publication of ours", []step{
			{"a", "secret", named(known), true},
			{"b", "secret", named(known), true},
			{"a", "secret", named(unknown), false},
			{"b", "secret", named(unknown), true},
		}, "b"},
		{"and ours go on", []step{{"a", "secret", named(known), true}, {"a", "secret", named(unknown), true}}, "a"},
		{
			"one without an account",
			[]step{
				{"", "secret", named(known), true},
				{"b", "secret", named(known), true},
				{"", "secret", named(unknown), true},
			},
			"b",
		},
		{"one that names nothing", []step{{"a", "secret", `{"data":{}}`, false}, {"b", "secret", named(unknown), true}}, ""},
		{
			"a product may be on many lists",
			[]step{{"a", "secret", `{"data":{"product":{"id":"d1"}}}`, false}, {"b", "secret", named(unknown), true}},
			"",
		},
		{
			"another secret may be another app's",
			[]step{{"a", "secret", named(known), true}, {"b", "new", named(known), true}, {"a", "new", named(unknown), false}},
			"b",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			secret := "secret"
			rc := newReceiver(
				func(o *Options) { o.Secrets = func() ([]string, string) { return []string{secret}, "path-token" } },
			)
			rc.inbox.known = []string{known}
			passed := 0
			for i, s := range tt.steps {
				clear(rc.inbox.marks)
				secret = s.secret
				if w := rc.deliver(from(s.account, s.secret, s.body)); w.Code != http.StatusNoContent {
					t.Fatalf("step %d: got %d, want 204", i, w.Code)
				}
				if due := len(rc.inbox.marks) > 0; due != s.due {
					t.Errorf("step %d: due %t, want %t", i, due, s.due)
				}
				if !s.due && strings.Contains(s.body, "publication") {
					passed++
				}
			}
			if got := rc.Accounts.Ours(t.Context(), secret).Learned; got != tt.ours {
				t.Errorf("ours is %q, want %q", got, tt.ours)
			}
			if rc.counted["other_account"] != passed {
				t.Errorf("counted %v, want %d of another account", rc.counted, passed)
			}
			again := NewAccounts(rc.inbox, func(error) {}, slog.New(slog.DiscardHandler))
			if got := again.Ours(t.Context(), secret).Learned; got != tt.ours {
				t.Errorf("after a restart ours is %q, want %q", got, tt.ours)
			}
		})
	}
}

// A publication that is not known yet tells whose account is ours once the API has shown it.
func TestTheAccountIsLearnedFromAPublicationThatTheAPIShows(t *testing.T) {
	rc := newReceiver()
	rc.deliver(from("a", "secret", named("p9")))
	rc.deliver(from("b", "secret", named("p8")))
	rc.found[0]()
	if got := rc.Accounts.Ours(t.Context(), "secret").Learned; got != "a" {
		t.Errorf("got %q learned, want a", got)
	}
}

// An installation and the headers of webhooks may name one account by two ids. Nothing is lost
// while that is found out, and either is taken from then on.
func TestTheAccountOfAnInstallation(t *testing.T) {
	type step struct {
		account, body string
		due           bool
	}
	const unknown, known = "p9", "p1"
	for _, tt := range []struct {
		name  string
		steps []step
		want  Ours
	}{
		{"nothing came yet", []step{{"ours", named(unknown), true}, {"7", named(unknown), true}}, Ours{Installed: "ours"}},
		{
			"the same id",
			[]step{{"ours", named(known), true}, {"7", named(unknown), false}},
			Ours{Installed: "ours", Learned: "ours"},
		},
		{
			"another id",
			[]step{
				{"7", named(known), true},
				{"7", named(unknown), true},
				{"ours", named(unknown), true},
				{"8", named(unknown), false},
			},
			Ours{Installed: "ours", Learned: "7"},
		},
		{
			"and then a third",
			[]step{
				{"7", named(known), true},
				{"8", named(known), true},
				{"7", named(unknown), false},
				{"ours", named(unknown), true},
			},
			Ours{Installed: "ours", Learned: "8"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rc := newReceiver()
			rc.inbox.known = []string{known}
			if err := rc.Accounts.Installed(t.Context(), "ours"); err != nil {
				t.Fatal(err)
			}
			for i, s := range tt.steps {
				clear(rc.inbox.marks)
				rc.deliver(from(s.account, "secret", s.body))
				if due := len(rc.inbox.marks) > 0; due != s.due {
					t.Errorf("step %d: due %t, want %t", i, due, s.due)
				}
			}
			got := rc.Accounts.Ours(t.Context(), "secret")
			if got.Secret = ""; got != tt.want {
				t.Errorf("ours is %+v, want %+v", got, tt.want)
			}
			if got := rc.Accounts.Ours(t.Context(), "another"); got != (Ours{Installed: "ours"}) {
				t.Errorf("with another secret: got %+v, want the id of the installation alone", got)
			}
			if err := rc.Accounts.Installed(t.Context(), "new"); err != nil {
				t.Fatal(err)
			}
			if got := rc.Accounts.Ours(t.Context(), "secret"); got != (Ours{Installed: "new"}) {
				t.Errorf("after the next installation: got %+v, want its id alone", got)
			}
		})
	}
}

// An unsigned webhook tells nothing of accounts, and is taken whatever account it names.
func TestUnsignedWebhooksAndAccounts(t *testing.T) {
	rc := newReceiver()
	rc.inbox.known = []string{"p1"}
	hint := delivery{"POST", "/webhooks/path-token", named("p1"), "", ""}.request()
	hint.Header.Set("X-Service-Account-Id", "b")
	rc.deliver(hint.Clone(t.Context()))
	if got := rc.Accounts.Ours(hint.Context(), "secret"); got != (Ours{}) {
		t.Errorf("after an unsigned webhook: got %+v, want nothing learned", got)
	}
	if err := rc.Accounts.Installed(hint.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	clear(rc.inbox.marks)
	hint = delivery{"POST", "/webhooks/path-token", named("p1"), "", ""}.request()
	hint.Header.Set("X-Service-Account-Id", "b")
	if rc.deliver(hint); rc.inbox.cause("p1") != "unsigned" {
		t.Errorf("got p1 due for %q, want unsigned", rc.inbox.cause("p1"))
	}
}

// The updatedAt of a signed body is awaited, that of an unsigned one is not.
func TestUpdatedAtOfABody(t *testing.T) {
	const at = "2026-01-02T03:04:05Z"
	body := `{"data":{"publication":{"id":"p1","updatedAt":"` + at + `"}}}`
	rc := newReceiver()
	rc.inbox.known = []string{"p1", "p2"}
	rc.deliver(delivery{"POST", "/webhooks/path-token", body, "", ""}.request())
	if len(rc.awaited) > 0 {
		t.Errorf("an unsigned body: got %v awaited, want nothing", rc.awaited)
	}
	rc.deliver(delivery{"POST", "/webhooks", body, "secret", ""}.request())
	rc.deliver(delivery{"POST", "/webhooks", named("p2"), "secret", ""}.request())
	if diff := cmp.Diff(map[string]string{"p1": at, "p2": ""}, rc.awaited); diff != "" {
		t.Errorf("awaited (-want +got):\n%s", diff)
	}
}

// A slowFacts keeps a fact after a minute.
type slowFacts struct{ *inbox }

func (i slowFacts) SetMeta(ctx context.Context, key, value string) error {
	time.Sleep(time.Minute)
	return i.inbox.SetMeta(ctx, key, value)
}

// While an account id is being written, other webhooks are judged by the one before, and an
// installation whose context ends does not wait.
func TestASlowStoreHoldsBackNoWebhook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAccounts(slowFacts{newReceiver().inbox}, func(error) {}, slog.New(slog.DiscardHandler))
		var learning sync.WaitGroup
		learning.Go(func() { a.Learn(t.Context(), "a", "secret") })
		time.Sleep(time.Second)
		begun := time.Now()
		if got := a.Ours(t.Context(), "secret").Learned; got != "" {
			t.Errorf("got account %q, want none before it is written", got)
		}
		a.Learn(t.Context(), "b", "secret")
		if took := time.Since(begun); took != 0 {
			t.Errorf("a webhook waited %s, want 0s", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := a.Installed(ctx, "c"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		learning.Wait()
		if got := a.Ours(t.Context(), "secret").Learned; got != "a" {
			t.Errorf("got account %q, want a", got)
		}
	})
}
