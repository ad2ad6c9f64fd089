package install

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

func TestInstallation(t *testing.T) {
	h := newHouse(t, sandbox.Options{})
	b := h.browser()
	authorize := b.begin("")
	for name, want := range map[string]string{
		"response_type": "code", "client_id": sandbox.DefaultClientID, "scope": "account_read,products_read",
		"redirect_uri": origin + CallbackPath,
	} {
		if got := param(t, authorize, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if !strings.HasPrefix(authorize, market+"/oauth/authorize?") || len(param(t, authorize, "state")) < 20 {
		t.Errorf("got sent to %s, want the consent page with a state", authorize)
	}
	w := b.get(b.consent(authorize, sandbox.Consent{}))
	if want := market + "/oauth/finish?client_id=" + sandbox.DefaultClientID; w.Code != http.StatusFound ||
		w.Header().Get("Location") != want {
		t.Fatalf("answered %d, sent to %q, want %s\n%s", w.Code, w.Header().Get("Location"), want, w.Body)
	}
	tokens := h.box.InstalledTokens()
	if len(tokens) != 1 || h.kept() != tokens[0] || len(h.installed) != 1 || h.installed[0] != tokens[0] ||
		h.hidden[0] != tokens[0] {
		t.Errorf("got %q given, %q kept, %q installed, %q hidden, want one token in all", tokens, h.kept(), h.installed,
			h.hidden)
	}
	account, _ := store.Account(h.t.Context(), h.store)
	i, _ := Of(h.t.Context(), h.store)
	if account != "sandbox-retailer" || i.Account != "sandbox-retailer" {
		t.Errorf("got the store of %q with the id %q, want sandbox-retailer", account, i.Account)
	}
	data, err := os.ReadFile(h.store.Path())
	info, _ := os.Stat(h.store.Path())
	if err != nil || strings.Contains(string(data), tokens[0]) || info.Mode().Perm() != 0o600 {
		t.Errorf("the store's file holds the token as it is, or is %v: %v", info.Mode(), err)
	}
	if strings.Contains(h.said.String(), tokens[0]) || strings.Contains(h.said.String(), h.exchanges()[0].Operation) {
		t.Errorf("got a secret in the log: %s, want none", h.said.String())
	}
}

// Each row changes a request that would be answered otherwise.
func TestRequestsThatAreNotTheMarketplaces(t *testing.T) {
	now := time.Now()
	box := newHouse(t, sandbox.Options{}).box
	flip := func(address string) string {
		if strings.HasSuffix(address, "0") {
			return address[:len(address)-1] + "1"
		}
		return address[:len(address)-1] + "0"
	}
	at := func(d time.Duration) string {
		return box.Signed(now.Add(d), origin+Path, "account_id", "a")
	}
	good := at(0)
	for name, tt := range map[string]struct{ address, result string }{
		"another signature":              {flip(good), "signature"},
		"no signature":                   {good[:strings.Index(good, "&signature=")], "signature"},
		"an empty signature":             {good[:strings.Index(good, "&signature=")] + "&signature=", "signature"},
		"a time alone":                   {origin + Path + "?timestamp=1", "signature"},
		"an account alone":               {origin + Path + "?account_id=a", "signature"},
		"a query that is none":           {origin + Path + "?a=%", "signature"},
		"the redirect address, bare":     {origin + CallbackPath, "signature"},
		"another account":                {strings.Replace(good, "account_id=a", "account_id=b", 1), "signature"},
		"another time":                   {strings.Replace(good, "timestamp=1", "timestamp=2", 1), "signature"},
		"one more parameter":             {good + "&x=1", "signature"},
		"two signatures":                 {good + good[strings.Index(good, "&signature="):], "signature"},
		"another spelling of a value":    {strings.Replace(good, "account_id=a", "account_id=%61", 1), "signature"},
		"an old one":                     {at(-5*time.Minute - 2*time.Second), "stale"},
		"one of the future":              {at(5*time.Minute + 30*time.Second), "stale"},
		"no time":                        {box.Signed(time.Unix(0, 0), origin+Path), "stale"},
		"a time that is none":            {box.Signed(time.Unix(1<<62, 0), origin+Path), "stale"},
		"the redirect address, unsigned": {origin + CallbackPath + "?code=c&state=s", "signature"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, sandbox.Options{})
			h.expectRefused(
				h.browser().get(tt.address), http.StatusUnauthorized, tt.result, "pubsync was not installed",
			)
			h.expectNothing()
		})
	}
	for name, address := range map[string]string{
		"almost too old": at(-4*time.Minute - 50*time.Second), "the clock is behind": at(4 * time.Minute),
		"what a redirect address has already": box.Signed(now, origin+Path+"?lang=en%20x&z", "account_id", "a b"),
		"in upper case": good[:strings.Index(good, "&signature=")] + "&signature=" +
			strings.ToUpper(good[strings.Index(good, "&signature=")+11:]),
		"the signature first": func() string {
			path, query, _ := strings.Cut(good, "?")
			rest, signature, _ := strings.Cut(query, "&signature=")
			return path + "?signature=" + signature + "&" + rest
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			if w := newHouse(t, sandbox.Options{}).browser().get(address); w.Code != http.StatusFound {
				t.Errorf("got %d: %s, want 302", w.Code, w.Body)
			}
		})
	}
}

