package alert

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

const (
	longPause     = 5 * time.Minute // a pause that is longer needs a person
	longNoSweep   = 3 * time.Hour   // without a completed sweep
	manyRefused   = 5               // deliveries of webhooks in a row
	mostOfAReason = 300             // characters of a reason
)

// A Cause is something that needs a person.
type Cause struct {
	Key  string // tells it from others, and stays the same while it lasts
	Text string // what it is, and the command that tells more
}

// Causes returns what needs a person now, as a desk and its status tell it.
func Causes(ctx context.Context, d Desk, s desk.Status, now time.Time) ([]Cause, error) {
	found := ofStatus(s, now)
	n := s.Publications[store.StateBlocked]
	if n == 0 || s.Shop.Paused { // a shop that is paused blocks them all
		return found, nil
	}
	list, err := d.Publications(ctx, desk.Query{State: store.StateBlocked, Limit: 1})
	if err != nil || len(list.Publications) == 0 {
		return found, err
	}
	return append(found, Cause{"blocked", fmt.Sprintf("%s: %s. See: pubsync publications --state blocked",
		count(n, "product is blocked", "products are blocked, one of them"), short(list.Publications[0].Error))}), nil
}

// ofStatus returns the causes that the status alone shows. It is pure.
func ofStatus(s desk.Status, now time.Time) (found []Cause) {
	add := func(key, format string, args ...any) { found = append(found, Cause{key, fmt.Sprintf(format, args...)}) }
	if n := s.Publications[store.StateHeld]; n > 0 {
		add("held", "%s a change that waits for your approval. See: pubsync approve --list",
			count(n, "product has", "products have"))
	}
	pause := func(name string, side desk.Side) {
		if side.Paused && side.Since != nil && now.Sub(*side.Since) >= longPause {
			add(name, "the %s cannot be used since %s: %s. See: pubsync doctor", name,
				side.Since.UTC().Format("15:04 UTC"), short(side.Reason))
		}
	}
	pause("marketplace", s.Marketplace)
	switch {
	case s.Denied != "":
		add("reports", "%s: %s", short(s.Denied), count(s.Refused, "report waits", "reports wait"))
	case s.Refused > 0:
		add("reports", "the marketplace refuses %s. See: pubsync status", count(s.Refused, "report", "reports"))
	}
	pause("shop", s.Shop)
	if s.Store.Error != "" {
		add("store", "the store cannot be written, webhooks are refused: %s", short(s.Store.Error))
	}
	swept := s.Sweeps.Incremental.Completed
	if s.Started.After(swept) {
		swept = s.Started
	}
	if !s.Started.IsZero() && now.Sub(swept) > longNoSweep && now.Sub(s.Sweeps.Full.Completed) > longNoSweep {
		add("sweeps", "no sweep has been completed for %s: prices and stock may be old. See: pubsync status",
			desk.Span(now.Sub(swept)))
	}
	if r := s.Webhook.Refused; r != nil && r.InARow >= manyRefused {
		add("webhooks", "%d webhooks in a row were refused (%s); after %d the marketplace deletes the registration. "+
			"See: pubsync doctor", r.InARow, short(r.Says), r.Allowed)
	}
	return found
}

// OfRun is the cause of a single run that could not do its work, none if it could.
func OfRun(s desk.Summary) []Cause {
	if s.Exit <= desk.ExitStanding {
		return nil
	}
	return []Cause{{"run", "a run ended early: " + short(s.Error)}}
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// mentions are the characters by which receivers link, format, or call people.
var mentions = strings.NewReplacer("<", "‹", ">", "›", "@", "＠", "`", "'")

// short is a foreign text on one bounded line. A name in it, @anna say, notifies no member of a chat.
func short(text string) string {
	text = mentions.Replace(say.Harmless(strings.Join(strings.Fields(text), " ")))
	return strings.TrimRight(cut(text, mostOfAReason), ". ")
}

const (
	quiet    = time.Hour   // between two alerts of one cause
	resolved = time.Minute // for which a cause must be gone before it is called resolved
)

// A book is what a receiver was told: cause -> entry.
type book map[string]*entry

type entry struct {
	Said time.Time `json:"said"`           // when it was told last
	Text string    `json:"text"`           // what was told then
	Open bool      `json:"open,omitempty"` // it was told, and not that it is resolved
	Gone time.Time `json:"gone,omitzero"`  // since when it has not been met
}

// next returns the book after a look that found some causes, and what is to be told of it: causes
// that are new, or have changed since they were told an hour ago, and texts of causes that are gone.
// It is pure: the book it is called on stays as it is.
func (b book) next(found []Cause, now time.Time) (after book, fresh, gone []string) {
	after = book{}
	for key, e := range b {
		c := *e
		after[key] = &c
	}
	for _, c := range found {
		e := after[c.Key]
		if e == nil {
			e = &entry{}
			after[c.Key] = e
		}
		e.Gone = time.Time{}
		if now.Sub(e.Said) >= quiet && (!e.Open || e.Text != c.Text) {
			e.Said, e.Text, e.Open = now, c.Text, true
			fresh = append(fresh, c.Text)
		}
	}
	for key, e := range after {
		switch met := slices.ContainsFunc(found, func(c Cause) bool { return c.Key == key }); {
		case met:
		case e.Open && e.Gone.IsZero():
			e.Gone = now
		case e.Open && now.Sub(e.Gone) >= resolved:
			e.Open = false
			gone = append(gone, e.Text)
		case !e.Open && now.Sub(e.Said) >= quiet:
			delete(after, key)
		}
	}
	slices.SortFunc(gone, strings.Compare)
	return after, fresh, gone
}
