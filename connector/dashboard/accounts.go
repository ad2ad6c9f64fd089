package dashboard

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/store"
)

// An Account is what a process knows of one of its accounts.
type Account struct {
	Name         string              `json:"name"`
	State        string              `json:"state"` // working (here), elsewhere, or faulty: begun again later
	Error        string              `json:"error,omitempty"`
	Publications map[store.State]int `json:"publications,omitempty"`
	Due          int                 `json:"due"`
	Outbox       int                 `json:"outbox"`
	Paused       []string            `json:"paused,omitempty"`  // why a side is paused
	Refuses      bool                `json:"refuses,omitempty"` // a side refuses credentials or an address
}

// Needs says what waits for a person.
func (a Account) Needs() string {
	var all []string
	if a.State == "faulty" || a.Refuses {
		all = append(all, "does not work")
	}
	for _, s := range []store.State{store.StateHeld, store.StateBlocked} {
		if n := a.Publications[s]; n > 0 {
			all = append(all, number(n)+" "+string(s))
		}
	}
	return strings.Join(all, ", ")
}

// OnSale counts the publications that are on sale as they should be.
func (a Account) OnSale() int {
	return a.Publications[store.StateLive] + a.Publications[store.StatePartial]
}

type accounts struct {
	Live                               string
	Now                                time.Time
	Waiting, Faulty, OnSale, Due, Owed int // of all accounts
	Shown                              []Account
}

// Accounts serves the page of a process's accounts.
func Accounts(list func(context.Context) []Account) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		a := &accounts{Live: r.Header.Get(liveHeader), Now: time.Now(), Shown: slices.Clone(list(r.Context()))}
		for _, one := range a.Shown {
			a.OnSale += one.OnSale()
			a.Due += one.Due
			a.Owed += one.Outbox
			if one.State == "faulty" {
				a.Faulty++
			}
			if one.Needs() != "" {
				a.Waiting++
			}
		}
		needs := func(a Account) int { return min(len(a.Needs()), 1) }
		slices.SortStableFunc(a.Shown, func(a, b Account) int { return needs(b) - needs(a) })
		answer(w, http.StatusOK, "data: https:", "accounts.html", a)
	})
	return mux
}
