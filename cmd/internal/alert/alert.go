// Package alert tells people what needs them and when that is resolved, by mail and as JSON for Slack, Mattermost
// and Discord. It tells a cause at most once an hour, also over restarts. The worker waits for no receiver.
// Messages and errors have no secrets; the addresses are secrets.
package alert

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/store"
)

const (
	every         = time.Minute      // between two looks
	sendTimeout   = 10 * time.Second // of one message
	mostText      = 1900             // characters: Discord takes 2,000
	mostOfAReason = 300              // characters

	quiet       = time.Hour       // between two alerts of one cause
	resolved    = time.Minute     // a cause that is gone for so long is resolved
	longPause   = 5 * time.Minute // a longer one needs a person
	longNoSweep = 3 * time.Hour   // without a completed sweep
)

// ManyRefused is how many webhooks refused in a row need a person.
const ManyRefused = 5

// An Alerter tells one receiver of a worker, or of the end of a single run.
type Alerter struct {
	Name     string
	Receiver Receiver
	Desk     Desk
	Store    store.Store
	Redact   func(string) string
	Account  string // whose worker it is; "": there is one account
	Log      *slog.Logger

	failing string // the last logged error
}

// A Desk is a desk.Local, or the desk.Client of a command.
type Desk interface {
	Status(ctx context.Context) (desk.Status, error)
	Publications(ctx context.Context, q desk.Query) (desk.List, error)
}

// Run looks once a minute until ctx ends.
func (a *Alerter) Run(ctx context.Context) {
	for ctx.Err() == nil {
		engine.Sleep(ctx, every)
		a.Pass(ctx)
	}
}

// Pass looks once and tells what it finds, with others.
func (a *Alerter) Pass(ctx context.Context, others ...Cause) {
	if ctx.Err() != nil {
		return
	}
	now, told := time.Now(), store.Fact[book]("alerts "+a.Name)
	var found []Cause
	status, err := a.Desk.Status(ctx)
	if err == nil {
		found, err = Causes(ctx, a.Desk, status, now)
	}
	if err != nil {
		return // the next look and readyz see it
	}
	before, _, err := told.Get(ctx, a.Store)
	if err != nil {
		a.Log.Warn("alerts that were sent are not known", "error", err)
	}
	after, fresh, gone := before.next(append(found, others...), now)
	if len(fresh)+len(gone) > 0 && (ctx.Err() != nil || !a.send(ctx, a.message(fresh, gone))) {
		return // the next look tells it
	}
	if maps.Equal(before, after) {
		return
	}
	if err := told.Set(ctx, a.Store, after); err != nil && ctx.Err() == nil {
		a.Log.Warn("alerts that were sent cannot be kept, they may come again", "error", err)
	}
}

func (a *Alerter) send(ctx context.Context, text string) bool {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	said := ""
	if err := a.Receiver.Send(ctx, a.Redact(text)); err != nil {
		said = a.Redact(err.Error())
	}
	if said != "" && said != a.failing {
		a.Log.Warn("alert cannot be sent, trying again", "receiver", a.Name, "error", said)
	}
	a.failing = said
	return said == ""
}

func (a *Alerter) message(fresh, gone []string) string {
	host, _ := os.Hostname() //nolint:errcheck // it is only told
	if a.Account != "" {
		host += ", account " + a.Account + ","
	}
	text := ""
	for i, texts := range [][]string{fresh, gone} {
		if len(texts) > 0 {
			text += "pubsync on " + host + []string{" needs you", ", resolved"}[i] + ":\n• " +
				strings.Join(texts, "\n• ") + "\n"
		}
	}
	return say.Cut(strings.TrimSpace(text), mostText)
}

// mentions are characters by which receivers link, format, or call people.
var mentions = strings.NewReplacer("<", "‹", ">", "›", "@", "＠", "`", "'")

// short puts a foreign text on one bounded line. A name in it, @anna say, notifies no member of a chat.
func short(text string) string {
	text = mentions.Replace(say.Harmless(strings.Join(strings.Fields(text), " ")))
	return strings.TrimRight(say.Cut(text, mostOfAReason), ". ")
}

// A Cause is something that needs a person.
type Cause struct {
	Key  string // the same while the cause lasts
	Text string // with the command that tells more
}

