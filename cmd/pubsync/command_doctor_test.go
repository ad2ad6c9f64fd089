// doctor finds what the worker would meet, and says what to do.

package main_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// checked is what the doctor says of each check, in the order in which it says it, and those that fail.
func (s *site) checked(r result) (order, failed []string, detail map[string]string) {
	s.t.Helper()
	var found struct {
		Checks []struct {
			Check, Detail string
			OK            bool
		}
		Exit int
	}
	r.decode(s.t, &found)
	if found.Exit != r.code {
		s.t.Errorf("it prints exit %d and ends with %d", found.Exit, r.code)
	}
	detail = map[string]string{}
	for _, c := range found.Checks {
		order = append(order, c.Check)
		if detail[c.Check] = c.Detail; !c.OK {
			failed = append(failed, c.Check)
		}
	}
	return order, failed, detail
}

// denies stands before the marketplace and answers each request in which a word stands.
func (s *site) denies(word, answer string) {
	s.t.Helper()
	s.set("MARKETPLACE_URL", before(s.t, s.market.URL, func(w http.ResponseWriter, body string) bool {
		if !strings.Contains(body, word) {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer) //nolint:errcheck // a client that is gone does not read it
		return true
	}))
}

// registers sets an address of webhooks, and registers it so many times as a person does.
func (s *site) registers(address string, times int) {
	s.t.Helper()
	s.set("WEBHOOK_URL", address, "WEBHOOK_LISTEN", freePort(s.t), "WEBHOOK_SECRET", hookSecret)
	market := marketplace.New(marketplace.Config{URL: s.market.URL, Token: marketToken})
	for range times {
		events := []string{"PUBLICATION_CREATED", "PRODUCT_UPDATED", "PRODUCT_DELETED"}
		if _, err := market.RegisterWebhook(s.t.Context(), address, events); err != nil {
			s.t.Fatal(err)
		}
	}
	s.market.Forget()
}

