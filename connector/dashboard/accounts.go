package dashboard

import (
	"cmp"
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
	Refused      []string            `json:"refused,omitempty"` // the sides that refuse credentials or an address
}

// Needs says what waits for a person.
func (a Account) Needs() string {
	var all []string
	if a.State == "faulty" {
		all = append(all, "does not work")
	}
	for _, s := range []store.State{store.StateHeld, store.StateBlocked} {
		if n := a.Publications[s]; n > 0 {
			all = append(all, number(n)+" "+string(s))
		}
	}
	return strings.Join(append(all, a.Refused...), ", ")
}

// OnSale counts the publications that are on sale as they should be.
func (a Account) OnSale() int {
	return a.Publications[store.StateLive] + a.Publications[store.StatePartial]
}

// levels tell how urgent an account, or a page of them, is: one that is faulty, one that needs a person, the rest.
var levels = []string{"bad", "attention", "good"}

// rank returns the place in levels.
func (a Account) rank() int {
	switch {
	case a.State == "faulty":
		return 0
	case a.Needs() != "":
		return 1
	}
	return 2
}

type accounts struct {
	Live, Level, Find                  string
	Waiting, Faulty, OnSale, Due, Owed int
	Now                                time.Time
	Shown                              []Account
	All, Found                         int
}

const accountsShown = 100 // the others are found by name

// Accounts serves the page of a process's accounts.
func Accounts(list func(context.Context) []Account) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		found := slices.Clone(list(r.Context()))
		a := &accounts{Live: r.Header.Get(liveHeader), Now: time.Now(), Find: r.FormValue("find"), All: len(found)}
		worst, ranked := len(levels)-1, [3]int{}
		for _, one := range found {
			a.OnSale, a.Due, a.Owed = a.OnSale+one.OnSale(), a.Due+one.Due, a.Owed+one.Outbox
			worst = min(worst, one.rank())
			ranked[one.rank()]++
		}
		a.Level, a.Faulty, a.Waiting = levels[worst], ranked[0], ranked[0]+ranked[1]
		words := strings.Fields(strings.ToLower(a.Find))
		found = slices.DeleteFunc(found, func(a Account) bool {
			text := strings.ToLower(strings.Join([]string{a.Name, a.State, a.Error, a.Needs()}, " "))
			return slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
		})
		slices.SortStableFunc(found, func(a, b Account) int {
			return cmp.Or(cmp.Compare(a.rank(), b.rank()), strings.Compare(a.Name, b.Name))
		})
		a.Found, a.Shown = len(found), found[:min(len(found), accountsShown)]
		answer(w, http.StatusOK, "accounts.html", a)
	})
	return mux
}
