package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// A view is what an address shows.
type view struct {
	Page  string // "prices", or "" for the list
	State store.State
	Find  string
	ID    string   // of the publication in the panel; "": none
	After []string // the cursors of the pages before this one; the last is this page's
	form  url.Values
}

func viewOf(form url.Values) view {
	v := view{
		State: store.State(form.Get("state")), Find: form.Get("find"), ID: form.Get("id"), After: form["after"], form: form,
	}
	if form.Get("page") == "prices" {
		v.Page = "prices"
	}
	if !slices.Contains(store.States(), v.State) {
		v.State = ""
	}
	return v
}

// With is the address of the view with other values: names and values in turn.
func (v view) With(pairs ...any) string {
	form := url.Values{
		"page": {v.Page}, "state": {string(v.State)}, "find": {strings.TrimSpace(v.Find)}, "id": {v.ID}, "after": v.After,
	}
	if v.Page == "prices" {
		for name, values := range v.form {
			if strings.HasPrefix(name, "PUBSYNC_") {
				form[name] = values
			}
		}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		form[word(pairs[i])] = []string{word(pairs[i+1])}
	}
	for name, values := range form {
		if form[name] = slices.DeleteFunc(slices.Clone(values), empty); len(form[name]) == 0 {
			delete(form, name)
		}
	}
	return "?" + form.Encode()
}

func empty(s string) bool { return s == "" }

// Next and Previous are the addresses of the pages beside this one.
func (v view) Next(after string) string {
	v.After = append(slices.Clone(v.After), after)
	return v.With()
}

func (v view) Previous() string {
	v.After = v.After[:len(v.After)-1]
	return v.With()
}

// A page is what the template of an account's page shows.
type page struct {
	Options
	view
	Live        bool // for the script, which has style and script already
	Now         time.Time
	Said        string // what was done
	Count       int    // to how many products; below 0: to the one in the panel
	Fault       string // why what was asked for was not done
	Failed      string // why the desk cannot tell; "": it does
	Case, Level string // the verdict
	Status      desk.Status
	Tally       tally
	States      []store.State
	List        desk.List
	Size        int // of a page of the list
	HeldAt      time.Time
	Groups      []desk.HeldGroup
	Held        []desk.Listed // some of what is held, beside the question whether all of it is approved
	Panel       *desk.Explanation
	Gone        string // why there is nothing in the panel
	Prices      *prices
	pictures    string
}

const (
	pageSize = 50
	someHeld = 8 // of Held
)

func (p *page) show() (template string, status int) {
	switch {
	case p.Failed != "":
		status = http.StatusServiceUnavailable
	case p.Fault != "":
		status = http.StatusConflict
	default:
		status = http.StatusOK
	}
	return "page.html", status
}

// fill asks the desk for what the view shows.
func (p *page) fill(ctx context.Context, d *desk.Client) {
	var err error
	if p.Status, err = d.Status(ctx); err == nil {
		p.Tally = tallyOf(p.Status.Publications)
		p.Case, p.Level = judge(p.Status, p.Tally)
		err = p.fillParts(ctx, d)
	}
	if err != nil {
		p.Failed, p.Case, p.Level = err.Error(), "failed", "bad"
	}
}

func (p *page) fillParts(ctx context.Context, d *desk.Client) error {
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
		held, err := d.Held(ctx, desk.HeldQuery{Limit: 1})
		if err != nil {
			return err
		}
		p.Held, p.HeldAt = some.Publications, held.At
		if p.State == "" || p.State == store.StateHeld {
			p.Groups = held.Groups
		}
	}
	if p.Page == "prices" {
		return p.tryPrices(ctx, d)
	}
	return p.fillList(ctx, d)
}

// fillList reads the page of the list. One that has emptied since gives way to the one before it, and a cursor that
// is not taken any more to the first.
func (p *page) fillList(ctx context.Context, d *desk.Client) (err error) {
	for {
		q := desk.Query{State: p.State, Find: p.Find, Limit: pageSize}
		if n := len(p.After); n > 0 {
			q.After = p.After[n-1]
		}
		p.List, err = d.Publications(ctx, q)
		switch emptied := len(p.List.Publications) == 0 && !p.List.Unfinished; {
		case q.After != "" && errors.Is(err, desk.ErrCursor):
			p.After = nil
		case q.After != "" && err == nil && emptied:
			p.After = p.After[:len(p.After)-1]
		default:
			return err
		}
	}
}

// From and To number the publications of the list that are shown.
func (p *page) From() int { return len(p.After)*p.Size + 1 }
func (p *page) To() int   { return len(p.After)*p.Size + len(p.List.Publications) }

func (p *page) SweepError() string { return sweepError(p.Status.Sweeps) }
func (p *page) Unread() bool       { return unread(p.Status) }

// Picture is a picture's address where the policy shows it, "" where it does not.
func (p *page) Picture(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && (p.pictures == "" || u.Scheme+"://"+u.Host != p.pictures) {
		return ""
	}
	return address
}
