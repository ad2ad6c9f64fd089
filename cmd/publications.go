package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

type publicationsCommand struct {
	State store.State `help:"Only those in this state."`
	Limit int         `default:"0" help:"At most so many; 0 for all."`
	jsonFlag
}

const listPage = 1000

func (p *publicationsCommand) Run(ctx context.Context, a *app) error {
	if p.State != "" && !slices.Contains(store.States(), p.State) {
		return usage("--state is one of %v", store.States())
	}
	if p.Limit < 0 {
		return usage("--limit is below zero")
	}
	all, err := ask(a, config.ToLook, toRead, func(d desk.Desk) (desk.List, error) { return p.list(ctx, d) })
	if err != nil {
		return err
	}
	if p.JSON {
		return a.printJSON(all)
	}
	rows := make([][]string, len(all.Publications))
	for i, l := range all.Publications {
		next := ""
		if l.NextAttemptAt != nil {
			next = l.NextAttemptAt.Local().Format(time.DateTime)
		}
		rows[i] = []string{l.ID, string(l.State), l.Title, string(l.Reported), l.URL, next, l.Error}
	}
	return table(a.stdout, []string{"ID", "STATE", "TITLE", "REPORTED", "ADDRESS", "NEXT LOOK", "PROBLEM"}, rows)
}

// list is every page up to the limit.
func (p *publicationsCommand) list(ctx context.Context, d desk.Desk) (desk.List, error) {
	all := desk.List{Publications: []desk.Listed{}}
	for {
		q := desk.Query{State: p.State, After: all.After, Limit: listPage}
		if p.Limit > 0 {
			q.Limit = min(listPage, p.Limit-len(all.Publications))
		}
		page, err := d.Publications(ctx, q)
		if err != nil {
			return all, err
		}
		all.Publications, all.After = append(all.Publications, page.Publications...), page.After
		if page.After == "" || p.Limit > 0 && len(all.Publications) >= p.Limit {
			return all, nil
		}
	}
}

type explainCommand struct {
	ID string `arg:"" help:"The publication's id."`
	jsonFlag
}

func (x *explainCommand) Run(ctx context.Context, a *app) error {
	e, err := ask(a, config.ToLook, toRead, func(d desk.Desk) (desk.Explanation, error) { return d.Explain(ctx, x.ID) })
	switch {
	case errors.Is(err, desk.ErrUnknown):
		return fmt.Errorf("%s: %w", plain(x.ID), err)
	case err != nil:
		return err
	case x.JSON:
		return a.printJSON(e)
	default:
		return a.printExplanation(e)
	}
}

func (a *app) printExplanation(e desk.Explanation) error {
	w := a.stdout
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-11s %s\n", name, harmless(fmt.Sprintf(format, args...)))
	}
	line("id", "%s", e.ID)
	line("title", "%s", e.Title)
	line("state", "%s", e.State)
	line(
		"source",
		"listing %s, product %s, changed %s, read %s",
		e.Source.Listing,
		e.Source.Product,
		e.Source.UpdatedAt,
		ago(e.Source.ReadAt),
	)
	if !e.Source.RestSince.IsZero() {
		line(
			"rest",
			"prices and stock of a change are taken in, the rest of it has been waiting since %s",
			ago(e.Source.RestSince),
		)
	}
	if e.Source.Removal != "" {
		line("removal", "%s", e.Source.Removal)
	}
	if e.Source.Unread != "" {
		line("warning", "the marketplace gives this in a shape that cannot be read: %s", e.Source.Unread)
		line("", "what the shop has of it stays; a new listing is made without it")
	}
	line("shop", "id %s, on sale %t, written %s", e.Shop.ID, e.Shop.OnSale, ago(e.Shop.WrittenAt))
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
		line(
			"",
			"%d attempts, the first %s, the last %s",
			e.Problem.Attempts,
			ago(e.Problem.Since),
			ago(e.Problem.Last),
		)
	}
	for _, h := range e.Held {
		line("held", "%s, since %s", h.Reason, ago(h.Since))
	}
	line("report", "%s %s", e.Report.Status, ago(e.Report.At))
	if e.Report.Owed != "" {
		line("", "owed: %s", e.Report.Owed)
	}
	if e.Report.Error != "" {
		line("", "refused %d times, the last %s: %s", e.Report.Refusals, ago(e.Report.RefusedAt), e.Report.Error)
	}
	if e.Next != nil {
		line("next look", "%s: %s", e.Next.Local().Format(time.DateTime), strings.Join(e.NextWhy, ", "))
	}
	for _, v := range e.Variants {
		line(
			"variant",
			"%s  %s  sku %s  price %s  cost %s  msrp %s  stock %d  backorders %t",
			v.ID,
			v.Title,
			v.SKU,
			v.Price,
			v.Cost,
			v.MSRP,
			v.Quantity,
			v.Backorders,
		)
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
		line("history", "%s  %s", h.At.Local().Format(time.DateTime), h.What)
	}
	return nil
}
