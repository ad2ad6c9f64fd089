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
		var needs []alert.Cause
		status, err := ask(a, config.ToLook, func(d *desk.Client) (desk.Status, error) {
			status, err := d.Status(ctx)
			if err == nil {
				needs, _ = alert.Causes(ctx, d, status, time.Now()) //nolint:errcheck // the status is told all the same
			}
			return status, err
		})
		if err != nil {
			return err
		}
		a.print(s.JSON, status, func() { sheet{a.stdout}.printStatus(status, needs) })
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

// told prints a line where there is something to tell.
func (s sheet) told(name, format, what string) {
	if what != "" {
		s.line(name, format, what)
	}
}

// printStatus prints what a person has to do first.
func (s sheet) printStatus(now desk.Status, needs []alert.Cause) {
	if len(needs) == 0 {
		needs = []alert.Cause{{Text: "nothing"}}
	}
	for i, need := range needs {
		s.line([]string{"needs you", ""}[min(i, 1)], "%s", need.Text)
	}
	running := !now.Started.IsZero()
	if running {
		s.line("worker", "running since %s", say.Ago(now.Started))
	} else {
		s.line("worker", "not running")
	}
	counts := ""
	for _, state := range store.States() {
		counts += fmt.Sprintf(" %s %d", state, now.Publications[state])
	}
	s.line("state", "%s", counts[1:])
	s.line("backlog", "%d due, %d reports owed, %d of them refused", now.Due, now.Outbox, now.Refused)
	s.told("", "%s: what is owed is made once it may", now.Denied)
	if r := now.Rules; r != nil && r.Held {
		s.line("rules", "prices are made by other rules though no setting has changed")
		s.line("", "held: %s approve --kind rules lets them move, decline --kind rules leaves them", say.Program())
	}
	if r := now.Rules; r != nil && r.Figures > 0 {
		s.line("rules", "%d of %d publications wait for prices and stock by the new rules",
			r.Figures, max(r.Of, r.Figures))
	}
	if b := now.Budget; running {
		s.line("budget", "%.0f of %.0f points, %.0f a second", b.Remaining, b.Limit, b.RestoreRate)
		if !b.Until.IsZero() {
			s.line("", "%d requests wait until %s, as the marketplace asked", b.Waiting, b.Until.Format(time.TimeOnly))
		}
	}
	s.printSweeps(now.Sweeps, running)
	if v := now.Variants; v.Found != "" {
		s.line("variants", "productVariants (%s): %s %s", v.Mode, v.Found, v.Message)
	}
	s.printCompared(now.Compared)
	s.printWebhook(now.Webhook)
	s.printSide("shop", now.Shop)
	s.printSide("marketplace", now.Marketplace)
	for _, name := range slices.Sorted(maps.Keys(now.Cursors)) {
		s.line("cursor", "%s, stored %s", name, say.Ago(now.Cursors[name].At))
	}
	s.line("store", "%s, %d KiB", now.Store.Path, now.Store.Bytes>>10)
	if last := now.LastError; last != nil {
		s.line("last error", "%s: %s", say.Ago(last.At), last.Message)
	}
}

func (s sheet) printSweeps(all desk.Sweeps, running bool) {
	s.line("sweeps", "last %s, last enumeration %s", say.Ago(all.Incremental.Completed), say.Ago(all.Full.Completed))
	if running {
		s.line("", "next %s, next enumeration %s", say.Ahead(all.Next), say.Ahead(all.NextFull))
	}
	for i, last := range []desk.LastSweep{all.Incremental, all.Full} {
		what := []string{"sweep", "enumeration"}[i]
		if last.Passed > 0 {
			s.line("", "the last %s passed over %d entries without an id or an updatedAt", what, last.Passed)
		}
		if last.Error != "" {
			s.line("", "%s tried %s: %s", what, say.Ago(last.At), last.Error)
		}
	}
}

// driftWords says in words what a comparison found, where the kind alone does not.
var driftWords = map[string]string{
	"again": "the same again", "edited": "texts edited", "hidden": "taken out of sale", "missing": "deleted",
	"pictures": "pictures lost", "shown": "put on sale again",
}

func (s sheet) printCompared(c *publication.Compared) {
	if c == nil {
		return
	}
	s.line("drift", "compared with the shop %s", say.Ago(c.At))
	var found []string
	for _, kind := range slices.Sorted(maps.Keys(c.Found)) {
		if kind != "held" { // these are told below, as long as they are
			found = append(found, fmt.Sprintf("%s %d", cmp.Or(driftWords[kind], kind), c.Found[kind]))
		}
	}
	s.told("", "found changed by hand: %s", strings.Join(found, ", "))
	if c.Held > 0 {
		s.line("", "prices of %d products are not put back until you say so: approve --kind drift", c.Held)
	}
	if n := len(c.Recurring); n > 0 {
		s.line("", "%d with figures that the shop changes each time that they are put right: explain %s", n,
			say.Plain(c.Recurring[0]))
	}
}

// printWebhook prints nothing without a worker: then it is not known.
func (s sheet) printWebhook(r desk.Registration) {
	if f := r.Refused; f != nil {
		s.line("deliveries", "%d refused in a row since %s, the last one %s: %s", f.InARow, say.Ago(f.Since),
			say.Ago(f.Last), f.Says)
		s.line("", "after %d the marketplace deletes the registration", f.Allowed)
	}
	if r.URL != "" {
		s.line("webhook", "active %t, checked %s", r.Active, say.Ago(r.Checked))
		s.told("", "left out, the marketplace does not know it: %s", strings.Join(r.Unknown, ", "))
		s.told("", "%s", r.Error)
	}
}

func (s sheet) printSide(name string, side desk.Side) {
	s.told(name, "%s", say.Plain(side.Warning))
	if !side.Paused {
		return
	}
	text := "paused"
	if side.Since != nil {
		text += " since " + say.Ago(*side.Since)
	}
	text += ": " + side.Reason
	if side.Until != nil && side.Until.After(time.Now()) {
		text += ", tried again " + side.Until.Local().Format(time.DateTime)
	}
	s.line(name, "%s", text)
}
