package sandbox

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const reportStatus = `mutation($input: PublicationStatusUpdatedInput!) { publicationStatusUpdated(input: $input) {
	publication { id status productUrl } userErrors { field message } } }`

func TestReport(t *testing.T) {
	done := func(status, url string) string {
		return fmt.Sprintf(
			`{"publicationStatusUpdated":{"publication":{"id":"a","status":"%s","productUrl":%s},"userErrors":[]}}`,
			status, url,
		)
	}
	refused := func(field, message string) string {
		return fmt.Sprintf(
			`{"publicationStatusUpdated":{"publication":null,"userErrors":[{"field":["%s"],"message":"%s"}]}}`, field,
			message,
		)
	}
	const mustBeAbsolute = "Product url must be an absolute http or https address"
	for _, tt := range []struct {
		name  string
		opts  Options
		input map[string]any
		want  string
		entry Report
	}{
		{
			"success",
			Options{},
			map[string]any{"id": "a", "status": "success", "productUrl": "https://shop.example/a"},
			done("success", `"https://shop.example/a"`),
			Report{ID: "a", Status: "success", ProductURL: "https://shop.example/a"},
		},
		{
			"success without an address",
			Options{},
			map[string]any{"id": "a", "status": "success"},
			done("success", "null"),
			Report{ID: "a", Status: "success"},
		},
		{
			"success with a null for an address",
			Options{},
			map[string]any{"id": "a", "status": "success", "productUrl": nil},
			done("success", "null"),
			Report{ID: "a", Status: "success"},
		},
		{
			"failed",
			Options{},
			map[string]any{"id": "a", "status": "failed"},
			done("failed", "null"),
			Report{ID: "a", Status: "failed"},
		},
		{
			"as an enum",
			Options{Status: StatusEnumUpper},
			map[string]any{"id": "a", "status": "SUCCESS"},
			done("SUCCESS", "null"),
			Report{ID: "a", Status: "success"},
		},
		{
			"unknown id",
			Options{},
			map[string]any{"id": "z", "status": "success"},
			refused("id", "Publication not found"),
			Report{ID: "z", Status: "success", Refused: "Publication not found"},
		},
		{
			"removed",
			Options{},
			map[string]any{"id": "gone", "status": "success"},
			refused("id", "Publication not found"),
			Report{ID: "gone", Status: "success", Refused: "Publication not found"},
		},
		{
			"a status that is none",
			Options{},
			map[string]any{"id": "a", "status": "done"},
			refused("status", "Status must be success or failed"),
			Report{ID: "a", Status: "done", Refused: "Status must be success or failed"},
		},
		{
			"a status in other case",
			Options{},
			map[string]any{"id": "a", "status": "SUCCESS"},
			refused("status", "Status must be success or failed"),
			Report{ID: "a", Status: "success", Refused: "Status must be success or failed"},
		},
		{
			"an address without a host",
			Options{},
			map[string]any{"id": "a", "status": "success", "productUrl": "/a"},
			refused("productUrl", mustBeAbsolute),
			Report{ID: "a", Status: "success", ProductURL: "/a", Refused: mustBeAbsolute},
		},
		{
			"an address of a file",
			Options{},
			map[string]any{"id": "a", "status": "success", "productUrl": "file:///tmp/a"},
			refused("productUrl", mustBeAbsolute),
			Report{ID: "a", Status: "success", ProductURL: "file:///tmp/a", Refused: mustBeAbsolute},
		},
		{
			"an empty address",
			Options{},
			map[string]any{"id": "a", "status": "success", "productUrl": ""},
			refused("productUrl", mustBeAbsolute),
			Report{ID: "a", Status: "success", Refused: mustBeAbsolute},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newTest(t, tt.opts)
				m.Add(simple("a"), simple("gone"))
				m.Remove("gone")
				before, _ := m.Publication("a")
				time.Sleep(time.Second)
				tt.entry.At = time.Now()
				if got := ask(t, m, reportStatus, map[string]any{"input": tt.input}); got != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
				if diff := cmp.Diff([]Report{tt.entry}, m.Reports()); diff != "" {
					t.Errorf("the ledger (-want +got):\n%s", diff)
				}
				after, _ := m.Publication("a")
				if moved := after.UpdatedAt.After(before.UpdatedAt); moved != (tt.entry.Refused == "") {
					t.Errorf(
						"updatedAt went from %v to %v; moved: got %v, want %v", before.UpdatedAt, after.UpdatedAt, moved,
						(tt.entry.Refused == ""),
					)
				}
				if diff := cmp.Diff(
					before, after, cmpopts.IgnoreFields(Publication{}, "UpdatedAt"),
				); (diff == "") != (tt.entry.Refused != "") {
					t.Errorf(
						"the publication changed (-before +after):\n%s; (diff == \"\"): got %v, want %v", diff, (diff == ""),
						(tt.entry.Refused != ""),
					)
				}
			})
		})
	}
}

