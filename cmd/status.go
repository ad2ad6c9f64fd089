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
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

type statusCommand struct {
	Check bool `help:"End with the exit code that run --once would end with, if it found all as it stands."`
	jsonFlag
}

func (s *statusCommand) Run(ctx context.Context, a *app) error {
	return a.each(s.JSON, func(a *app) error { return s.of(ctx, a) })
}

// of prints how one account stands.
func (s *statusCommand) of(ctx context.Context, a *app) error {
	var needs []alert.Cause
	status, err := ask(a, config.ToLook, setup.ToRead, func(d desk.Desk) (status desk.Status, err error) {
		if status, err = d.Status(ctx); err == nil {
			needs, _ = alert.Causes(ctx, d, status, time.Now()) //nolint:errcheck // the status is told all the same
		}
		return status, err
	})
	switch {
	case err != nil:
		return err
	case s.JSON:
		err = a.printJSON(status)
	default:
		printNeeds(a.stdout, needs)
		err = a.printStatus(status)
	}
	if err != nil || !s.Check {
		return err
	}
	return exit.With(status.Exit())
}

// printNeeds prints first what a person has to do.
func printNeeds(w io.Writer, needs []alert.Cause) {
	name := "needs you"
	for _, need := range needs {
		fmt.Fprintf(w, "%-11s %s\n", name, need.Text)
		name = ""
	}
	if len(needs) == 0 {
		fmt.Fprintf(w, "%-11s nothing\n", name)
	}
}

func (a *app) printStatus(s desk.Status) error {
	w, running := a.stdout, !s.Started.IsZero()
	if running {
		fmt.Fprintf(w, "worker      running since %s\n", say.Ago(s.Started))
	} else {
		fmt.Fprintln(w, "worker      not running")
	}
	printAccount(w, s.Account)
	fmt.Fprint(w, "state      ")
	for _, state := range store.States() {
		fmt.Fprintf(w, " %s %d", state, s.Publications[state])
	}
	fmt.Fprintln(w)
	fmt.Fprintf(w, "backlog     %d due, %d reports owed, %d of them refused\n", s.Due, s.Outbox, s.Refused)
	if s.Denied != "" {
		fmt.Fprintf(w, "            %s: what is owed is made once it may\n", s.Denied)
	}
	printRules(w, s.Rules)
	if running {
		fmt.Fprintf(w, "budget      %.0f of %.0f points, %.0f a second%s\n", s.Budget.Remaining, s.Budget.Limit,
			s.Budget.RestoreRate, waiting(s.Budget))
	}
	printSweeps(w, s.Sweeps, running)
	fmt.Fprintf(w, "variants    %s\n", say.Harmless(variantsOf(s.Variants, time.Now())))
	printCompared(w, s.Compared)
	printWebhook(w, s.Webhook)
	printPause(w, "shop", s.Shop)
	printPause(w, "marketplace", s.Marketplace)
	for _, name := range slices.Sorted(maps.Keys(s.Cursors)) {
		fmt.Fprintf(w, "cursor      %s, stored %s\n", name, say.Ago(s.Cursors[name].At))
	}
	fmt.Fprintf(w, "store       %s, %d KiB\n", s.Store.Path, s.Store.Bytes>>10)
	if s.LastError != nil {
		fmt.Fprintf(w, "last error  %s: %s\n", say.Ago(s.LastError.At), say.Harmless(s.LastError.Message))
	}
	return nil
}

// printRules prints how many publications have yet to follow changed settings.
func printRules(w io.Writer, r *desk.Rules) {
	if r == nil {
		return
	}
	if c := r.Change; c != nil {
		fmt.Fprintf(w, "rules       %s\n", say.Harmless(c.String()))
		fmt.Fprintf(w, "            held: %s approve --kind rules lets them move, decline --kind rules leaves them\n",
			say.Program())
	}
	if r.Figures > 0 {
		fmt.Fprintf(w, "rules       %d of %d publications wait for prices and stock by the new rules\n", r.Figures,
			max(r.Of, r.Figures))
	}
	if len(r.Later) > 0 {
		fmt.Fprintf(w, "rules       changed in the env file, apply from the next start on: %s\n",
			say.Harmless(strings.Join(r.Later, ", ")))
	}
}