// Each row is what is amiss, and what the doctor says of it: which checks fail, the exit code, and a
// sentence of one check. It writes nothing, and costs few points.
func TestDoctor(t *testing.T) {
	unraced(t)
	t.Parallel()
	const (
		denied = `{"data":{"publication":null},"errors":[{"message":"Access denied for publication",` +
			`"path":["publication"],"extensions":{"code":"ACCESS_DENIED"}}]}`
		asking = "token schema list content report webhook"
		all    = "configuration store disk token schema list content price report webhook clock shop page"
		sum    = "the msrp includes VAT and is not taxed again; msrp 20 × (1 + 0 %) + 0 = 20.00"
	)
	set := func(pairs ...string) func(*site) { return func(s *site) { s.set(pairs...) } }
	for _, tt := range []struct {
		name   string
		upset  func(*site)
		code   int
		fails  string
		check  string // says this
		says   string
		market sandbox.Options
		lamps  int // more than one
	}{
		{name: "all well", lamps: 40, check: "price", says: sum},
		{
			name: "the token is refused", upset: set("MARKETPLACE_TOKEN", "old"), code: 3, fails: asking,
			check: "list", says: "not checked: the token's check failed",
		},
		{
			name: "the marketplace is away", upset: func(s *site) { s.set("MARKETPLACE_URL", nobody(s.t)) }, code: 3,
			fails: asking, check: "token", says: "PUBSYNC_MARKETPLACE_URL",
		},
		{
			name: "the shop's credentials are refused", upset: func(s *site) { s.shop.healthy(401) }, code: 4,
			fails: "shop", check: "shop", says: "PUBSYNC_HTTP_TOKEN",
		},
		{name: "the shop is away", upset: func(s *site) { s.set("HTTP_URL", nobody(s.t)) }, code: 4, fails: "shop"},
		{
			name: "the shop sells in another currency", code: 2, fails: "shop", check: "shop", says: noConversion,
			upset: func(s *site) { s.shop.Can(shoptest.Abilities{Currency: "USD"}) },
		},
		{name: "the store is damaged", code: 5, fails: "store", check: "store", says: "corrupt", upset: func(s *site) {
			if err := writeFile(s.env["PUBSYNC_STORE_PATH"], strings.Repeat("x", 9000)); err != nil {
				s.t.Fatal(err)
			}
		}},
		{
			name: "the webhook's address is doubtful", check: "configuration", says: "is on a www host",
			upset: func(s *site) { s.registers("https://www.shop.example/hooks", 1) },
		},
		{
			name: "the webhook is not registered", code: 1, fails: "webhook", check: "webhook", says: "pubsync run registers it",
			upset: func(s *site) { s.registers("http://127.0.0.1:1/webhooks", 0) },
		},
		{ // a proxy before the marketplace appends a slash to every address
			name: "the webhook is registered twice", check: "webhook", says: "is registered and active",
			market: sandbox.Options{KeepCallback: func(address string) string { return address + "/" }},
			upset:  func(s *site) { s.registers("http://127.0.0.1:1/webhooks", 2) },
		},
		{
			name: "a publication is denied", upset: func(s *site) { s.denies("query Content", denied) }, code: 3,
			fails: "content", check: "content", says: "may not read a publication",
		},
		{
			name: "there is no report", code: 3, fails: "report", check: "report", says: "no mutation publicationStatusUpdated",
			market: sandbox.Options{Lacks: []string{"Mutation.publicationStatusUpdated"}},
		},
		{ // where the schema cannot be read, it says what to set
			name: "a list of another form", code: 3, fails: "list", check: "schema", says: "connections=edges",
			market: sandbox.Options{NoIntrospection: true, Lacks: []string{"PublicationConnection.nodes"}},
		},
		{name: "a worker has just used the points", upset: func(s *site) { // the check is made again
			if _, err := s.market.Carry(sandbox.Order{Do: []string{"throttle"}, On: sandbox.KindList, Next: 1}); err != nil {
				s.t.Fatal(err)
			}
		}},
		{
			name: "a report is denied", code: 3, fails: "report", check: "report", says: "the token may not report",
			upset: func(s *site) {
				s.market.Inject(sandbox.Fault{
					Kind: sandbox.DeniedReport, Probability: 1, On: []sandbox.Kind{sandbox.KindReport},
				})
				s.once()
				s.shop.forget()
				s.market.Forget()
			},
		},
		{
			name: "a price rule is wrong", upset: set("PRICE_BASE", "x", "STOCK_BUFFER", "-1"), code: 2,
			fails: "configuration", check: "configuration", says: "PUBSYNC_STOCK_BUFFER",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, tt.market)
			s.lamps(1 + tt.lamps)
			if tt.upset != nil {
				tt.upset(s)
			}
			r := s.call("doctor", "--json")
			order, failed, detail := s.checked(r)
			if r.code != tt.code {
				t.Errorf("exit %d, want %d", r.code, tt.code)
			}
			if want := strings.Fields(tt.fails); !slices.Equal(failed, want) {
				t.Errorf("what fails: %v, want %v", failed, want)
			}
			if !strings.Contains(detail[tt.check], tt.says) {
				t.Errorf("%s: %q, want %q in it", tt.check, detail[tt.check], tt.says)
			}
			want := all
			if slices.Contains(failed, "configuration") {
				want = "configuration"
			}
			if got := strings.Join(order, " "); got != want {
				t.Errorf("it checks %s, want %s", got, want)
			}
			if tt.upset == nil && s.storeBytes() != nil {
				t.Error("it made a store")
			}
			writes, cost := len(s.shop.requests(""))+len(s.market.Reports()), 0
			for _, r := range s.market.Requests() {
				if cost += r.ActualCost; r.Kind == sandbox.KindWebhookCreate {
					writes++
				}
			}
			if writes > 0 || cost > 60 {
				t.Errorf("it wrote %d times, and cost %d points", writes, cost)
			}
		})
	}
}
