package dashboard_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/connector/dashboard"
	"github.com/pubsync/pubsync/connector/internal/chromium"
	"github.com/pubsync/pubsync/store"
)

// A house stands in for a process with several accounts.
type house struct {
	*httptest.Server

	mu       sync.Mutex
	accounts []dashboard.Account
	gone     bool
}

// newHouse has so many accounts that are at work, and one of each kind that is not.
func newHouse(t *testing.T, working int) *house {
	t.Helper()
	h := &house{}
	for i := range working {
		h.accounts = append(h.accounts, dashboard.Account{
			Name: fmt.Sprint("retailer-", i), State: "working", Due: i % 7, Outbox: i % 3,
			Publications: map[store.State]int{"live": 200 + i, "partial": 1},
		})
	}
	h.accounts = append(h.accounts,
		dashboard.Account{
			Name: "held", State: "working", Publications: map[store.State]int{"live": 5, "held": 12, "blocked": 1},
		},
		dashboard.Account{
			Name: "paused", State: "working", Due: 40, Publications: map[store.State]int{"live": 5},
			Paused: []string{"shop: 401 the key is wrong"}, Refused: []string{"shop refuses"},
		},
		dashboard.Account{Name: "broken", State: "faulty", Error: "broken.env: PUBSYNC_PRICE_ADD <b>"},
		dashboard.Account{Name: "others", State: "elsewhere", Publications: map[store.State]int{"live": 5}},
	)
	page := dashboard.Accounts(func(context.Context) []dashboard.Account {
		h.mu.Lock()
		defer h.mu.Unlock()
		return slices.Clone(h.accounts)
	})
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		gone := h.gone
		h.mu.Unlock()
		if gone {
			panic(http.ErrAbortHandler)
		}
		page.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

// TestAccounts is the page of accounts: an account is found by its name, and its page is a link that the keyboard
// reaches.
func TestAccounts(t *testing.T) {
	h := newHouse(t, 300)
	p := chromium.Start(t).Open(t, h.URL, 1200)
	p.Until(`document.querySelectorAll("#rows tr").length === 100`)
	p.Shows("PUBSYNC_PRICE_ADD <b>")
	p.Eval(`find = document.getElementById("find"); find.focus(); find.value = "HELD working";
		find.dispatchEvent(new Event("input", { bubbles: true })); true`)
	p.Until(`document.querySelectorAll("#rows tr").length === 1`)
	p.Key("Tab")
	if got := p.Eval(`document.activeElement.getAttribute("href")`); got != "accounts/held/" {
		t.Errorf("the key Tab leads to %v, want the account", got)
	}
	h.mu.Lock()
	h.accounts[300].Publications = map[store.State]int{"live": 5, "held": 11}
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
	p.Shows("The worker does not answer.")
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
				p.Eval(`find = document.getElementById("find"); find.focus(); find.value = "nothing";
					find.dispatchEvent(new Event("input", { bubbles: true })); true`)
				p.Shows("No account is like that.")
				judge(t, p, width, "no account")
			})
		}
	}
}