// printSweeps prints when the last sweeps were and what they found, and beside a worker when the
// next ones come.
func printSweeps(w io.Writer, s desk.Sweeps, running bool) {
	fmt.Fprintf(w, "sweeps      last %s, last enumeration %s\n", say.Ago(s.Incremental.Completed),
		say.Ago(s.Full.Completed))
	if running {
		fmt.Fprintf(w, "            next %s, next enumeration %s\n", say.Ahead(s.Next), say.Ahead(s.NextFull))
	}
	told := func(name, tried string, last desk.LastSweep) {
		if last.Passed > 0 {
			fmt.Fprintf(w, "            the last %s passed over %d entries without an id or an updatedAt\n", name, last.Passed)
		}
		if last.Error != "" {
			fmt.Fprintf(w, "            %s %s: %s\n", tried, say.Ago(last.At), say.Harmless(last.Error))
		}
	}
	told("sweep", "tried", s.Incremental)
	told("enumeration", "enumeration tried", s.Full)
}

// driftWords says in words what a comparison found, where the kind alone does not.
var driftWords = map[string]string{
	"again": "the same again", "edited": "texts edited", "hidden": "taken out of sale", "missing": "deleted",
	"pictures": "pictures lost", "shown": "put on sale again",
}

// printCompared prints when what stands in the shop was last compared with what was written, and
// what somebody had changed there.
func printCompared(w io.Writer, c *publication.Compared) {
	if c == nil {
		return
	}
	fmt.Fprintf(w, "drift       compared with the shop %s\n", say.Ago(c.At))
	var found []string
	for _, kind := range slices.Sorted(maps.Keys(c.Found)) {
		if kind != "held" { // these are told below, as long as they are
			found = append(found, fmt.Sprintf("%s %d", cmp.Or(driftWords[kind], kind), c.Found[kind]))
		}
	}
	if len(found) > 0 {
		fmt.Fprintf(w, "            found changed by hand: %s\n", strings.Join(found, ", "))
	}
	if c.Held > 0 {
		fmt.Fprintf(w, "            prices of %d products are not put back until you say so: approve --kind drift\n", c.Held)
	}
	if n := len(c.Recurring); n > 0 {
		fmt.Fprintf(w, "            %d with figures that the shop changes each time that they are put right: explain %s\n",
			n, say.Plain(c.Recurring[0]))
	}
}

// printWebhook says how the worker's webhook is registered. Without a worker that is not known.
func printWebhook(w io.Writer, r desk.Registration) {
	if f := r.Refused; f != nil {
		fmt.Fprintf(w, "deliveries  %d refused in a row since %s, the last one %s\n", f.InARow, say.Ago(f.Since),
			say.Ago(f.Last))
		fmt.Fprintf(w, "            %s\n", say.Harmless(f.Says))
		fmt.Fprintf(w, "            after %d the marketplace deletes the registration\n", f.Allowed)
	}
	if r.URL == "" {
		return
	}
	fmt.Fprintf(w, "webhook     active %t, checked %s\n", r.Active, say.Ago(r.Checked))
	if len(r.Unknown) > 0 {
		fmt.Fprintf(w, "            left out, the marketplace does not know it: %s\n",
			say.Harmless(strings.Join(r.Unknown, ", ")))
	}
	if r.Error != "" {
		fmt.Fprintf(w, "            %s\n", say.Harmless(r.Error))
	}
	if len(r.Superfluous) > 0 {
		fmt.Fprintf(w, "            superfluous: %s\n", say.Harmless(strings.Join(r.Superfluous, ", ")))
	}
}

