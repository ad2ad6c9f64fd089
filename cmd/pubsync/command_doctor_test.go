// doctor finds what the worker would meet, and says what to do.

package main_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// checked is what the doctor says of each check.
func (s *site) checked(r result) (ok map[string]bool, detail map[string]string) {
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
	ok, detail = map[string]bool{}, map[string]string{}
	for _, c := range found.Checks {
		ok[c.Check], detail[c.Check] = c.OK, c.Detail
	}
	return ok, detail
}

// denying stands before the marketplace and denies, with the token accepted, every request in which
// the word stands.
func denying(t *testing.T, market, word, answer string) string {
	t.Helper()
	to, err := url.Parse(market)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if strings.Contains(string(body), word) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, answer) //nolint:errcheck // a client that is gone does not read it
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A token that is accepted and lacks a right that the worker needs is not called good.
func TestTheDoctorAsksWhatTheWorkerWillAsk(t *testing.T) {
	t.Parallel()
	const denied = `{"data":{"publications":null},"errors":[{"message":"Access denied for publications",` +
		`"path":["publications"],"extensions":{"code":"ACCESS_DENIED"}}]}`
	for _, tt := range []struct {
		name, word, answer string
		empty              bool
		check              string // that fails
		says               string
	}{
		{name: "the list", word: "publications(", answer: denied, check: "list", says: "may not list publications"},
		{
			name: "a publication", word: "query Content", answer: strings.ReplaceAll(denied, "publications", "publication"),
			check: "content", says: "may not read a publication",
		},
		{
			name: "a publication of an empty list", word: "query Content", empty: true,
			answer: strings.ReplaceAll(denied, "publications", "publication"), check: "content",
			says: "may not read a publication",
		},
		{
			name: "a field of the content", word: "query Content",
			answer: `{"errors":[{"message":"Cannot query field 'listing' on type 'Publication'."}]}`, check: "content",
			says: "listing",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			if !tt.empty {
				s.lamps(2)
			}
			s.set("MARKETPLACE_URL", denying(t, s.market.URL, tt.word, tt.answer))
			r := s.call("doctor", "--json")
			ok, detail := s.checked(r)
			if r.code != 3 || ok[tt.check] || !ok["token"] || !strings.Contains(detail[tt.check], tt.says) {
				t.Errorf("exit %d, want 3 for the %s: %v", r.code, tt.check, detail)
			}
		})
	}
	t.Run("content where the list cannot be read", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		s.lamps(2)
		s.set("MARKETPLACE_URL", denying(t, s.market.URL, "publications(", denied))
		if ok, detail := s.checked(s.call("doctor", "--json")); ok["content"] || !ok["report"] {
			t.Errorf("content is called good: %v", detail)
		}
	})
	t.Run("a report without introspection", func(t *testing.T) {
		s := open(t, sandbox.Options{NoIntrospection: true})
		s.lamps(2)
		s.set("MARKETPLACE_URL",
			denying(t, s.market.URL, "publicationStatusUpdated",
				`{"errors":[{"message":"Cannot query field 'publicationStatusUpdated' on type 'Mutation'."}]}`))
		r := s.call("doctor", "--json")
		if ok, detail := s.checked(r); r.code != 3 || ok["report"] || !ok["content"] {
			t.Errorf("exit %d, want 3: %v", r.code, detail)
		}
	})
}

// Where the schema cannot be read, the doctor says what to set.
func TestTheDoctorSaysWhichFormsToSet(t *testing.T) {
	s := open(t, sandbox.Options{
		NoIntrospection: true, Status: sandbox.StatusEnumUpper, NoUserErrors: true,
		Lacks: []string{
			"PublicationConnection.nodes", "ListingVariantConnection.nodes", "ImageConnection.nodes",
			"ProductVariantConnection.nodes", "WebhookConnection.nodes", "ChannelConnection.nodes",
		},
	})
	s.lamps(2)
	set := ""
	for _, part := range []string{"connections=edges", "status=SUCCESS,FAILED", "userErrors=none"} {
		s.once("--patience", "20s")
		if r := s.call("doctor"); !strings.Contains(r.stdout, part) {
			t.Fatalf("with %q: exit %d, %s; want %q in it", set, r.code, r.stdout, part)
		}
		set += " " + part
		s.set("MARKETPLACE_FORMS", set)
	}
	s.imported()
	if n := len(s.market.Reports()); n != 2 {
		t.Errorf("%d reports, want 2", n)
	}
	if r := s.call("doctor"); r.code != 0 {
		t.Errorf("exit %d, %s, want 0", r.code, r.stdout)
	}
}