func TestOtherMethodsAndPaths(t *testing.T) {
	h := newHouse(t, sandbox.Options{})
	for _, method := range []string{http.MethodPost, http.MethodHead} {
		w := httptest.NewRecorder()
		h.handler.ServeHTTP(w, httptest.NewRequest(method, h.box.InstallURL(origin+Path, ""), nil))
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != http.MethodGet {
			t.Errorf("%s: got %d, Allow %q, want 405, GET", method, w.Code, w.Header().Get("Allow"))
		}
	}
	if Serves("/oauth/finish") || Serves("/webhooks") {
		t.Error("got other paths served, want the two addresses alone")
	}
}

func TestRefusedCallbacks(t *testing.T) {
	type answer = *httptest.ResponseRecorder
	const begun = "was not begun in this browser"
	// signed is a redirect of the marketplace's after an installation was begun
	signed := func(h *house, b *browser, parameters ...string) answer {
		state := param(h.t, b.begin(""), "state")
		for i := range parameters {
			parameters[i] = strings.ReplaceAll(parameters[i], "THE-STATE", state)
		}
		return b.get(h.box.Signed(time.Now(), origin+CallbackPath, append(parameters, "account_id", "a")...))
	}
	walk := func(c sandbox.Consent, faults ...sandbox.Fault) func(*house, *browser) answer {
		return func(h *house, b *browser) answer {
			for _, fault := range faults {
				fault.Next, fault.On = 1, []sandbox.Kind{sandbox.KindExchange}
				h.box.Inject(fault)
			}
			return b.walk(c)
		}
	}
	for _, tt := range []struct {
		name, result, reason string
		status, exchanges    int
		callback             func(h *house, b *browser) answer
	}{
		{"another state", "state", begun, http.StatusForbidden, 0, func(h *house, b *browser) answer {
			return signed(h, b, "code", "c", "state", "made-up")
		}},
		{"the state, for another account", "state", begun, http.StatusForbidden, 0, func(h *house, b *browser) answer {
			return signed(h, b, "code", "c", "state", "bobTHE-STATE")
		}},
		{"no state", "state", begun, http.StatusForbidden, 0, func(h *house, b *browser) answer {
			return signed(h, b, "code", "c")
		}},
		{"the state of another browser", "state", begun, http.StatusForbidden, 0, func(h *house, b *browser) answer {
			redirect := b.consent(b.begin(""), sandbox.Consent{})
			other := h.browser()
			other.begin("")
			return other.get(redirect)
		}},
		{"a browser without the cookie", "state", begun, http.StatusForbidden, 0, func(h *house, b *browser) answer {
			return h.browser().get(b.consent(b.begin(""), sandbox.Consent{}))
		}},
		{"declined", "declined", "was declined", http.StatusForbidden, 0, walk(sandbox.Consent{Decline: true})},
		{"declined, without a word", "declined", "was declined", http.StatusForbidden, 0, func(h *house, b *browser) answer {
			return signed(h, b, "state", "THE-STATE")
		}},
		{
			"a scope taken away", "scope", "products_read", http.StatusForbidden, 1,
			walk(sandbox.Consent{Without: []string{"products_read"}}),
		},
		{
			"every scope taken away", "scope", "account_read, products_read", http.StatusForbidden, 1,
			walk(sandbox.Consent{Without: []string{"products_read", "account_read"}}),
		},
		{
			"the exchange fails", "exchange", "HTTP 502", http.StatusBadGateway, 1,
			walk(sandbox.Consent{}, sandbox.Fault{Kind: sandbox.ServerError}),
		},
		{
			"the exchange is cut off, and may have been made", "exchange", "broke off its answer", http.StatusBadGateway, 1,
			walk(sandbox.Consent{}, sandbox.Fault{Kind: sandbox.Cut, Executed: true}),
		},
		{"an unknown code", "exchange", "HTTP 400", http.StatusBadGateway, 1, func(h *house, b *browser) answer {
			return signed(h, b, "code", "code-of-nobody", "state", "THE-STATE")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHouse(t, sandbox.Options{})
			h.expectRefused(tt.callback(h, h.browser()), tt.status, tt.result, tt.reason)
			h.expectNothing()
			if n := len(h.exchanges()); n != tt.exchanges {
				t.Errorf("%d exchanges, want %d", n, tt.exchanges)
			}
			if strings.Contains(h.said.String(), "code-") {
				t.Errorf("got a code in the log: %s, want none", h.said.String())
			}
			// and the way is free for the next
			if w := h.browser().walk(sandbox.Consent{}); w.Code != http.StatusFound {
				t.Errorf("the next installation: got %d, %s, want 302", w.Code, w.Body)
			}
		})
	}
}

