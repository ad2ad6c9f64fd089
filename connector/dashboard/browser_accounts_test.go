package dashboard_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/pubsync/pubsync/connector/dashboard"
	"github.com/pubsync/pubsync/connector/internal/chromium"
	"github.com/pubsync/pubsync/store"
)

// newHouse serves the page of many accounts that are at work, and one of each kind that is not.
func newHouse(t *testing.T) *httptest.Server {
	t.Helper()
	accounts := []dashboard.Account{
		{Name: "held", State: "working", Publications: map[store.State]int{"live": 5, "held": 12, "blocked": 1}},
		{
			Name: "paused", State: "working", Due: 40, Publications: map[store.State]int{"live": 5},
			Paused: []string{"shop: 401 the key is wrong"}, Refuses: true,
		},
		{Name: "broken", State: "faulty", Error: "broken.env: PUBSYNC_PRICE_ADD <b>"},
		{Name: "others", State: "elsewhere", Publications: map[store.State]int{"live": 5}},
	}
	for i := range 300 {
		accounts = append(accounts, dashboard.Account{
			Name: fmt.Sprint("retailer-", i), State: "working", Due: i % 7, Outbox: i % 3,
			Publications: map[store.State]int{"live": 200 + i, "partial": 1},
		})
	}
	h := httptest.NewServer(dashboard.Accounts(func(context.Context) []dashboard.Account { return accounts }))
	t.Cleanup(h.Close)
	return h
}

// Each account's page is a link that the keyboard reaches; those that need a person come first.
func testAccounts(t *testing.T, c *chromium.Browser) {
	h := newHouse(t)
	p := c.Open(t, h.URL, 1200)
	p.Until(`document.querySelectorAll("#rows tr").length > 300`)
	p.Shows("PUBSYNC_PRICE_ADD <b>")
	p.Eval(`document.getElementById("list").focus()`)
	p.Key("Tab")
	if got := p.Eval(`document.activeElement.getAttribute("href")`); got != "accounts/held/" {
		t.Errorf("the key Tab leads to %v, want the account", got)
	}
	h.Close()
	p.Eval(look)
	p.Shows("The worker does not answer.")
}
