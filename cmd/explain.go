package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
)

type explainCommand struct {
	ID string `arg:"" name:"id" help:"The publication's id, or its title or a part of one."`
	jsonFlag
}

func (x *explainCommand) Run(ctx context.Context, a *app) error {
	err := look(a, x.JSON, func(d desk.Desk) (desk.Explanation, error) { return explain(ctx, d, x.ID) },
		sheet{a.stdout}.printExplanation)
	if errors.Is(err, desk.ErrUnknown) {
		err = fmt.Errorf("%s: %w", say.Plain(x.ID), err)
	}
	return err
}

func (s sheet) printExplanation(e desk.Explanation) {
	s.line("id", "%s", e.ID)
	s.line("title", "%s", e.Title)
	s.line("state", "%s", e.State)
	s.line("source", "listing %s, product %s, changed %s, read %s", e.Listing, e.Product, e.UpdatedAt,
		say.Ago(e.ReadAt.Time()))
	s.told("removal", "%s", string(e.Removal.Reason))
	s.told("warning", "the marketplace gives this in a shape that cannot be read, so what the shop has of it stays: %s",
		e.Unread)
	s.line("shop", "id %s, on sale %t, written %s", e.ShopID, e.OnSale, say.Ago(e.WrittenAt.Time()))
	s.told("address", "%s", e.URL)
	s.told("unsettled", "sent to the shop and not known to be there: %s", strings.Join(e.Unsettled.Names(), ","))
	s.told("kept", "your own: %s", strings.Join(e.Kept.Names(), ","))
	for _, p := range e.Pictures.Missing {
		s.when(p.Later, "picture", "%s: could not be fetched, asked for again: %s", p.URL, p.Reason)
		s.when(!p.Later, "picture", "%s: refused by the shop, asked for again when you or the supplier change that: %s",
			p.URL, p.Reason)
	}
	if p := e.Problem; p.Kind != "" {
		s.line("problem", "%s: %s", p.Kind, p.Message)
		s.line("", "%d attempts, the first %s, the last %s", e.Attempts, say.Ago(p.Since.Time()), say.Ago(p.Last.Time()))
	}
	s.when(e.Draft, "draft", "it is complete: put it on sale in the shop, and it is reported")
	s.told("off sale", "%s", e.Unsellable)
	for _, h := range e.Held {
		s.line("held", "%s, since %s", h.Reason, say.Ago(h.Since.Time()))
	}
	for _, h := range e.Declined {
		s.line("declined", "%s, %s; retry has it asked again: %s", h.Kind, say.Ago(h.Since.Time()), h.Reason)
	}
	s.line("report", "%s %s", e.Reported, say.Ago(e.ReportedAt.Time()))
	if o := e.Owed; o != nil {
		s.line("", "owed: %s", o.Status)
		last := ""
		if o.TriedAt != 0 { // it is zero after a retry
			last = ", the last " + say.Ago(o.TriedAt.Time())
		}
		s.when(o.Refused != "", "", "tried %d times%s, refused: %s", o.Tries, last, o.Refused)
	}
	if e.Next != 0 {
		s.line("next look", "%s", e.Next.Time().Local().Format(time.DateTime))
	}
	for _, v := range e.Variants {
		s.line("variant", "%s  %s  sku %s  price %s  cost %s  msrp %s  stock %d  backorders %t", v.ID, v.Title, v.SKU,
			v.Price, v.Cost, v.MSRP, v.Quantity, v.Backorders)
		s.told("", "refused: %s", v.Refused)
		for _, step := range v.Steps {
			s.line("", "price: %s", step)
		}
		for _, step := range v.StockSteps {
			s.line("", "stock: %s", step)
		}
	}
	for _, h := range e.History {
		s.line("history", "%s  %s", h.At.Time().Local().Format("Mon "+time.DateTime), h.What)
	}
}

// explain finds a publication by its id or a part of its title.
func explain(ctx context.Context, d desk.Desk, text string) (e desk.Explanation, err error) {
	if strings.TrimSpace(text) == "" {
		return e, desk.ErrUnknown
	}
	if e, err = d.Explain(ctx, text); !errors.Is(err, desk.ErrUnknown) {
		return e, err
	}
	found, failed := d.Publications(ctx, desk.Query{Find: text, Limit: 2})
	switch len(found.Publications) {
	case 0:
		return e, cmp.Or(failed, err)
	case 1:
		return d.Explain(ctx, found.Publications[0].ID)
	}
	why := fmt.Errorf("%s is a part of several titles: %s publications %q lists them with their ids", say.Plain(text),
		say.Program(), text)
	return e, &desk.Error{Exit: desk.ExitUsage, Err: why}
}