func TestReportKeepsTheAddress(t *testing.T) {
	m := newTest(t, Options{})
	m.Add(simple("a"))
	ask(
		t, m, reportStatus,
		map[string]any{"input": map[string]any{"id": "a", "status": "success", "productUrl": "https://shop.example/a"}},
	)
	ask(t, m, reportStatus, map[string]any{"input": map[string]any{"id": "a", "status": "failed"}})
	switch p, _ := m.Publication("a"); {
	case p.Status != "failed":
		t.Errorf("the publication is %+v; p.Status: got %q, want %q", p, p.Status, "failed")
	case p.ProductURL != "https://shop.example/a":
		t.Errorf("the publication is %+v; p.ProductURL: got %q, want %q", p, p.ProductURL, "https://shop.example/a")
	}
}

func TestReportsInOneDocument(t *testing.T) {
	m := newTest(t, Options{})
	m.Add(simple("a"), simple("b"))
	got := ask(
		t,
		m,
		`mutation($a: ID!) { a: publicationStatusUpdated(input: {id: $a, status: "success"}) { publication { status } }
		z: publicationStatusUpdated(input: {id: "z", status: "success"}) { publication { status } userErrors { field } }
		b: publicationStatusUpdated(input: {id: "b", status: "failed"}) { publication { status } } }`,
		map[string]any{"a": "a"},
	)
	want := `{"a":{"publication":{"status":"success"}},"z":{"publication":null,"userErrors":[{"field":["id"]}]},` +
		`"b":{"publication":{"status":"failed"}}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	switch r := m.Requests(); {
	case len(r) != 1:
		t.Errorf("the ledgers have %+v and %+v; len(r): got %v, want %v", r, m.Reports(), len(r), 1)
	case r[0].Kind != KindReport:
		t.Errorf("the ledgers have %+v and %+v; r[0].Kind: got %v, want %v", r, m.Reports(), r[0].Kind, KindReport)
	case r[0].Roots != 3:
		t.Errorf("the ledgers have %+v and %+v; r[0].Roots: got %v, want %v", r, m.Reports(), r[0].Roots, 3)
	case len(m.Reports()) != 3:
		t.Errorf("the ledgers have %+v and %+v; len(m.Reports()): got %v, want %v", r, m.Reports(), len(m.Reports()), 3)
	}
}

const createWebhook = `mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) {
	webhook { id callbackUrl events active } userErrors { field message } } }`

func TestWebhookCreate(t *testing.T) {
	for _, tt := range []struct {
		name    string
		opts    Options
		address string
		events  any
		more    map[string]any
		refused string // the field; empty: it is created
	}{
		{name: "an address", address: "https://hooks.shop.example/webhooks", events: []string{"PUBLICATION_CREATED"}},
		{name: "a loopback address", address: "http://127.0.0.1:8080/webhooks", events: []string{"PUBLICATION_CREATED"}},
		{name: "a private address", address: "http://10.0.0.8/webhooks", events: []string{"PUBLICATION_CREATED"}},
		{name: "an IPv6 address", address: "http://[::1]:8080/webhooks", events: []string{"PUBLICATION_CREATED"}},
		{
			name: "events of an enum", opts: Options{EnumEvents: true}, address: "https://a.example",
			events: []string{"ORDER_CREATED", "PUBLICATION_CREATED"},
		},
		{name: "one event without a list", address: "https://a.example", events: "PUBLICATION_CREATED"},
		{
			name: "not active", address: "https://a.example", events: []string{"PUBLICATION_CREATED"},
			more: map[string]any{"active": false},
		},
		{
			name: "a template", address: "https://a.example", events: []string{"ORDER_CREATED"},
			more: map[string]any{"template": "INVOICING"},
		},
		{
			name: "localhost", address: "https://localhost/webhooks", events: []string{"PUBLICATION_CREATED"},
			refused: "callbackUrl",
		},
		{
			name: "localhost with a port", address: "http://LocalHost:8080/", events: []string{"PUBLICATION_CREATED"},
			refused: "callbackUrl",
		},
		{
			name: "ending in internal", address: "https://shop.internal/webhooks", events: []string{"PUBLICATION_CREATED"},
			refused: "callbackUrl",
		},
		{
			name: "with the word internal at its end", address: "https://shopinternal:444/webhooks",
			events: []string{"PUBLICATION_CREATED"}, refused: "callbackUrl",
		},
		{name: "a www host with a path", address: "https://www.shop.example/hooks", events: []string{"PUBLICATION_CREATED"}},
		{
			name: "localhost with a dot", address: "https://localhost./hooks", events: []string{"PUBLICATION_CREATED"},
			refused: "callbackUrl",
		},
		{
			name: "an unspecified address", address: "http://0.0.0.0:80/hooks", events: []string{"PUBLICATION_CREATED"},
			refused: "callbackUrl",
		},
		{
			name: "a path that ends in internal", address: "https://shop.example/hooks/Internal/",
			events: []string{"PUBLICATION_CREATED"}, refused: "callbackUrl",
		},
		{
			name: "a www domain", address: "https://www.shop.example/", events: []string{"PUBLICATION_CREATED"},
			refused: "callbackUrl",
		},
		{
			name: "a bare www domain", address: "www.shop.example", events: []string{"PUBLICATION_CREATED"},
			refused: "callbackUrl",
		},
		{name: "another scheme", address: "ftp://a.example", events: []string{"PUBLICATION_CREATED"}, refused: "callbackUrl"},
		{name: "no address at all", address: "http://", events: []string{"PUBLICATION_CREATED"}, refused: "callbackUrl"},
		{name: "no events", address: "https://a.example", events: []string{}, refused: "events"},
		{name: "an unknown event", address: "https://a.example", events: []string{"NEWS"}, refused: "events"},
		{
			name: "an unknown template", address: "https://a.example", events: []string{"ORDER_CREATED"},
			more: map[string]any{"template": "X"}, refused: "template",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newTest(t, tt.opts)
			input := map[string]any{"callbackUrl": tt.address, "events": tt.events}
			for k, v := range tt.more {
				input[k] = v
			}
			type answer struct {
				WebhookCreate struct {
					Webhook    *Webhook
					UserErrors []struct {
						Field   []string
						Message string
					}
				}
			}
			got := into[answer](t, m, createWebhook, map[string]any{"input": input}).WebhookCreate
			if tt.refused != "" {
				switch {
				case got.Webhook != nil:
					t.Errorf("answered %+v, want an error for %s; got.Webhook: got %v, want nil", got, tt.refused, got.Webhook)
				case len(got.UserErrors) != 1:
					t.Errorf(
						"answered %+v, want an error for %s; len(got.UserErrors): got %v, want %v", got, tt.refused,
						len(got.UserErrors), 1,
					)
				case got.UserErrors[0].Field[0] != tt.refused:
					t.Errorf(
						"answered %+v, want an error for %s; got.UserErrors[0].Field[0]: got %v, want %v", got, tt.refused,
						got.UserErrors[0].Field[0], tt.refused,
					)
				case got.UserErrors[0].Message == "":
					t.Errorf(
						"answered %+v, want an error for %s; got.UserErrors[0].Message: got %q, want another", got, tt.refused,
						got.UserErrors[0].Message,
					)
				}
				if n := len(m.Webhooks()); n != 0 {
					t.Errorf("%d webhooks were made, want %v", n, 0)
				}
				return
			}
			switch {
			case got.Webhook == nil:
				t.Fatalf("answered %+v; got.Webhook: got nil, want a value", got)
			case got.Webhook.CallbackURL != tt.address:
				t.Fatalf("answered %+v; got.Webhook.CallbackURL: got %v, want %v", got, got.Webhook.CallbackURL, tt.address)
			case got.Webhook.ID == "":
				t.Fatalf("answered %+v; got.Webhook.ID: got %q, want another", got, got.Webhook.ID)
			case got.Webhook.Active == (tt.more["active"] == false):
				t.Fatalf("answered %+v; got.Webhook.Active: got %v, want another", got, got.Webhook.Active)
			}
			listed := ask(
				t, m, `{ webhooks(first: 5) { nodes { id callbackUrl events active } pageInfo { hasNextPage } } }`,
				nil,
			)
			w := got.Webhook
			events := fmt.Sprintf(`"%s"`, w.Events[0])
			for _, e := range w.Events[1:] {
				events += fmt.Sprintf(`,"%s"`, e)
			}
			want := fmt.Sprintf(
				`{"webhooks":{"nodes":[{"id":"%s","callbackUrl":"%s",`+
					`"events":[%s],"active":%t}],"pageInfo":{"hasNextPage":false}}}`,
				w.ID,
				w.CallbackURL,
				events,
				w.Active,
			)
			if listed != want {
				t.Errorf("listed %s\nwant   %s", listed, want)
			}
			switch {
			case !m.DeleteWebhook(w.ID):
				t.Errorf("a deleted webhook is still there; m.DeleteWebhook(w.ID): got false, want true")
			case m.DeleteWebhook(w.ID):
				t.Errorf("a deleted webhook is still there; m.DeleteWebhook(w.ID): got true, want false")
			case len(m.Webhooks()) != 0:
				t.Errorf("a deleted webhook is still there; len(m.Webhooks()): got %v, want %v", len(m.Webhooks()), 0)
			}
		})
	}
}
