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
	ID         string        `json:"id"`
	State      store.State   `json:"state"`
	Title      string        `json:"title"`
	Source     Source        `json:"source"`
	Shop       Placed        `json:"shop"`
	Variants   []Explained   `json:"variants"`
	Problem    *Problem      `json:"problem"`
	Held       []HeldNow     `json:"held"`
	Declined   []HeldNow     `json:"declined,omitempty"`   // by a person, at their Since
	Unsellable string        `json:"unsellable,omitempty"` // why it is off sale while sold out
	Report     Reporting     `json:"report"`
	Next       *time.Time    `json:"nextAttemptAt"`
	History    []store.Event `json:"history"` // as sentences
}

// Source is the publication at the marketplace.
type Source struct {
	Listing   string              `json:"listingId"`
	Product   string              `json:"productId"`
	UpdatedAt string              `json:"updatedAt"`
	ReadAt    time.Time           `json:"readAt,omitzero"`
	ListedAt  time.Time           `json:"listedAt,omitzero"`
	Removal   store.RemovalReason `json:"removal,omitempty"`
	Unread    string              `json:"unread,omitempty"` // fields in an unknown shape
	Terms     *store.Terms        `json:"terms,omitempty"`  // nil: not read yet
}

// Placed is the listing in the shop.
type Placed struct {
	ID        string             `json:"id"`
	URL       string             `json:"url"`
	OnSale    bool               `json:"onSale"`
	WrittenAt time.Time          `json:"writtenAt,omitzero"`
	Draft     bool               `json:"draft,omitempty"` // waits for the merchant to put it on sale
	Unsettled shopadapter.Fields `json:"unsettled"`       // sent to the shop with an unknown outcome
	Kept      shopadapter.Fields `json:"kept"`            // as the merchant edited them
	Missing   []store.Picture    `json:"missing"`
}

// Explained is one variant with the steps to its price and stock.
type Explained struct {
	ID         string   `json:"id"`
	ShopID     string   `json:"shopId,omitempty"`
	Title      string   `json:"title"`
	SKU        string   `json:"sku"`
	Price      string   `json:"price"`
	Cost       string   `json:"cost"`
	MSRP       string   `json:"msrp"`
	Quantity   int      `json:"quantity"`
	Backorders bool     `json:"backorders"`
	Refused    string   `json:"refused,omitempty"`
	Steps      []string `json:"priceSteps,omitempty"`
	StockSteps []string `json:"stockSteps,omitempty"`
}

// A Problem is what keeps a publication back.
type Problem struct {
	store.Problem

	Attempts int `json:"attempts"`
}

// HeldNow is a held change.
type HeldNow struct {
	Key string `json:"key"` // for Answer.Holds
	store.Hold
}

// Reporting is what the marketplace was told and is still owed.
type Reporting struct {
	Status    store.Status `json:"status"`
	URL       string       `json:"url,omitempty"`
	At        time.Time    `json:"at,omitzero"`
	Owed      store.Status `json:"owed,omitempty"`
	Error     string       `json:"error,omitempty"`
	Refusals  int          `json:"refusals,omitempty"`
	RefusedAt time.Time    `json:"refusedAt,omitzero"`
	// of the next try; an enumeration, a person or a restart may come first
	Next *time.Time `json:"nextReportAt,omitempty"`
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
	history, err := l.Store.History(ctx, id)
	if err != nil {
		return e, err
	}
	r, settings := had.Record, publication.Settings{Rules: l.Rules}
	e = Explanation{
		ID: r.ID, State: r.State, Title: r.Title, Variants: []Explained{}, Held: []HeldNow{}, History: []store.Event{},
		Source: Source{
			Listing: r.Listing, Product: r.Product, UpdatedAt: r.UpdatedAt, ReadAt: max(r.ReadAt, r.FiguresAt).Time(),
			ListedAt: r.ListedAt.Time(), Removal: r.Removal.Reason, Unread: r.Unread,
		},
		Shop: Placed{
			ID: r.ShopID, URL: r.URL, OnSale: r.Sale == store.OnSale, Draft: r.Sale == store.Draft && !r.Removal.Done,
			WrittenAt: r.WrittenAt.Time(), Unsettled: r.Unsure(), Kept: r.Kept,
			Missing: append([]store.Picture{}, r.Pictures.Missing...),
		},
		Report: reporting(had), Next: next(had),
	}
	if r.Terms.Known {
		e.Source.Terms = &r.Terms
	}
	if r.Sale == store.SoldOut {
		e.Unsellable = publication.Reason(r)
	}
	for _, v := range r.Variants {
		x := Explained{
			ID: v.ID, ShopID: v.ShopID, Title: v.Title, SKU: v.SKU, Price: v.Written.Price, Cost: v.Supply.Cost,
			MSRP: v.Supply.MSRP, Quantity: max(0, v.Written.Quantity-v.Sold), Backorders: v.Written.Backorders,
			Refused: v.Refused,
		}
		if v.Written.Price != "" {
			x.Steps, x.StockSteps = settings.Explain(r, v)
		}
		e.Variants = append(e.Variants, x)
	}
	if r.Problem.Kind != "" {
		e.Problem = &Problem{Problem: r.Problem}
		if had.Mark != nil {
			e.Problem.Attempts = max(1, had.Mark.Tries)
		}
	}
	for _, h := range r.Holds {
		switch {
		case h.Stands():
			e.Held = append(e.Held, HeldNow{h.Key(), h})
		case h.Verdict == store.Declined:
			e.Declined = append(e.Declined, HeldNow{h.Key(), h})
		}
	}
	for _, h := range history {
		h.What = publication.Tell(h)
		e.History = append(e.History, h)
	}
	return e, nil
}

func reporting(e store.Entry) Reporting {
	r := Reporting{Status: e.Record.Reported, URL: e.Record.ReportedURL, At: e.Record.ReportedAt.Time()}
	o := e.Owed
	if o == nil {
		return r
	}
	if r.Owed, r.Error = o.Status, o.Refused; o.Refused == "" {
		return r
	}
	if r.Refusals, r.RefusedAt = o.Tries, o.TriedAt.Time(); o.TriedAt != 0 {
		if at := publication.RemadeAt(*o, 0, time.Time{}, time.Now()); !at.IsZero() {
			r.Next = &at
		}
	}
	return r
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