// A redirect that is opened again, in the same browser or with a state of its own, spends no code a
// second time.
func TestReplayedCallbacks(t *testing.T) {
	h := newHouse(t, sandbox.Options{})
	b := h.browser()
	redirect := b.consent(b.begin(""), sandbox.Consent{})
	if w := b.get(redirect); w.Code != http.StatusFound {
		t.Fatalf("got %d: %s, want 302", w.Code, w.Body)
	}
	token := h.kept()
	h.expectRefused(b.get(redirect), http.StatusForbidden, "state", "was answered before")
	state := param(t, b.begin(""), "state")
	again := h.box.Signed(time.Now(),
		origin+CallbackPath, "account_id", "sandbox-retailer", "code", param(t, redirect, "code"), "state", state,
	)
	h.expectRefused(b.get(again), http.StatusForbidden, "code", "was used before")
	if n := len(h.exchanges()); n != 1 || h.kept() != token {
		t.Errorf("got %d exchanges and the token %q, want 1 and %q", n, h.kept(), token)
	}
}

// Two tabs of one browser do not end each other's installation.
func TestTwoTabs(t *testing.T) {
	h := newHouse(t, sandbox.Options{})
	b := h.browser()
	first := b.begin("")
	second := b.begin("")
	for _, authorize := range []string{second, first} {
		if w := b.get(b.consent(authorize, sandbox.Consent{})); w.Code != http.StatusFound {
			t.Errorf("got %d: %s, want 302", w.Code, w.Body)
		}
	}
}

// A cookie that somebody else chose binds no state.
func TestAChosenCookieBindsNothing(t *testing.T) {
	h := newHouse(t, sandbox.Options{})
	first := h.browser()
	first.begin("")
	for _, value := range append(slices.Collect(maps.Values(first.cookies)), "", "chosen-by-somebody-else") {
		redirect := h.browser().consent(h.browser().begin(""), sandbox.Consent{})
		other := h.browser()
		other.cookies[cookieName(strings.TrimPrefix(param(t, redirect, "state"), "."))] = value
		if w := other.get(redirect); w.Code != http.StatusForbidden || len(h.exchanges()) > 0 {
			t.Errorf("the cookie %q: got %d, %d exchanges, want 403 and none", value, w.Code, len(h.exchanges()))
		}
	}
}

