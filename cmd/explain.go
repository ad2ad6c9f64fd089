package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
)

type explainCommand struct {
	ID string `arg:"" name:"id" help:"The publication's id, or its title or a part of one."`
	jsonFlag
}

func (x *explainCommand) Run(ctx context.Context, a *app) error {
	e, err := ask(a, config.ToLook, setup.ToRead,
		func(d *desk.Client) (desk.Explanation, error) { return explain(ctx, d, x.ID) })
	switch {
	case errors.Is(err, desk.ErrUnknown):
		return fmt.Errorf("%s: %w", say.Plain(x.ID), err)
	case err != nil:
		return err
	case x.JSON:
		return a.printJSON(e)
	}
	sheet{a.stdout}.printExplanation(e)
	return nil
}

func (s sheet) printExplanation(e desk.Explanation) {
	line := s.line
	line("id", "%s", e.ID)
	line("title", "%s", e.Title)
	line("state", "%s", e.State)
	line("source", "listing %s, product %s, changed %s, read %s", e.Source.Listing, e.Source.Product,
		e.Source.UpdatedAt, say.Ago(e.Source.ReadAt))
	if e.Source.Removal != "" {
		line("removal", "%s", e.Source.Removal)
	}
	if e.Source.Unread != "" {
		line("warning", "the marketplace gives this in a shape that cannot be read: %s", e.Source.Unread)
		line("", "what the shop has of it stays; a new listing is made without it")
	}
	line("shop", "id %s, on sale %t, written %s", e.Shop.ID, e.Shop.OnSale, say.Ago(e.Shop.WrittenAt))
	if e.Shop.URL != "" {
		line("address", "%s", e.Shop.URL)
	}
	if e.Shop.Unsettled != 0 {
		line("unsettled", "sent to the shop and not known to be there: %s", e.Shop.Unsettled)
	}
	if e.Shop.Kept != 0 {
		line("kept", "your own: %s", e.Shop.Kept)
	}
	for _, p := range e.Shop.Missing {
		what := "refused by the shop, asked for again when you or the supplier change that"
		if p.Later {
			what = "could not be fetched, asked for again"
		}
		line("picture", "%s", p.URL)
		line("", "%s: %s", what, p.Reason)
	}
	if e.Problem != nil {
		line("problem", "%s: %s", e.Problem.Kind, e.Problem.Message)
		line("", "%d attempts, the first %s, the last %s", e.Problem.Attempts, say.Ago(e.Problem.Since),
			say.Ago(e.Problem.Last))
	}
	if e.Shop.Draft {
		line("draft", "it is complete: put it on sale in the shop, and it is reported")
	}
	if e.Unsellable != "" {
		line("off sale", "%s", e.Unsellable)
	}
	for _, h := range e.Held {
		line("held", "%s, since %s", h.Reason, say.Ago(h.Since))
		for _, way := range h.Ways {
			line("", "%s", way)
		}
	}
	for _, h := range e.Declined {
		line("declined", "%s, %s; retry has it asked again: %s", h.Kind, say.Ago(h.Since), h.Reason)
	}
	line("report", "%s %s", e.Report.Status, say.Ago(e.Report.At))
	if e.Report.Owed != "" {
		line("", "owed: %s", e.Report.Owed)
	}
	if e.Report.Error != "" {
		line("", "refused %d times, the last %s: %s", e.Report.Refusals, say.Ago(e.Report.RefusedAt), e.Report.Error)
	}
	if e.Next != nil {
		line("next look", "%s: %s", e.Next.Local().Format(time.DateTime), strings.Join(e.NextWhy, ", "))
	}
	for _, v := range e.Variants {
		line("variant", "%s  %s  sku %s  price %s  cost %s  msrp %s  stock %d  backorders %t", v.ID, v.Title, v.SKU,
			v.Price, v.Cost, v.MSRP, v.Quantity, v.Backorders)
		if v.Refused != "" {
			line("", "refused: %s", v.Refused)
		}
		for _, step := range v.Steps {
			line("", "price: %s", step)
		}
		for _, step := range v.StockSteps {
			line("", "stock: %s", step)
		}
	}
	for _, h := range e.History {
		line("history", "%s  %s", h.At.Local().Format("Mon "+time.DateTime), h.What)
		for _, moved := range movedLines(h) {
			line("", "  %s", moved)
		}
	}
}

const (
	fewMoves  = 3  // that the sentence of an event tells whole
	mostMoved = 20 // lines of an event
)

// movedLines is a line for each move of an event that has many.
func movedLines(h desk.Happened) (lines []string) {
	if len(h.Moves) <= fewMoves {
		return nil
	}
	more := h.More
	if len(h.Moves) > mostMoved {
		more += len(h.Moves) - mostMoved
	}
	for _, m := range h.Moves[:min(len(h.Moves), mostMoved)] {
		who, move := cmp.Or(m.Option, m.Variant), moves(m.Old, m.New)
		if h.Kind == "variants" { // the name is what moves
			who = ""
		}
		switch {
		case m.New == "":
			move += " removed"
		case m.Old == "" && who == "":
			move += " added"
		}
		lines = append(lines, strings.TrimSpace(who+" "+move))
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}

const mostMeant = 20

// explain is what a desk knows of the publication with an id, or with a title of which the text is a
// part. Where several have it, the error lists them, unless it is the whole title of one alone.
func explain(ctx context.Context, d *desk.Client, text string) (desk.Explanation, error) {
	e, err := d.Explain(ctx, text)
	if !errors.Is(err, desk.ErrUnknown) || strings.TrimSpace(text) == "" {
		return e, err
	}
	found, failed := d.Publications(ctx, desk.Query{Find: text, Limit: mostMeant})
	if failed != nil {
		return e, failed
	}
	meant, whole := found.Publications, []desk.Listed(nil)
	lines := []string{fmt.Sprintf("%s is a part of several titles: name one of these by its id", say.Plain(text))}
	for _, p := range meant {
		if strings.EqualFold(strings.TrimSpace(p.Title), strings.TrimSpace(text)) {
			whole = append(whole, p)
		}
		lines = append(lines, "  "+say.Plain(p.ID)+"  "+say.Plain(p.Title))
	}
	if found.After == "" && len(whole) == 1 {
		meant = whole
	}
	switch len(meant) {
	case 0:
		return e, err
	case 1:
		return d.Explain(ctx, meant[0].ID)
	}
	if found.After != "" {
		lines = append(lines, fmt.Sprintf("  and more: pubsync publications %q", text))
	}
	return e, &desk.Error{Exit: desk.ExitUsage, Err: errors.New(strings.Join(lines, "\n"))}
}