// Causes returns what needs a person.
func Causes(ctx context.Context, d Desk, s desk.Status, now time.Time) ([]Cause, error) {
	found := ofStatus(s, now)
	n := s.Publications[store.StateBlocked]
	if n == 0 || s.Shop.Paused { // a paused shop blocks them all
		return found, nil
	}
	list, err := d.Publications(ctx, desk.Query{State: store.StateBlocked, Limit: 1})
	if err != nil || len(list.Publications) == 0 {
		return found, err
	}
	return append(found, Cause{"blocked", fmt.Sprintf("%s: %s. See: pubsync publications --state blocked",
		count(n, "product is blocked", "products are blocked, one of them"), short(list.Publications[0].Error))}), nil
}

func ofStatus(s desk.Status, now time.Time) (found []Cause) {
	add := func(key, format string, args ...any) { found = append(found, Cause{key, fmt.Sprintf(format, args...)}) }
	if n := s.Publications[store.StateHeld]; n > 0 {
		add("held", "%s a change that waits for your approval. See: pubsync approve --list",
			count(n, "product has", "products have"))
	}
	for name, side := range map[string]desk.Side{"marketplace": s.Marketplace, "shop": s.Shop} {
		if side.Paused && side.Since != nil && now.Sub(*side.Since) >= longPause {
			add(name, "the %s cannot be used since %s: %s. See: pubsync doctor", name,
				side.Since.UTC().Format("15:04 UTC"), short(side.Reason))
		}
	}
	switch {
	case s.Denied != "":
		add("reports", "%s: %s", short(s.Denied), count(s.Refused, "report waits", "reports wait"))
	case s.Refused > 0:
		add("reports", "the marketplace refuses %s. See: pubsync status", count(s.Refused, "report", "reports"))
	}
	if s.Store.Error != "" {
		add("store", "the store cannot be written, webhooks are refused: %s", short(s.Store.Error))
	}
	swept := s.Sweeps.Incremental.Completed
	if s.Started.After(swept) {
		swept = s.Started
	}
	if !s.Started.IsZero() && now.Sub(swept) > longNoSweep && now.Sub(s.Sweeps.Full.Completed) > longNoSweep {
		add("sweeps", "no sweep has been completed for %s: prices and stock may be old. See: pubsync status",
			strings.TrimSuffix(now.Sub(swept).Round(time.Minute).String(), "0s"))
	}
	if r := s.Webhook.Refused; r != nil && r.InARow >= ManyRefused {
		add("webhooks", "%d webhooks in a row were refused (%s); after %d the marketplace deletes the registration. "+
			"See: pubsync doctor", r.InARow, short(r.Says), r.Allowed)
	}
	slices.SortFunc(found, func(a, b Cause) int { return strings.Compare(a.Key, b.Key) })
	return found
}

// OfRun returns the cause if a single run ended early.
func OfRun(s desk.Summary) []Cause {
	if s.Exit <= desk.ExitStanding {
		return nil
	}
	// a key for each exit code: a token that one side refuses says nothing of the other
	return []Cause{{fmt.Sprint("run ", s.Exit), "a run ended early: " + short(s.Error)}}
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

type book map[string]entry

type entry struct {
	Said time.Time `json:"said"`
	Text string    `json:"text"`
	Open bool      `json:"open,omitempty"` // told, and not yet as resolved
	Gone time.Time `json:"gone,omitzero"`  // since when it was not met
}

// next returns the book after a look, and texts to tell as fresh (new, or changed and told an hour ago) or gone.
// It does not change b.
func (b book) next(found []Cause, now time.Time) (after book, fresh, gone []string) {
	after = book{}
	met := map[string]bool{}
	for _, c := range found {
		e := b[c.Key]
		if e.Gone = (time.Time{}); now.Sub(e.Said) >= quiet && (!e.Open || e.Text != c.Text) {
			e.Said, e.Text, e.Open = now, c.Text, true
			fresh = append(fresh, c.Text)
		}
		after[c.Key], met[c.Key] = e, true
	}
	for _, key := range slices.Sorted(maps.Keys(b)) {
		e := b[key]
		switch {
		case met[key], !e.Open && now.Sub(e.Said) >= quiet:
			continue
		case e.Open && e.Gone.IsZero():
			e.Gone = now
		case e.Open && now.Sub(e.Gone) >= resolved:
			e.Open = false
			gone = append(gone, e.Text)
		}
		after[key] = e
	}
	slices.Sort(gone)
	return after, fresh, gone
}