// Nobody is logged in at the marketplace, so the application address comes without a signature.
// Every check of the callback stays.
func TestUnsignedInstallation(t *testing.T) {
	for _, query := range []string{"", "?", "?lang=nl"} {
		h := newHouse(t, sandbox.Options{})
		b := h.browser()
		w := b.get(origin + Path + query)
		if w.Code != http.StatusFound || len(w.Result().Cookies()) != 1 {
			t.Fatalf("%q: got %d: %s, want 302 with a cookie", query, w.Code, w.Body)
		}
		c := w.Result().Cookies()[0]
		if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/oauth/" || c.MaxAge != 900 {
			t.Errorf("%q: got the cookie %s, want it HttpOnly, Secure, Lax, for /oauth/ and 900 s", query, c)
		}
		if strings.Contains(w.Header().Get("Location"), c.Value) || len(c.Value) < 20 {
			t.Error("got the cookie short, or in the address of the marketplace, want it long and not there")
		}
		redirect := b.consent(w.Header().Get("Location"), sandbox.Consent{})
		h.expectRefused(h.browser().get(redirect), http.StatusForbidden, "state", "was not begun in this browser")
		unsigned := redirect[:strings.Index(redirect, "&signature=")]
		h.expectRefused(b.get(unsigned), http.StatusUnauthorized, "signature", "does not carry")
		if w := b.get(redirect); w.Code != http.StatusFound || h.kept() == "" {
			t.Errorf("%q: got %d: %s, want 302 and a token kept", query, w.Code, w.Body)
		}
		b.cookies[c.Name], b.until[c.Name] = c.Value, time.Time{} // a browser that keeps it all the same
		again := b.get(redirect)
		if again.Code != http.StatusForbidden || len(h.exchanges()) != 1 {
			t.Errorf("%q: opened again: got %d, %d exchanges, want 403, 1", query, again.Code, len(h.exchanges()))
		}
	}
}

func TestAnExchangeThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, sandbox.Options{})
		h.box.Inject(
			sandbox.Fault{Kind: sandbox.Slow, Delay: time.Hour, Next: 1, On: []sandbox.Kind{sandbox.KindExchange}},
		)
		start := time.Now()
		w := h.browser().walk(sandbox.Consent{})
		h.expectRefused(w, http.StatusBadGateway, "exchange", "did not answer within 10s")
		h.expectNothing()
		if took := time.Since(start); took != exchangeTimeout || len(h.exchanges()) != 1 {
			t.Errorf("got %d exchanges in %s, want 1 in %s", len(h.exchanges()), took, exchangeTimeout)
		}
	})
}

func TestAStateGrowsOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, sandbox.Options{})
		b := h.browser()
		authorize := b.begin("")
		time.Sleep((stateLasts - 1) * time.Second)
		second := b.begin("")
		time.Sleep(2 * time.Second)
		h.expectRefused(b.get(b.consent(authorize, sandbox.Consent{})), http.StatusForbidden, "state", "took too long")
		if w := b.get(b.consent(second, sandbox.Consent{})); w.Code != http.StatusFound {
			t.Errorf("got %d: %s, want 302", w.Code, w.Body)
		}
	})
}

// Strangers cannot hide in the log why an installation failed: what they send is counted alone.
func TestStrangersHideNothing(t *testing.T) {
	h := newHouse(t, sandbox.Options{})
	h.browser().get(origin + Path + "?signature=00")
	h.browser().get(h.box.Signed(time.Now(), origin+CallbackPath, "account_id", "a", "code", "c", "state", "made-up"))
	h.record(func() {
		if said := h.said.String(); strings.Count(said, "refused") != 1 || !strings.Contains(said, "why=state") {
			t.Errorf("got the log\n%s\nwant why=state alone in it", said)
		}
	})
}
