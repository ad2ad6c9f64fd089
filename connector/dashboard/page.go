package dashboard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// A view is what an address shows.
type view struct {
	Page    string // "prices", or "" for the list
	State   store.State
	Find    string
	ID      string   // of the publication in the panel
	Skipped int      // publications before this page
	After   []string // cursors, this page's last
	form    url.Values
}

const (
	pageSize  = 50
	mostBack  = 20 // pages that Previous leads back, and then to the first
	someHeld  = 8
	refusedBy = 5 // deliveries in a row: no accident
)

func viewOf(form url.Values) view {
	v := view{
		State: store.State(form.Get("state")), Find: form.Get("find"), ID: form.Get("id"), After: form["after"],
		Skipped: max(0, atoi(form.Get("skipped"))), form: form,
	}
	if form.Get("page") == "prices" {
		v.Page = "prices"
	}
	if !slices.Contains(store.States(), v.State) {
		v.State = ""
	}
	return v
}

// With returns the address with other values: names and values in turn.
func (v view) With(pairs ...any) string {
	form := url.Values{
		"page": {v.Page}, "state": {string(v.State)}, "find": {strings.TrimSpace(v.Find)}, "id": {v.ID}, "after": v.After,
	}
	if len(v.After) > 0 {
		form.Set("skipped", fmt.Sprint(v.Skipped))
	}
	if v.Page == "prices" {
		maps.Copy(form, v.rules())
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(fmt.Sprint(pairs[i]), fmt.Sprint(pairs[i+1]))
	}
	if form.Get("after") == "" {
		form.Del("skipped")
	}
	maps.DeleteFunc(form, func(_ string, values []string) bool { return len(values) == 0 || values[0] == "" })
	return "?" + form.Encode()
}

func (v view) rules() url.Values {
	rules := maps.Clone(v.form)
	maps.DeleteFunc(rules, func(name string, _ []string) bool { return !strings.HasPrefix(name, "PUBSYNC_") })
	return rules
}

// Next and Previous return the addresses of the pages beside this one.
func (v view) Next(after string) string {
	v.After = append(v.After[max(0, len(v.After)+1-mostBack):len(v.After):len(v.After)], after)
	v.Skipped += pageSize
	return v.With()
}

func (v view) Previous() string { return v.back().With() }

func (v view) back() view {
	v.After, v.Skipped = v.After[:len(v.After)-1], max(0, v.Skipped-pageSize)
	if len(v.After) == 0 {
		v.Skipped = 0
	}
	return v
}

type page struct {
	Options
	view
	Live   string
	Now    time.Time
	Said   string // what was done
	Count  int    // of products; below 0: the one in the panel
	Fault  string // why act failed
	Failed string // why the desk cannot tell
	Status desk.Status
	States []store.State
	List   desk.List
	HeldAt time.Time
	Groups []desk.HeldGroup
	Held   []desk.Listed
	Panel  *desk.Explanation
	Gone   string // why the panel is empty
	Prices *prices
}

func (p *page) fill(ctx context.Context, d desk.Desk) (err error) {
	if p.Status, err = d.Status(ctx); err != nil {
		return err
	}
	if p.ID != "" {
		e, err := d.Explain(ctx, p.ID)
		switch {
		case errors.Is(err, desk.ErrUnknown):
			p.Gone = err.Error()
		case err != nil:
			return err
		default:
			slices.Reverse(e.History)
			p.Panel = &e
		}
	}
	if p.Status.Publications[store.StateHeld] > 0 {
		some, err := d.Publications(ctx, desk.Query{State: store.StateHeld, Limit: someHeld})
		if err != nil {
			return err
		}
		held, err := d.Held(ctx, "", 1)
		if err != nil {
			return err
		}
		p.Held, p.HeldAt = some.Publications, held.At
		if p.State == "" || p.State == store.StateHeld {
			p.Groups = held.Groups
		}
	}
	switch {
	case p.Page != "prices":
		return p.fillList(ctx, d)
	case p.Live != "again": // else the browser shows the trial already
		p.Prices, err = tried(ctx, d, p.rules())
	}
	return err
}

// fillList goes back from pages that have emptied since.
func (p *page) fillList(ctx context.Context, d desk.Desk) (err error) {
	for {
		q := desk.Query{State: p.State, Find: p.Find, Limit: pageSize}
		if n := len(p.After); n > 0 {
			q.After = p.After[n-1]
		}
		p.List, err = d.Publications(ctx, q)
		if err != nil || q.After == "" || len(p.List.Publications) > 0 || p.List.Unfinished {
			return err
		}
		p.view = p.back()
	}
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
	case p.In("blocked", "held") > 0, s.Webhook.Error != "", s.Denied != "", p.Refuses():
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

// Refuses reports whether too many webhooks in a row are refused.
func (p *page) Refuses() bool {
	refused := p.Status.Webhook.Refused
	return refused != nil && refused.InARow >= refusedBy
}

// Unread reports whether the list was not read yet.
func (p *page) Unread() bool {
	return p.Status.Sweeps.Incremental.At.IsZero() && p.Status.Sweeps.Full.At.IsZero()
}
