package desk

import (
	"context"

	"github.com/pubsync/pubsync/connector/publication"
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
	r := had.Record
	e := Explanation{
		ID: r.ID, State: r.State, Title: r.Title, Variants: []Explained{}, Held: []HeldNow{}, History: []Happened{},
		Source: Source{
			Listing: r.Listing, Product: r.Product, UpdatedAt: r.UpdatedAt, ReadAt: r.ReadAt.Time(), ListedAt: r.ListedAt.Time(),
			Removal:        r.Removal.Reason,
			RemainderSince: r.RemainderSince.Time(), Unread: r.Unread,
			Terms: termsOf(r.Terms),
		},
		Shop: Placed{
			ID: r.ShopID, URL: r.URL, OnSale: r.OnSale, Draft: r.Draft, WrittenAt: r.WrittenAt.Time(), Unsettled: r.Attempted,
			Kept: r.Kept, Missing: []Missing{},
		},
		Report: Reporting{Status: r.Reported, URL: r.ReportedURL, At: r.ReportedAt.Time(), Error: r.ReportError},
	}
	for _, v := range r.Variants {
		given := publication.LastSupply(v)
		x := Explained{
			ID: v.ID, ShopID: v.ShopID, Title: v.Title, SKU: v.SKU, Price: v.Price, Cost: given.Cost, MSRP: given.MSRP,
			Quantity:   v.Quantity,
			Backorders: v.Backorders, Refused: v.Refused,
		}
		if v.Price != "" {
			x.Steps, x.StockSteps = append(
				l.Rules.PriceSteps(r, v),
				publication.SentStep(r, v.ID)...), l.Rules.StockSteps(
				v,
			)
			price, stock := publication.DriftSteps(r, v)
			x.Steps, x.StockSteps = append(x.Steps, price...), append(x.StockSteps, stock...)
		}
		e.Variants = append(e.Variants, x)
	}
	e.KeptOut, e.Unsellable = l.Rules.KeptOut(r), r.Unsellable
	for _, p := range r.Missing {
		e.Shop.Missing = append(e.Shop.Missing, Missing(p))
	}
	if p := r.Problem; p.Kind != "" {
		e.Problem = &Problem{
			Kind:     p.Kind,
			Message:  p.Message,
			Attempts: p.Attempts,
			Since:    p.Since.Time(),
			Last:     p.Last.Time(),
		}
	}
	for _, h := range r.Holds {
		e.Held = append(e.Held, heldNow(r, h))
	}
	for _, h := range r.Declined {
		e.Declined = append(e.Declined, heldNow(r, h))
	}
	history, err := l.Store.History(ctx, r.ID)
	if err != nil {
		return Explanation{}, err
	}
	for _, h := range history {
		e.History = append(e.History, explained(r, h))
	}
	owed := had.Owed
	if owed != nil {
		e.Report.Owed = owed.Status
	}
	if owed != nil && owed.Refusals > 0 {
		e.Report.Refusals, e.Report.RefusedAt = owed.Refusals, owed.RefusedAt.Time()
		if owed.RefusedAt != 0 {
			again := e.Report.RefusedAt.Add(publication.RefusalDelay(owed.Refusals))
			e.Report.Next = &again
		}
	}
	if m := had.Mark; m != nil {
		at := m.Soonest().Time()
		e.Next, e.NextWhy = &at, publication.WhyNext(m.Cause)
	}
	return e, nil
}

func happened(r store.Record, e store.Event) Happened {
	return Happened{At: e.At.Time(), What: publication.Tell(e, r), By: e.By, Kind: e.Kind.String()}
}

func explained(r store.Record, e store.Event) Happened {
	h := happened(r, e)
	for _, m := range e.Moves() {
		moved := Moved{Variant: m.Variant, Old: m.Old, New: m.New}
		if title := publication.MovedTitle(r, m.Variant); title != m.Variant {
			moved.Option = title
		}
		h.Moves = append(h.Moves, moved)
	}
	h.More = e.More
	return h
}

func heldNow(r store.Record, h store.Hold) HeldNow {
	return HeldNow{
		Key: publication.KeyOf(h), Kind: h.Kind, Group: publication.GroupOf(r, h), Variant: h.Variant,
		Old: h.Old, New: h.New, Reason: h.Reason,
		Since: h.Since.Time(), Ways: publication.Ways(r, h),
	}
}
