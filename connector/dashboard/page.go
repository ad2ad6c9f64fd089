package dashboard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// A page is what an address shows of an account.
type page struct {
	Options

	desk.Query
	address url.Values // of this page
	Page    string     // "prices"; else it is the list
	ID      string     // of the publication in the panel

	Live   string
	Now    time.Time
	Said   string // what was done
	Count  int    // of products
	Fault  string // why act failed
	Failed string // why the desk cannot tell
	Status desk.Status
	States []store.State
	List   desk.List
	Held   desk.Held
	Panel  desk.Explanation // without ID: nothing is known of the one that was asked for
	Trial  *desk.Trial      // with the values of the form

	Changed map[string]string // the settings for the env file
}

func pageOf(r *http.Request, o Options) *page {
	address := r.URL.Query()
	count, _ := strconv.Atoi(address.Get("count")) //nolint:errcheck // then none
	return &page{
		Options: o, address: address, Page: address.Get("page"), ID: address.Get("id"),
		Query: desk.Query{
			State: store.State(address.Get("state")), Find: address.Get("find"), After: address.Get("after"), Limit: 50,
		},
		Live: r.Header.Get(liveHeader), Now: time.Now(), States: store.States(), Said: address.Get("said"), Count: count,
	}
}

// With returns the address with other values: names and values in turn.
func (p *page) With(pairs ...any) string {
	address := maps.Clone(p.address)
	address.Del("said")
	address.Del("count")
	for i := 0; i+1 < len(pairs); i += 2 {
		address.Set(fmt.Sprint(pairs[i]), fmt.Sprint(pairs[i+1]))
	}
	maps.DeleteFunc(address, func(_ string, values []string) bool { return values[0] == "" })
	return "?" + address.Encode()
}

func (p *page) fill(ctx context.Context, d Desk) (err error) {
	if p.Status, err = d.Status(ctx); err != nil {
		return err
	}
	if p.ID != "" {
		p.Panel, err = d.Explain(ctx, p.ID)
		if err != nil && !errors.Is(err, desk.ErrUnknown) {
			return err
		}
		slices.Reverse(p.Panel.History)
	}
	if p.Held, err = d.Held(ctx, ""); err != nil {
		return err
	}
	switch {
	case p.Page != "prices":
		p.List, err = d.Publications(ctx, p.Query)
	case p.Live != "again": // else the browser shows the trial already
		err = p.try(ctx, d)
	}
	return err
}

// In counts the publications in these states, or all.
func (p *page) In(states ...string) (n int) {
	for state, many := range p.Status.Publications {
		if len(states) == 0 || slices.Contains(states, string(state)) {
			n += many
		}
	}
	return n
}

// Listed counts the import list.
func (p *page) Listed() int { return p.In() - p.In("withdrawn") }

// Level is bad if work stands still, attention if it needs a person, busy if it goes on by itself, else good.
// verdict.html has the words of each case, in the same order.
func (p *page) Level() string {
	switch s := p.Status; {
	case p.Failed != "", s.Store.Error != "", s.Shop.Paused, s.Marketplace.Paused, p.SweepError() != "":
		return "bad"
	case p.In("blocked", "held") > 0, s.Webhook.Error != "", s.Denied != "", s.Webhook.Refuses():
		return "attention"
	case p.In() == 0 && p.Unread(), p.In("pending", "rejected")+s.Refused > 0:
		return "busy"
	}
	return "good"
}

// SweepError is of the last sweep, of either kind.
func (p *page) SweepError() string {
	s := p.Status.Sweeps
	if s.Full.At.After(s.Incremental.At) {
		return s.Full.Error
	}
	return s.Incremental.Error
}

// Unread reports whether the list was not read yet.
func (p *page) Unread() bool {
	return p.Status.Sweeps.Incremental.At.IsZero() && p.Status.Sweeps.Full.At.IsZero()
}

// Picture returns a picture's address if the policy shows it.
func (p *page) Picture(address string) string {
	if !p.Demo && !strings.HasPrefix(address, "https:") {
		return ""
	}
	return web(address)
}

// try has the rules in the address tried.
func (p *page) try(ctx context.Context, d Desk) error {
	p.Changed = map[string]string{}
	for name := range p.address {
		if strings.HasPrefix(name, "PUBSYNC_") {
			p.Changed[name] = strings.TrimSpace(p.address.Get(name))
		}
	}
	t, err := d.Try(ctx, maps.Clone(p.Changed))
	maps.DeleteFunc(p.Changed, func(name, value string) bool { return value == t.Values[name] })
	maps.Copy(t.Values, p.Changed)
	p.Trial = &t
	return err
}

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
