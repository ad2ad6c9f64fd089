package dashboard_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/connector/dashboard"
	"github.com/pubsync/pubsync/connector/internal/chromium"
)

// A house stands in for a process with several accounts.
type house struct {
	*httptest.Server

	mu       sync.Mutex
	accounts []map[string]any
	gone     bool
}

// newHouse has so many accounts that are at work, and one of each kind that is not.
func newHouse(t *testing.T, working int) *house {
	t.Helper()
	h := &house{}
	for i := range working {
		h.accounts = append(h.accounts, map[string]any{
			"name": fmt.Sprint("retailer-", i), "state": "working", "due": i % 7, "outbox": i % 3,
			"publications": map[string]int{"live": 200 + i, "partial": 1},
		})
	}
	h.accounts = append(h.accounts,
		map[string]any{
			"name": "held", "state": "working", "due": 0, "outbox": 0,
			"publications": map[string]int{"live": 5, "held": 12, "blocked": 1},
		},
		map[string]any{
			"name": "paused", "state": "working", "due": 40, "outbox": 0,
			"publications": map[string]int{"live": 5}, "paused": []string{"shop: 401 the key is wrong"},
			"refused": []string{"shop refuses"},
		},
		map[string]any{"name": "broken", "state": "faulty", "error": "broken.env: PUBSYNC_PRICE_ADD <b>"},
		map[string]any{"name": "others", "state": "elsewhere", "publications": map[string]int{"live": 5}},
	)
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", dashboard.Accounts())
	mux.HandleFunc("GET /api/v1/accounts", func(w http.ResponseWriter, _ *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.gone {
			http.Error(w, "no", http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(map[string]any{"accounts": h.accounts}); err != nil {
			t.Error(err)
		}
	})
	h.Server = httptest.NewServer(mux)
	t.Cleanup(h.Close)
	return h
}

// TestAccounts is the page of accounts: what needs a person comes first, an account is found by its
// name, and its page is a link that the keyboard reaches.
func TestAccounts(t *testing.T) {
	h := newHouse(t, 300)
	p := chromium.Start(t).Open(t, h.URL, 1200)
	p.Until(`document.querySelectorAll("#rows tr").length === 100`)
	first := `[...document.querySelectorAll("#rows th")].slice(0, 3).map((n) => n.innerText).join()`
	if got, want := p.Eval(first), "broken,held,paused"; got != want {
		t.Errorf("the list begins with %v, want %s", got, want)
	}
	for _, want := range []string{
		"3 of 304 accounts need a person.", "PUBSYNC_PRICE_ADD <b>", "12 held, 1 blocked", "1–100 of 304",
	} {
		p.Shows(want)
	}
	p.Press("Next")
	p.Shows("101–200 of 304")
	p.Eval(`byID = document.getElementById("find"); byID.focus(); byID.value = "working HELD";
		byID.dispatchEvent(new Event("input")); true`)
	p.Shows("1 account")
	p.Key("Tab")
	if got := p.Eval(`document.activeElement.getAttribute("href")`); got != "accounts/held/" {
		t.Errorf("the key Tab leads to %v, want the account", got)
	}
	h.mu.Lock()
	h.accounts[300]["publications"] = map[string]int{"live": 5, "held": 11}
	h.mu.Unlock()
	p.Eval(look)
	p.Shows("11 held")
	if got := p.Eval(`document.activeElement.getAttribute("href")`); got != "accounts/held/" {
		t.Errorf("after a change the focus is on %v, want it where it was", got)
	}
	h.mu.Lock()
	h.gone = true
	h.mu.Unlock()
	p.Eval(look)
	p.Shows("The process does not answer.")
}

// TestAccountsAccessible has axe-core judge the page of accounts.
func TestAccountsAccessible(t *testing.T) {
	script := axe(t)
	browser := chromium.Start(t)
	for _, width := range []int{360, 1280, 2560} {
		for _, scheme := range []string{"light", "dark"} {
			t.Run(fmt.Sprint(width, " ", scheme), func(t *testing.T) {
				p := browser.Open(t, newHouse(t, 20).URL, width)
				p.Prefer(scheme)
				p.Until(`document.querySelectorAll("#rows tr").length === 24`)
				p.Eval(script + "; true")
				judge(t, p, width, "accounts")
				p.Eval(`document.getElementById("find").value = "nothing";
					document.getElementById("find").dispatchEvent(new Event("input")); true`)
				p.Shows("No account is like that.")
				judge(t, p, width, "no account")
			})
		}
	}
}