// The doctor and the status name the right that a token lacks which may read and not report.
func TestTheDoctorNamesTheRightToReport(t *testing.T) {
	const want = "the token may not report the status of publications"
	s := open(t, sandbox.Options{})
	s.lamps(3)
	s.market.Inject(sandbox.Fault{Kind: sandbox.DeniedReport, Probability: 1, On: []sandbox.Kind{sandbox.KindReport}})
	if sum := s.once(); sum.Exit != 1 || sum.Refused != 3 || sum.Created != 3 {
		t.Errorf("the run: %+v", sum)
	}
	r := s.call("doctor", "--json")
	if ok, detail := s.checked(r); r.code != 3 || ok["report"] || !ok["content"] ||
		!strings.Contains(detail["report"], want) ||
		!strings.Contains(detail["report"], "3 reports are owed") {
		t.Errorf("exit %d, want 3, report: %q", r.code, detail["report"])
	}
	if r := s.call("status"); !strings.Contains(r.stdout, want) || strings.Contains(r.stdout, "paused") {
		t.Errorf("status:\n%s", r.stdout)
	}
	s.market.Heal()
	s.once()
	if ok, detail := s.checked(s.call("doctor", "--json")); !ok["report"] {
		t.Errorf("once it may: %q", detail["report"])
	}
}

// With everything in order each question is named, nothing is written, and it costs a few points.
func TestTheDoctorCostsAFewPoints(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(40)
	r := s.call("doctor", "--json")
	ok, detail := s.checked(r)
	for _, check := range []string{
		"configuration", "store", "disk", "token", "schema", "list", "content",
		"price", "report", "webhook", "clock", "shop", "page",
	} {
		if !ok[check] {
			t.Errorf("%s: %q", check, detail[check])
		}
	}
	cost := 0
	for _, request := range s.market.Requests() {
		cost += request.ActualCost
	}
	if n := len(s.market.Reports()); r.code != 0 || n != 0 || cost > 60 {
		t.Errorf("exit %d, want 0, %d reports, %d points", r.code, n, cost)
	}
}