// printPause says that a side is paused, since when and why.
func printPause(w io.Writer, name string, s desk.Side) {
	if s.Warning != "" {
		fmt.Fprintf(w, "%-11s %s\n", name, say.Plain(s.Warning))
	}
	if !s.Paused {
		return
	}
	since := ""
	if s.Since != nil {
		since = " since " + say.Ago(*s.Since)
	}
	fmt.Fprintf(w, "%-11s paused%s: %s\n", name, since, say.Harmless(s.Reason))
	if s.Until != nil && s.Until.After(time.Now()) {
		fmt.Fprintf(w, "            tried again %s\n", s.Until.Local().Format(time.DateTime))
	}
}

// waiting says how many requests wait for points, and why the first one does.
func waiting(b desk.Budget) string {
	if b.First == nil {
		return ""
	}
	line := fmt.Sprintf("; %d in line, the first (%.0f points) since %s for %s", b.Waiting, b.First.Cost,
		say.Ago(b.First.Since), say.Harmless(b.First.Reason))
	if b.First.Until != nil {
		line += ", until " + b.First.Until.UTC().Format(time.TimeOnly) + " UTC at the latest"
	}
	return line
}

// printAccount prints whose import list this is, and which stores the marketplace thinks it feeds.
func printAccount(w io.Writer, a *desk.Account) {
	if a == nil {
		return
	}
	age := ""
	if !a.ReadAt.IsZero() {
		age = ", read " + say.Ago(a.ReadAt)
	}
	fmt.Fprintf(w, "account     %s%s\n", holderOf(a.Holder), age)
	if len(a.Channels) > 0 {
		fmt.Fprintf(w, "            feeds %s\n", channelsOf(a.Channels))
	}
	if a.Warning != "" {
		fmt.Fprintf(w, "            warning: %s\n", say.Harmless(a.Warning))
	}
	for _, part := range slices.Sorted(maps.Keys(a.Refused)) {
		fmt.Fprintf(w, "            the marketplace does not tell %s: %s\n", part, say.Harmless(a.Refused[part]))
	}
}

// holderOf describes an account in a few words.
func holderOf(h marketplace.Holder) string {
	text := cmp.Or(h.Name, h.Slug, "without a name")
	if h.Name != "" && h.Slug != "" && h.Name != h.Slug {
		text += " (" + h.Slug + ")"
	}
	if h.Type != "" {
		text += ", " + strings.ToLower(h.Type)
	}
	return say.Harmless(text)
}

// channelsOf lists the stores that the marketplace thinks it feeds.
func channelsOf(list []marketplace.Channel) string {
	var names []string
	for _, c := range list {
		name := cmp.Or(c.Name, c.ID, "a store")
		if c.URL != "" {
			name += " at " + c.URL
		}
		names = append(names, name)
	}
	return say.Harmless(strings.Join(names, "; "))
}

// variantsOf says in one line whether productVariants is followed, and why.
func variantsOf(v desk.Variants, now time.Time) string {
	switch v.Mode {
	case publication.VariantsOff:
		return "productVariants is not followed: PUBSYNC_SWEEP_VARIANTS is off"
	case "":
		return "productVariants has not been asked for yet"
	}
	followed := "is followed"
	if !v.Followed {
		followed = "is not followed"
	}
	line := fmt.Sprintf("productVariants %s (%s): %s", followed, v.Mode,
		cmp.Or(variantFindings[v.Found], "it is not known yet whether it holds your listings"))
	if v.Message != "" {
		line += ": " + v.Message
	}
	if v.Found != "" {
		line += ", found " + say.Ago(v.At)
	}
	if v.Again.After(now) {
		line += ", asked again " + v.Again.Local().Format(time.DateTime)
	}
	return line
}

// variantFindings are what was found of productVariants, in words.
var variantFindings = map[publication.VariantFinding]string{
	publication.VariantsOurs:      "it holds your listings",
	publication.VariantsOthers:    "it holds none of your listings",
	publication.VariantsNone:      "it is empty",
	publication.VariantsRefused:   "the token may not read it",
	publication.VariantsUnoffered: "the marketplace does not offer it",
	publication.VariantsFailing:   "it cannot be read",
}
