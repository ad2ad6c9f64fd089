package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/store"
)

type publicationsCommand struct {
	State string `help:"Only those in this state."`
	Limit int    `default:"0" help:"At most so many; 0 for all."`
	jsonFlag
}

const listPage = 1000

func (p *publicationsCommand) Run(ctx context.Context, a *app) error {
	if p.State != "" && !slices.Contains(connector.States, connector.State(p.State)) {
		return usage("--state is one of %v", connector.States)
	}
	if p.Limit < 0 {
		return usage("--limit is below zero")
	}
	c, log, err := a.config(toLook)
	if err != nil {
		return err
	}
	all := connector.List{Publications: []connector.Listed{}}
	pages := func(next func(after string, limit int) (connector.List, error)) error {
		for {
			limit := listPage
			if p.Limit > 0 {
				limit = min(limit, p.Limit-len(all.Publications))
			}
			part, err := next(all.After, limit)
			if err != nil {
				return err
			}
			all.Publications = append(all.Publications, part.Publications...)
			all.After = part.After
			if part.After == "" || p.Limit > 0 && len(all.Publications) >= p.Limit {
				return nil
			}
		}
	}
	err = c.with(log, false, func(s *store.Store) error {
		return pages(func(after string, limit int) (connector.List, error) {
			return connector.Publications(s, p.State, after, limit)
		})
	}, func(r *remote) error {
		return pages(func(after string, limit int) (l connector.List, err error) {
			q := url.Values{"state": {p.State}, "after": {after}, "limit": {strconv.Itoa(limit)}}
			err = r.ask(ctx, "GET", "/api/v1/publications?"+q.Encode(), nil, &l)
			return l, err
		})
	})
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
		rows[i] = []string{l.ID, l.State, l.Title, l.Reported, l.URL, next, l.Error}
	}
	return table(a.stdout, []string{"ID", "STATE", "TITLE", "REPORTED", "ADDRESS", "NEXT LOOK", "PROBLEM"}, rows)
}

type explainCommand struct {
	ID string `arg:"" help:"The publication's id."`
	jsonFlag
}

func (x *explainCommand) Run(ctx context.Context, a *app) error {
	c, log, err := a.config(toLook)
	if err != nil {
		return err
	}
	var e connector.Explanation
	err = c.with(log, false, func(s *store.Store) (err error) {
		e, err = connector.Explain(s, c.rules, x.ID)
		return err
	}, func(r *remote) error { return r.ask(ctx, "GET", publicationPath(x.ID, ""), nil, &e) })
	if err != nil {
		return fmt.Errorf("%s: %w", plain(x.ID), err)
	}
	if x.JSON {
		return a.printJSON(e)
	}
	return a.printExplanation(e)
}

func (a *app) printExplanation(e connector.Explanation) error {
	w := a.stdout
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-11s %s\n", name, harmless(fmt.Sprintf(format, args...)))
	}
	line("id", "%s", e.ID)
	line("title", "%s", e.Title)
	line("state", "%s", e.State)
	line("source", "listing %s, product %s, changed %s, read %s", e.Source.Listing, e.Source.Product, e.Source.UpdatedAt, ago(e.Source.ReadAt))
	if e.Source.Removal != "" {
		line("removal", "%s", e.Source.Removal)
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
	if e.Problem != nil {
		line("problem", "%s: %s", e.Problem.Kind, e.Problem.Message)
		line("", "%d attempts, the first %s, the last %s", e.Problem.Attempts, ago(e.Problem.Since), ago(e.Problem.Last))
	}
	for _, h := range e.Held {
		line("held", "%s, since %s", h.Reason, ago(h.Since))
	}
	line("report", "%s %s", e.Report.Status, ago(e.Report.At))
	if e.Report.Owed != "" {
		line("", "owed: %s", e.Report.Owed)
	}
	if e.Report.Error != "" {
		line("", "refused: %s", e.Report.Error)
	}
	if e.Next != nil {
		line("next look", "%s: %s", e.Next.Local().Format(time.DateTime), strings.Join(e.NextWhy, ", "))
	}
	for _, v := range e.Variants {
		line("variant", "%s  %s  sku %s  price %s  cost %s  msrp %s  stock %d  backorders %t", v.ID, v.Title, v.SKU, v.Price, v.Cost, v.MSRP,
			v.Quantity, v.Backorders)
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
