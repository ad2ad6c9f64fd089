package desk

import (
	"context"
	"strings"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

func (l *Local) Explain(ctx context.Context, id string) (Explanation, error) {
	had, err := l.Store.Get(ctx, id)
	if err != nil {
		return Explanation{}, err
	}
	if !had.Known {
		return Explanation{}, ErrUnknown
	}
	r, set := had.Record, publication.Settings{Rules: l.Rules}
	e := Explanation{
		ID: r.ID, State: r.State, Title: r.Title, Variants: []Explained{}, Held: []HeldNow{}, History: []Happened{},
		Source: Source{
			Listing: r.Listing, Product: r.Product, UpdatedAt: r.UpdatedAt,
			ReadAt: max(r.ReadAt, r.FiguresAt).Time(), ListedAt: r.ListedAt.Time(),
			Removal: r.Removal.Reason,
			Unread:  r.Unread,
			Terms:   termsOf(r.Terms),
		},
		Shop: Placed{
			ID: r.ShopID, URL: r.URL, OnSale: r.Sale == store.OnSale, Draft: r.Sale == store.Draft,
			WrittenAt: r.WrittenAt.Time(), Unsettled: r.Unsure(),
			Kept: r.Kept, Missing: []Missing{},
		},
		Report: Reporting{Status: r.Reported, URL: r.ReportedURL, At: r.ReportedAt.Time()},
	}
	for _, v := range r.Variants {
		x := Explained{
			ID: v.ID, ShopID: v.ShopID, Title: v.Title, SKU: v.SKU, Price: v.Written.Price, Cost: v.Supply.Cost,
			MSRP: v.Supply.MSRP, Quantity: max(0, v.Written.Quantity-v.Sold), Backorders: v.Written.Backorders,
			Refused: v.Refused,
		}
		if v.Written.Price != "" {
			x.Steps, x.StockSteps = set.Explain(r, v)
		}
		e.Variants = append(e.Variants, x)
	}
	if e.KeptOut = set.KeptOut(r); r.Sale == store.SoldOut {
		e.Unsellable = publication.Reason(r)
	}
	for _, p := range r.Pictures.Missing {
		e.Shop.Missing = append(e.Shop.Missing, Missing(p))
	}
	if p := r.Problem; p.Kind != "" {
		e.Problem = &Problem{
			Kind:    p.Kind,
			Message: p.Message,
			Since:   p.Since.Time(),
			Last:    p.Last.Time(),
		}
	}
	for _, h := range r.Holds {
		if h.Stands() {
			e.Held = append(e.Held, heldNow(r, h))
		} else if h.Verdict == store.Declined {
			e.Declined = append(e.Declined, heldNow(r, h))
		}
	}
	history, err := l.Store.History(ctx, r.ID)
	if err != nil {
		return Explanation{}, err
	}
	for _, h := range history {
		e.History = append(e.History, explained(h))
	}
	owed := had.Owed
	if owed != nil {
		e.Report.Owed, e.Report.Error = owed.Status, owed.Refused
	}
	if owed != nil && owed.Refusals > 0 {
		e.Report.Refusals, e.Report.RefusedAt = owed.Refusals, owed.RefusedAt.Time()
		if owed.RefusedAt != 0 {
			again := e.Report.RefusedAt.Add(publication.RefusalDelay(owed.Refusals))
			e.Report.Next = &again
		}
	}
	if at, why := next(had); at != 0 {
		e.Next, e.NextWhy = new(at.Time()), []string{why}
	}
	if had.Mark != nil && e.Problem != nil {
		e.Problem.Attempts = max(1, had.Mark.Tries)
	}
	return e, nil
}

// next is when a publication is looked at next, and why; 0: it is not due.
func next(e store.Entry) (at store.Instant, why string) {
	if e.Mark != nil {
		at, why = e.Mark.At, publication.WhyDue(e.Record, *e.Mark)
	}
	if h := e.Hint; h != nil && (at == 0 || h.At < at) {
		at, why = h.At, "an unsigned webhook"
	}
	return at, why
}

func happened(e store.Event) Happened {
	return Happened{At: e.At.Time(), What: publication.Tell(e), By: e.By, Kind: kindOf(e)}
}

// kindOf is how programs know what an event is of: its word, or of an update what moved; "" of a
// sentence.
func kindOf(e store.Event) string {
	switch word, _, _ := strings.Cut(e.What, ":"); word {
	case store.WhatCreated, store.WhatHeld, store.WhatApproved, store.WhatDeclined, store.WhatState:
		return word
	case store.WhatUpdated:
		switch field := e.Changes[0].Field; field {
		case "price", "title", "variants", "address":
			return field
		case "quantity", "backorders":
			return "stock"
		default:
			return "written"
		}
	case shopadapter.Transient.String():
		return "error"
	case "retried", "retried, with the supplier's texts and stock":
		return "retried"
	default:
		return ""
	}
}

func explained(e store.Event) Happened {
	h := happened(e)
	for _, c := range e.Changes {
		h.Moves = append(h.Moves, Moved{Variant: c.Variant, Option: c.Name, Old: c.Old, New: c.New})
	}
	h.More = e.More
	return h
}

func heldNow(r store.Record, h store.Hold) HeldNow {
	return HeldNow{
		Key: h.Key(), Kind: h.Kind, Group: publication.GroupOf(h), Variant: h.Variant,
		Old: h.Old, New: h.New, Reason: h.Reason,
		Since: h.Since.Time(), Ways: publication.Ways(r, h),
	}
}
