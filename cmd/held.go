package cmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

const heldKinds = "approve --list shows what is held, by kind and cause. The kinds: changes of price (price), prices " +
	"of new products and variants (first-price), removals (removal), products that another tool made, or that a store " +
	"knew which was replaced (foreign), prices by rules that changed for many products or that no setting of yours " +
	"changed (rules), and prices of very many products that were changed in the shop (drift): these are put back."

// A heldChoice is the arguments of approve and decline: which held changes are meant.
type heldChoice struct {
	IDs    []string       `arg:"" optional:"" name:"id" help:"The publications' ids."`
	All    bool           `help:"Everything that is held."`
	Kind   store.HoldKind `placeholder:"price|first-price|removal|foreign|rules|drift" help:"Everything that is held of one kind."`
	Group  string         `placeholder:"KIND/CAUSE" help:"Everything that is held of one group, as approve --list names it."`
	Search string         `placeholder:"TEXT" help:"What is held of products with this in the title or the id."`
	jsonFlag
}

func (c *heldChoice) answer(ctx context.Context, a *app, decline bool) error {
	if err := c.known(); err != nil {
		return err
	}
	command, word := "approve", "approved"
	if decline {
		command, word = "decline", "declined"
	}
	ids, filter := len(c.IDs) > 0, c.filter() != desk.HeldFilter{}
	if ids == (c.All || filter) || c.All && filter {
		return exit.Usage("%s takes ids, --all, or --kind, --group and --search; approve --list shows what is held", command)
	}
	return a.tell(word, c.JSON, func(d *desk.Client) (desk.Asked, error) {
		return d.Answer(ctx, desk.Answer{Decline: decline, IDs: c.IDs, HeldFilter: c.filter()})
	})
}

func (c *heldChoice) known() error {
	kind, _, _ := strings.Cut(c.Group, "/")
	switch {
	case c.Kind != "" && !slices.Contains(store.HoldKinds(), c.Kind):
		return exit.Usage("--kind is one of %v", store.HoldKinds())
	case c.Group != "" && !slices.Contains(store.HoldKinds(), store.HoldKind(kind)):
		return exit.Usage("--group begins with one of %v; approve --list names the groups", store.HoldKinds())
	case c.Kind != "" && c.Group != "":
		return exit.Usage("it is --kind or --group, not both")
	}
	return nil
}

func (c *heldChoice) filter() desk.HeldFilter {
	return desk.HeldFilter{Group: cmp.Or(c.Group, string(c.Kind)), Search: c.Search}
}

func (a *app) printHeld(held desk.Held) error {
	w := a.stdout
	if len(held.Groups) == 0 {
		fmt.Fprintln(w, "nothing is held")
		return nil
	}
	var groups, changes [][]string
	for _, g := range held.Groups {
		largest := g.Largest
		if largest != "" {
			largest += " %"
		}
		groups = append(groups, []string{
			g.Group, fmt.Sprint(g.Publications), fmt.Sprint(g.Changes), moves(g.Old, g.New), largest, say.Ago(g.Since),
			cmp.Or(g.What, string(g.Kind)),
		})
	}
	for _, c := range held.Changes {
		changes = append(changes, []string{
			c.ID, c.Title, cmp.Or(c.Option, c.Variant), moves(c.Old, c.New), say.Ago(c.Since), c.Group,
		})
	}
	head := []string{"GROUP", "PRODUCTS", "CHANGES", "SUM", "LARGEST", "NEWEST", "WHAT"}
	if err := say.Table(w, head, groups); err != nil {
		return err
	}
	for _, g := range held.Groups {
		if g.Change != nil {
			fmt.Fprintf(w, "\n%s\n", say.Harmless(g.Change.String()))
		}
	}
	fmt.Fprintln(w)
	if err := say.Table(w, []string{"ID", "TITLE", "VARIANT", "CHANGE", "HELD", "GROUP"}, changes); err != nil {
		return err
	}
	if held.After != "" {
		fmt.Fprintln(w, "and more: --limit 0 shows all")
	}
	_, err := fmt.Fprintf(w, "\n%[1]s approve --group %[2]s lets a group through, "+
		"%[1]s decline --group %[2]s keeps what is; explain ID says why\n", say.Program(), held.Groups[0].Group)
	return err
}

// moves is a price and the one that would take its place; "" where there is neither.
func moves(before, after string) string {
	switch {
	case before == "":
		return after
	case after == "":
		return before
	default:
		return before + " -> " + after
	}
}
