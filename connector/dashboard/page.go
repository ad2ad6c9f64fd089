package dashboard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// A page is what an address shows of an account.
type page struct {
	Options

	address url.Values // of this page
	Page    string     // "prices"; else it is the list
	State   store.State
	Find    string
	ID      string // of the publication in the panel
	After   string // the cursor of the page before

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

const pageSize = 50

func pageOf(r *http.Request, o Options) *page {
	address := r.URL.Query()
	return &page{
		Options: o, address: address, Page: address.Get("page"), State: store.State(address.Get("state")),
		Find: address.Get("find"), ID: address.Get("id"), After: address.Get("after"),
		Live: r.Header.Get(liveHeader), Now: time.Now(), States: store.States(),
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
	if p.In("held") > 0 {
		if p.Held, err = d.Held(ctx, "", 1); err != nil { // of the changes, only the groups are shown
			return err
		}
	}
	switch {
	case p.Page != "prices":
		p.List, err = d.Publications(ctx, desk.Query{State: p.State, Find: p.Find, After: p.After, Limit: pageSize})
	case p.Live != "again": // else the browser shows the trial already
		err = p.try(ctx, d)
	}
	return err
}

// In counts the publications in these states.
func (p *page) In(states ...string) (n int) {
	for _, state := range states {
		n += p.Status.Publications[store.State(state)]
	}
	return n
}

// Listed counts the import list; All also counts what has left it.
func (p *page) Listed() int { return p.All() - p.In("withdrawn") }

func (p *page) All() (n int) {
	for _, many := range p.Status.Publications {
		n += many
	}
	return n
}

// Level is bad if work stands still, attention if it needs a person, busy if it goes on by itself, else good.
// verdict.html has the words of each case, in the same order.
func (p *page) Level() string {
	switch s := p.Status; {
	case p.Failed != "", s.Store.Error != "", s.Shop.Paused, s.Marketplace.Paused, p.SweepError() != "":
		return "bad"
	case p.In("blocked", "held") > 0, s.Webhook.Error != "", s.Denied != "", s.Webhook.Refuses():
		return "attention"
	case p.All() == 0 && p.Unread(), p.In("pending", "rejected")+s.Refused > 0:
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
