// webhook list shows the registrations, and webhook register makes one where it is missing.

package main_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A proxy before the marketplace, or the marketplace itself, appends a slash to every address.
func TestWebhookListAndRegister(t *testing.T) {
	s := open(t, sandbox.Options{KeepCallback: func(address string) string { return address + "/" }})
	address := "http://127.0.0.1:1/webhooks"
	s.set("WEBHOOK_URL", address, "WEBHOOK_LISTEN", freePort(t), "WEBHOOK_SECRET", hookSecret)
	if r := s.call("webhook", "list"); r.code != 0 || strings.Contains(r.stdout, address) {
		t.Errorf("none registered: exit %d, want 0, %s", r.code, r.stdout)
	}
	for i := range 3 {
		r := s.call("webhook", "register", "--json")
		var made struct{ Registered bool }
		if r.decode(t, &made); r.code != 0 || made.Registered != (i == 0) {
			t.Errorf("register: exit %d, want 0, %s", r.code, r.stdout)
		}
	}
	if hooks := s.market.Webhooks(); len(hooks) != 1 || hooks[0].CallbackURL != address+"/" {
		t.Errorf("registered: %+v", hooks)
	}
	var list struct {
		Webhooks []struct {
			CallbackURL  string
			Active, Ours bool
		}
	}
	r := s.call("webhook", "list", "--json")
	if r.decode(t, &list); r.code != 0 || len(list.Webhooks) != 1 || !list.Webhooks[0].Ours ||
		!list.Webhooks[0].Active {
		t.Errorf("list: exit %d, want 0, %s", r.code, r.stdout)
	}
	// One that is made beside it delivers everything twice: the doctor names it, and is content.
	header := map[string]string{"Authorization": "Bearer " + marketToken, "Content-Type": "application/json"}
	res, answer := ask(t, "POST", s.market.URL+"/v1/graphql",
		`{"query":"mutation{webhookCreate(input:{callbackUrl:\"`+address+
			`\",events:[\"PUBLICATION_CREATED\"],active:true}){webhook{id} userErrors{message}}}"}`, header)
	if hooks := s.market.Webhooks(); len(hooks) != 2 {
		t.Fatalf("%s, %s: %+v", res.Status, answer, hooks)
	}
	second := s.market.Webhooks()[1].ID
	if r := s.call("doctor"); r.code != 0 || !strings.Contains(r.stdout, "superfluous") ||
		!strings.Contains(r.stdout, second) {
		t.Errorf("the doctor: exit %d, want 0, %s", r.code, r.stdout)
	}
	if r := s.call("webhook", "register"); r.code != 0 || !strings.Contains(r.stdout, second) ||
		len(s.market.Webhooks()) != 2 {
		t.Errorf("register: exit %d, want 0, %s", r.code, r.stdout)
	}
}
