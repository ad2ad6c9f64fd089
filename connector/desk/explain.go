package desk

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// An Explanation is all that is known of one publication.
type Explanation struct {
	store.Record // as stored; ReadAt is the last reading of any kind

	OnSale     bool               `json:"onSale"`
	Draft      bool               `json:"draft,omitempty"` // waits for the merchant to put it on sale
	Unsettled  shopadapter.Fields `json:"unsettled"`       // sent to the shop with an unknown outcome
	Variants   []Explained        `json:"variants"`
	Attempts   int                `json:"attempts,omitempty"` // since the problem began
	Held       []HeldNow          `json:"held"`
	Declined   []HeldNow          `json:"declined,omitempty"`   // by a person, at their Since
	Unsellable string             `json:"unsellable,omitempty"` // why it is off sale while sold out
	Owed       *store.Report      `json:"owed,omitempty"`       // to the marketplace
	// of a refused report; an enumeration, a person or a restart may come first
	NextReport *time.Time    `json:"nextReportAt,omitempty"`
	Next       *time.Time    `json:"nextAttemptAt"`
	History    []store.Event `json:"history"` // as sentences
}

// Explained is one variant with the steps to its price and stock.
type Explained struct {
	store.Variant

	Price      string   `json:"price"`
	Cost       string   `json:"cost"`
	MSRP       string   `json:"msrp"`
	Quantity   int      `json:"quantity"`
	Backorders bool     `json:"backorders"`
	Steps      []string `json:"priceSteps,omitempty"`
	StockSteps []string `json:"stockSteps,omitempty"`
}

// HeldNow is a held change.
type HeldNow struct {
	Key string `json:"key"` // for Answer.Holds
	store.Hold
}

// Explain returns ErrUnknown for an unknown id.
func (l *Local) Explain(ctx context.Context, id string) (e Explanation, err error) {
	had, err := l.Store.Get(ctx, id)
	if err == nil && !had.Known {
		err = ErrUnknown
	}
	if err != nil {
		return e, err
	}
	r, settings := had.Record, publication.Settings{Rules: l.Rules}
	e = Explanation{
		Record: r, OnSale: r.Sale == store.OnSale, Draft: r.Sale == store.Draft && !r.Removal.Done, Unsettled: r.Unsure(),
		Variants: []Explained{}, Held: []HeldNow{}, History: []store.Event{}, Owed: had.Owed, Next: next(had),
	}
	e.ReadAt = max(r.ReadAt, r.FiguresAt)
	if r.Sale == store.SoldOut {
		e.Unsellable = publication.SoldOutText
	}
	for _, v := range r.Variants {
		x := Explained{
			Variant: v, Price: v.Written.Price, Cost: v.Supply.Cost, MSRP: v.Supply.MSRP,
			Quantity: max(0, v.Written.Quantity-v.Sold), Backorders: v.Written.Backorders,
		}
		if v.Written.Price != "" {
			x.Steps, x.StockSteps = settings.Explain(r, v)
		}
		e.Variants = append(e.Variants, x)
	}
	if r.Problem.Kind != "" && had.Mark != nil {
		e.Attempts = max(1, had.Mark.Tries)
	}
	for _, h := range r.Holds {
		switch {
		case h.Stands():
			e.Held = append(e.Held, HeldNow{h.Key(), h})
		case h.Verdict == store.Declined:
			e.Declined = append(e.Declined, HeldNow{h.Key(), h})
		}
	}
	if o := had.Owed; o != nil && o.Refused != "" && o.TriedAt != 0 {
		if at := publication.RemadeAt(*o, 0, time.Time{}, time.Now()); !at.IsZero() {
			e.NextReport = &at
		}
	}
	history, err := l.Store.History(ctx, id)
	for _, h := range history {
		h.What = publication.Tell(h)
		e.History = append(e.History, h)
	}
	return e, err
}

// next returns when the next look is planned, nil for never.
func next(e store.Entry) *time.Time {
	switch m, h := e.Mark, e.Hint; {
	case m != nil && (h == nil || m.At <= h.At):
		return new(m.At.Time())
	case h != nil:
		return new(h.At.Time())
	}
	return nil
}
