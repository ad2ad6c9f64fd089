package cmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// A heldCommand is approve or decline.
type heldCommand struct {
	IDs  []string `arg:"" optional:"" name:"id" help:"The publications' ids."`
	All  bool     `help:"Everything that is held."`
	Kind string   `placeholder:"KIND" help:"Everything that is held of one kind."`
	List bool     `help:"Show what is held, by kind and one by one; change nothing."`
	jsonFlag
}

func (c *heldCommand) Run(ctx context.Context, a *app, parsed *kong.Context) error {
	ids, of := len(c.IDs) > 0, c.Kind != ""
	switch {
	case of && !slices.Contains(store.HoldKinds(), store.HoldKind(c.Kind)):
		return exit.Usage("--kind is one of %v", store.HoldKinds())
	case c.List && (ids || c.All):
		return exit.Usage("--list goes with --kind")
	case c.List:
		return look(a, c.JSON, func(d desk.Desk) (desk.Held, error) {
			return d.Held(ctx, c.Kind)
		}, a.printHeld)
	case ids == (c.All || of) || c.All && of:
		return exit.Usage("it takes ids, --all, or --kind; approve --list shows what is held")
	}
	verb := parsed.Selected().Name
	return a.tell(ctx, verb+"d", c.JSON, desk.Request{Decline: verb == "decline", IDs: c.IDs, Kind: c.Kind, All: c.All})
}

func (a *app) printHeld(held desk.Held) {
	if len(held.Groups) == 0 {
		a.printf("nothing is held\n")
		return
	}
	var groups, changes [][]string
	for _, g := range held.Groups {
		groups = append(groups, []string{
			string(g.Kind), fmt.Sprint(g.Publications), fmt.Sprint(g.Changes),
			fmt.Sprintf("%d up, %d down", g.Up, g.Down), moves(g.Old, g.New), say.Ago(g.Since.Time()), g.What,
		})
	}
	for _, c := range held.Changes {
		changes = append(changes, []string{
			c.ID, c.Title, cmp.Or(c.Option, c.Variant), moves(c.Old, c.New), say.Ago(c.Since.Time()), string(c.Kind),
		})
	}
	say.Table(a.stdout, []string{"KIND", "PRODUCTS", "CHANGES", "MOVES", "SUM", "NEWEST", "WHAT"}, groups)
	a.printf("\n")
	say.Table(a.stdout, []string{"ID", "TITLE", "VARIANT", "CHANGE", "HELD", "KIND"}, changes)
	a.printf("\n%[1]s approve --kind %[2]s lets these through, %[1]s decline --kind %[2]s keeps what is; "+
		"explain ID says why\n", say.Program(), held.Groups[0].Kind)
}

func moves(before, after string) string {
	if before == "" || after == "" {
		return before + after
	}
	return before + " -> " + after
}
