package alert

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
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
	mostBlocked   = 200             // blocked publications whose reasons are counted
	mostReasons   = 3               // of them in one alert
	mostOfAReason = 300             // characters of it
)

// A Cause is something that needs a person.
type Cause struct {
	Key  string // tells it from others, and stays the same while it lasts
	Text string // what it is, and the command that tells more
}

// Causes returns what needs a person now, as a desk and its status tell it.
func Causes(ctx context.Context, d desk.Desk, s desk.Status, now time.Time) ([]Cause, error) {
	found := ofStatus(s, now)
	if n := s.Publications[store.StateBlocked]; n > 0 && !s.Shop.Paused { // a shop that is paused blocks them all
		list, err := d.Publications(ctx, desk.Query{State: store.StateBlocked, Limit: mostBlocked})
		if err != nil {
			return found, err
		}
		found = append(found, Cause{"blocked", fmt.Sprintf("%s blocked: %s. See: pubsync publications --state blocked",
			products(n), reasons(list.Publications))})
	}
	return found, nil
}

// ofStatus returns the causes that the status alone shows. It is pure.
func ofStatus(s desk.Status, now time.Time) (found []Cause) {
	add := func(key, format string, args ...any) { found = append(found, Cause{key, fmt.Sprintf(format, args...)}) }
	for name, side := range map[string]desk.Side{"marketplace": s.Marketplace, "shop": s.Shop} {
		if side.Paused && side.Since != nil && now.Sub(*side.Since) >= longPause {
			add(name, "the %s cannot be used since %s: %s. See: pubsync doctor", name,
				side.Since.UTC().Format("15:04 UTC"), short(side.Reason))
		}
	}
	if s.Store.Error != "" {
		add("store", "the store cannot be written, webhooks are refused: %s", short(s.Store.Error))
	}
	if n := s.Publications[store.StateHeld]; n > 0 {
		add("held", "%s a change that waits for your approval. See: pubsync approve --list",
			count(n, "product has", "products have"))
	}
	switch {
	case s.Denied != "":
		add("reports", "%s: %s", short(s.Denied), count(s.Refused, "report waits", "reports wait"))
	case s.Refused > 0:
		add("reports", "the marketplace refuses %s. See: pubsync status", count(s.Refused, "report", "reports"))
	}
	if r := s.Webhook.Refused; r != nil && r.InARow >= manyRefused {
		add("webhooks", "%d webhooks in a row were refused (%s); after %d the marketplace deletes the registration. "+
			"See: pubsync doctor", r.InARow, short(r.Says), r.Allowed)
	}
	if !s.Started.IsZero() && now.Sub(later(s.Started, s.Sweeps.Incremental.Completed)) > longNoSweep &&
		now.Sub(s.Sweeps.Full.Completed) > longNoSweep {
		add("sweeps", "no sweep has been completed for %s: prices and stock may be old. See: pubsync status",
			desk.Span(now.Sub(later(s.Started, s.Sweeps.Incremental.Completed))))
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Key < found[j].Key })
	return found
}

// OfRun is the cause of a single run that could not do its work, none if it could.
func OfRun(s desk.Summary) []Cause {
	if s.Exit <= desk.ExitStanding {
		return nil
	}
	return []Cause{{"run", "a run ended early: " + short(s.Error)}}
}

func reasons(list []desk.Listed) string {
	n := map[string]int{}
	for _, p := range list {
		n[short(p.Error)]++
	}
	texts := slices.SortedFunc(maps.Keys(n), func(a, b string) int {
		if n[a] != n[b] {
			return n[b] - n[a]
		}
		return strings.Compare(a, b)
	})
	more := ""
	if len(texts) > mostReasons {
		texts, more = texts[:mostReasons], "; and others"
	}
	for i, text := range texts {
		if len(n) > 1 {
			texts[i] = fmt.Sprintf("%s (%d)", text, n[text])
		}
	}
	return strings.Join(texts, "; ") + more
}

func products(n int) string { return count(n, "product is", "products are") }

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
	if r := []rune(text); len(r) > mostOfAReason {
		text = string(r[:mostOfAReason]) + "…"
	}
	return strings.TrimRight(text, ". ")
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
