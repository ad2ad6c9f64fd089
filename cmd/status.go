package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/alert"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

type statusCommand struct {
	Check bool `help:"End with the exit code that run --once would end with, if it found all as it stands."`
	jsonFlag
}

func (s *statusCommand) Run(ctx context.Context, a *app) error {
	return a.each(ctx, s.JSON, func(a *app) error {
		status, err := ask(a, config.ToLook, func(d desk.Desk) (desk.Status, error) { return d.Status(ctx) })
		if err != nil {
			return err
		}
		a.print(s.JSON, status, func() { sheet{a.stdout}.printStatus(status, alert.Causes(status, time.Now())) })
		if !s.Check {
			return nil
		}
		return exit.With(status.Exit())
	})
}

// A sheet prints lines with a name in front. None moves the terminal's cursor.
type sheet struct{ w io.Writer }

func (s sheet) line(name, format string, args ...any) {
	fmt.Fprintf(s.w, "%-11s %s\n", name, say.Harmless(fmt.Sprintf(format, args...)))
}

func (s sheet) when(is bool, name, format string, args ...any) {
	if is {
		s.line(name, format, args...)
	}
}

func (s sheet) told(name, format, what string) { s.when(what != "", name, format, what) }

func (s sheet) printStatus(now desk.Status, needs []alert.Cause) {
	waits := now.Shop.Paused || now.Marketplace.Paused // it may pass by itself
	s.when(len(needs) == 0 && !waits, "needs you", "nothing")
	s.when(len(needs) == 0 && waits, "needs you", "nothing yet: it is tried again")
	for i, need := range needs {
		s.line([]string{"needs you", ""}[min(i, 1)], "%s", need.Text)
	}
	running := !now.Started.IsZero()
	s.when(running, "worker", "running since %s", say.Ago(now.Started))
	s.when(!running, "worker", "not running")
	counts := ""
	for _, state := range store.States() {
		counts += fmt.Sprintf(" %s %d", state, now.Publications[state])
	}
	s.line("state", "%s", counts[1:])
	s.line("backlog", "%d due, %d reports owed, %d of them refused", now.Due, now.Outbox, now.Refused)
	s.told("", "%s: what is owed is made once it may", now.Denied)
	s.when(now.Follow > 0, "rules", "%d publications wait for prices and stock by the new rules", now.Follow)
	b := now.Budget
	s.when(running, "budget", "%.0f of %.0f points, %.0f a second", b.Remaining, b.Limit, b.RestoreRate)
	s.when(running && !b.Until.IsZero(), "", "%d requests wait until %s, as the marketplace asked", b.Waiting,
		b.Until.Format(time.TimeOnly))
	s.printSweeps(now.Sweeps, running)
	v := now.Variants
	s.when(v.Found != "", "variants", "productVariants (%s): %s %s", v.Mode, v.Found, v.Message)
	s.printCompared(now.Compared)
	s.printWebhook(now.Webhook)
	s.printSide("shop", now.Shop)
	s.printSide("marketplace", now.Marketplace)
	for _, name := range slices.Sorted(maps.Keys(now.Cursors)) {
		s.line("cursor", "%s, stored %s", name, say.Ago(now.Cursors[name]))
	}
	s.line("store", "%s, %d KiB", now.Store.Path, now.Store.Bytes>>10)
	if last := now.LastError; last != nil {
		s.line("last error", "%s: %s", say.Ago(last.At), last.Message)
	}
}

func (s sheet) printSweeps(all desk.Sweeps, running bool) {
	s.line("sweeps", "last %s, last enumeration %s", say.Ago(all.Incremental.Completed), say.Ago(all.Full.Completed))
	s.when(running, "", "next %s, next enumeration %s", say.Ahead(all.Next.Time()), say.Ahead(all.NextFull.Time()))
	for i, last := range []desk.LastSweep{all.Incremental, all.Full} {
		what := []string{"sweep", "enumeration"}[i]
		s.when(last.Error != "", "", "%s tried %s: %s", what, say.Ago(last.At), last.Error)
	}
}

var driftWords = map[string]string{
	"edited": "texts edited", "hidden": "taken out of sale", "left": "left, since the shop changes it each time",
	"missing": "deleted", "pictures": "pictures lost", "shown": "put on sale again",
}

func (s sheet) printCompared(c publication.Compared) {
	if c.At.IsZero() {
		return
	}
	s.line("drift", "compared with the shop %s", say.Ago(c.At))
	var found []string
	for _, kind := range slices.Sorted(maps.Keys(c.Found)) {
		found = append(found, fmt.Sprintf("%s %d", cmp.Or(driftWords[kind], kind), c.Found[kind]))
	}
	s.told("", "found changed by hand: %s", strings.Join(found, ", "))
}

// printWebhook prints nothing without a worker: then the registration is not known.
func (s sheet) printWebhook(r desk.Registration) {
	if f := r.Refused; f.InARow > 0 {
		s.line("deliveries", "%d refused in a row, the last one %s: %s; after 19 the marketplace deletes the registration",
			f.InARow, say.Ago(f.Last), f.Says)
	}
	if r.URL != "" {
		s.line("webhook", "active %t, checked %s", r.Active, say.Ago(r.Checked))
		s.told("", "left out, the marketplace does not know it: %s", strings.Join(r.Unknown, ", "))
		s.told("", "%s", r.Error)
	}
}

func (s sheet) printSide(name string, side desk.Side) {
	s.told(name, "%s", say.Plain(side.Warning))
	since, until := "", ""
	if side.Since != 0 {
		since = " since " + say.Ago(side.Since.Time())
	}
	if at := side.Until.Time(); at.After(time.Now()) {
		until = ", tried again " + at.Local().Format(time.DateTime)
	}
	s.when(side.Paused, name, "paused%s: %s%s", since, side.Reason, until)
}