// A fault of the configuration stops only the checks that need the value, and all of them are
// listed.
func TestAFaultStopsOnlyTheChecksThatNeedTheValue(t *testing.T) {
	t.Parallel()
	all := []string{
		"store", "disk", "token", "schema", "list", "content", "price", "report", "webhook", "clock", "shop", "page",
	}
	market := []string{"token", "schema", "list", "content", "report", "webhook"}
	for _, tt := range []struct {
		name    string
		set     []string
		stopped []string
	}{
		{"a price rule", []string{"PRICE_BASE", "x", "STOCK_BUFFER", "-1"}, []string{"price"}},
		{"the shop's address", []string{"HTTP_URL", "nowhere", "LOG_LEVEL", "loud"}, []string{"shop"}},
		{"the shop's adapter", []string{"SHOP_ADAPTER", "magento"}, []string{"shop"}},
		{"the token", []string{"MARKETPLACE_TOKEN", ""}, market},
		{"the token's file", []string{"MARKETPLACE_TOKEN", "", "MARKETPLACE_TOKEN_FILE", "/no/such/file"}, market},
		{"the marketplace's address", []string{"MARKETPLACE_URL", "nowhere"}, append(slices.Clone(market), "clock")},
		{
			"the webhook's address",
			[]string{"WEBHOOK_URL", "https://localhost/webhooks", "WEBHOOK_LISTEN", "127.0.0.1:0", "WEBHOOK_SECRET", hookSecret},
			[]string{"webhook"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.lamps(1)
			r := s.callWith(tt.set, "doctor", "--json")
			ok, detail := s.checked(r)
			if r.code != 2 || ok["configuration"] {
				t.Errorf("exit %d, want 2, %s", r.code, detail["configuration"])
			}
			for i := 0; i < len(tt.set); i += 2 {
				if bad := tt.set[i+1]; (bad == "x" || bad == "-1" || bad == "nowhere" || bad == "loud") &&
					!strings.Contains(detail["configuration"], tt.set[i]) {
					t.Errorf("PUBSYNC_%s is not named: %s", tt.set[i], detail["configuration"])
				}
			}
			for _, check := range all {
				stopped := strings.HasPrefix(detail[check], "not checked: mend PUBSYNC_")
				if want := slices.Contains(tt.stopped, check); stopped != want || ok[check] == want {
					t.Errorf("%s: %q, stopped %t, want %t", check, detail[check], stopped, want)
				}
			}
		})
	}
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		upset func(*site)
		code  int
		check string // the one that fails
	}{
		{"all well", func(*site) {}, 0, ""},
		{"the token is refused", func(s *site) { s.set("MARKETPLACE_TOKEN", "old") }, 3, "token"},
		{"the marketplace is away", func(s *site) { s.set("MARKETPLACE_URL", nobody(s.t)) }, 3, "token"},
		{"the shop's credentials are refused", func(s *site) { s.shop.healthy(401) }, 4, "shop"},
		{"the shop is away", func(s *site) { s.set("HTTP_URL", nobody(s.t)) }, 4, "shop"},
		{"the store is damaged", func(s *site) {
			if err := writeFile(s.env["PUBSYNC_STORE_PATH"], strings.Repeat("x", 9000)); err != nil {
				s.t.Fatal(err)
			}
		}, 5, "store"},
		{"the webhook's address is doubtful", func(s *site) {
			s.set("WEBHOOK_URL", "https://www.shop.example/hooks", "WEBHOOK_LISTEN", freePort(s.t), "WEBHOOK_SECRET", hookSecret)
			s.register("https://www.shop.example/hooks")
			s.market.Forget() // the doctor writes nothing
			if r := s.call("doctor"); !strings.Contains(r.stdout, "is on a www host") {
				s.t.Errorf("the doctor does not warn: %s", r.stdout)
			}
		}, 0, ""},
		{"a setting is wrong", func(s *site) { s.set("PRICE_BASE", "x") }, 2, "configuration"},
		{"the webhook is not registered", func(s *site) {
			s.set("WEBHOOK_URL", "http://127.0.0.1:1/webhooks", "WEBHOOK_LISTEN", freePort(s.t), "WEBHOOK_SECRET", hookSecret)
		}, 1, "webhook"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			tt.upset(s)
			r := s.call("doctor", "--json")
			var found struct {
				Checks []struct {
					Check, Detail string
					OK            bool
				}
			}
			r.decode(t, &found)
			if r.code != tt.code {
				t.Errorf("exit %d, want %d", r.code, tt.code)
			}
			failed := map[string]string{}
			for _, c := range found.Checks {
				if !c.OK {
					failed[c.Check] = c.Detail
				}
			}
			if tt.name == "the token is refused" && (failed["list"] != "not checked: the marketplace refuses the token" ||
				s.market.Totals()[sandbox.KindList].Requests > 0) {
				t.Errorf("a refused token is used again: %v", failed)
			}
			if (len(failed) > 0) != (tt.code != 0) || tt.check != "" && failed[tt.check] == "" {
				t.Errorf("what fails: %v, want %q among it", failed, tt.check)
			}
			if n := s.market.Totals()[sandbox.KindWebhookCreate].Requests + len(s.shop.requests("")); n != 0 {
				t.Errorf("the doctor wrote %d times", n)
			}
			words := s.call("doctor")
			if lines := strings.Count(strings.TrimSpace(words.stdout), "\n") + 1; words.code != tt.code ||
				lines < len(found.Checks) {
				t.Errorf("in words: exit %d, %d lines for %d checks", words.code, lines, len(found.Checks))
			}
		})
	}
}

// createWebhook registers an address with a marketplace, as a person does in its admin.
func createWebhook(t *testing.T, market, token, address string) {
	t.Helper()
	header := map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json"}
	res, answer := ask(t, "POST", market+"/v1/graphql",
		`{"query":"mutation{webhookCreate(input:{callbackUrl:\"`+address+
			`\",events:[\"PUBLICATION_CREATED\",\"PRODUCT_UPDATED\",\"PRODUCT_DELETED\"],active:true})`+
			`{webhook{id} userErrors{message}}}"}`, header)
	if !strings.Contains(answer, `"webhook":{"id"`) {
		t.Fatalf("%s, %s", res.Status, answer)
	}
}

// register registers an address with the marketplace of the site.
func (s *site) register(address string) { createWebhook(s.t, s.market.URL, marketToken, address) }

// One that is made beside the worker's own delivers everything twice: the doctor names it, and is
// content. A proxy before the marketplace appends a slash to every address.
func TestTheDoctorNamesASuperfluousWebhook(t *testing.T) {
	s := open(t, sandbox.Options{KeepCallback: func(address string) string { return address + "/" }})
	address := "http://127.0.0.1:1/webhooks"
	s.set("WEBHOOK_URL", address, "WEBHOOK_LISTEN", freePort(t), "WEBHOOK_SECRET", hookSecret)
	s.register(address)
	s.register(address)
	second := s.market.Webhooks()[1].ID
	if r := s.call("doctor"); r.code != 0 || !strings.Contains(r.stdout, "superfluous") ||
		!strings.Contains(r.stdout, second) {
		t.Errorf("exit %d, want 0, %s", r.code, r.stdout)
	}
}
