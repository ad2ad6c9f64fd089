package desk

import (
	"cmp"
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A Query asks for a page of the import list. Empty fields choose all.
type Query struct {
	State store.State
	After string // of the List before
	Limit int    // at least 1
	Find  string // part of a title, an id or the shop's id
}

// A List is a page of the import list. After is empty on the last page.
type List struct {
	Publications []Listed `json:"publications"`
	After        string   `json:"after"`
}

// Listed is a line of the list.
type Listed struct {
	ID            string        `json:"id"`
	State         store.State   `json:"state"`
	Title         string        `json:"title"`
	ShopID        string        `json:"shopId"`
	URL           string        `json:"url"`
	Reported      store.Status  `json:"reported"`
	Error         string        `json:"error"`
	UpdatedAt     string        `json:"updatedAt"`
	NextAttemptAt store.Instant `json:"nextAttemptAt"`

	// of the variants in the shop
	PriceFrom  string `json:"priceFrom,omitempty"`
	PriceTo    string `json:"priceTo,omitempty"`
	Stock      *int   `json:"stock,omitempty"`
	Backorders bool   `json:"backorders,omitempty"` // of any variant
	// the lowest, see publication.PriceRule.Margin
	Margin    *float64 `json:"marginPercent,omitempty"`
	Thumbnail string   `json:"thumbnail,omitempty"`
}

// Publications returns a page in the order of ids.
func (l *Local) Publications(ctx context.Context, q Query) (list List, err error) {
	list.Publications = []Listed{}
	after, err := base64.RawURLEncoding.DecodeString(q.After)
	if err != nil {
		return list, usage("after: not a cursor of this list")
	}
	find, chosen := strings.ToLower(strings.TrimSpace(q.Find)), store.Query{After: string(after)}
	if q.State != "" {
		chosen.Key = store.KeyState(q.State)
	}
	for r, err := range store.Records(ctx, l.Store, chosen) {
		if err != nil {
			return list, err
		}
		if !strings.Contains(strings.ToLower(r.Title+"\n"+r.ID+"\n"+r.ShopID), find) {
			continue
		}
		if n := len(list.Publications); n == q.Limit {
			list.After = base64.RawURLEncoding.EncodeToString([]byte(list.Publications[n-1].ID))
			break
		}
		e, err := l.Store.Get(ctx, r.ID)
		if err != nil {
			return list, err
		}
		list.Publications = append(list.Publications, l.listed(e))
	}
	return list, nil
}

func (l *Local) listed(e store.Entry) Listed {
	r := e.Record
	line := Listed{
		ID: r.ID, State: r.State, Title: r.Title, ShopID: r.ShopID, URL: r.URL, Reported: r.Reported, Error: errorOf(e),
		UpdatedAt: r.UpdatedAt, NextAttemptAt: next(e), Thumbnail: r.Pictures.Thumbnail,
	}
	var prices []string
	for _, v := range r.Variants {
		w := v.Written
		if v.Refused != "" || w.Price == "" {
			continue
		}
		if prices = append(prices, w.Price); line.Stock == nil {
			line.Stock = new(0)
		}
		*line.Stock += max(w.Quantity-v.Sold, 0)
		line.Backorders = line.Backorders || w.Backorders
		if margin, ok := l.Rules.Price.Margin(w.Price, v.Supply.Cost); ok && (line.Margin == nil || margin < *line.Margin) {
			line.Margin = new(tenth(margin))
		}
	}
	line.PriceFrom, line.PriceTo = publication.Span(prices)
	return line
}

// errorOf returns the first thing to say of a publication, "" if all is well.
func errorOf(e store.Entry) string {
	r := e.Record
	held := slices.IndexFunc(r.Holds, store.Hold.Stands)
	refused := slices.IndexFunc(r.Variants, func(v store.Variant) bool { return v.Refused != "" })
	switch {
	case r.Problem.Message != "":
		return r.Problem.Message
	case held >= 0:
		return r.Holds[held].Reason
	case e.Owed != nil && e.Owed.Refused != "":
		return "report refused: " + e.Owed.Refused
	case refused >= 0:
		return cmp.Or(r.Variants[refused].Title, r.Variants[refused].ID) + ": " + r.Variants[refused].Refused
	case len(r.Pictures.Missing) > 0:
		return "without a picture: " + r.Pictures.Missing[0].Reason
	case r.State == store.StatePending && r.Sale == store.SoldOut: // it was never made
		return publication.SoldOutText
	}
	return ""
}

// An Explanation is all that is known of one publication.
type Explanation struct {
	store.Record // as stored; ReadAt is the last reading of any kind

	OnSale     bool               `json:"onSale"`
	Draft      bool               `json:"draft,omitempty"` // waits for the merchant to put it on sale
	Unsettled  shopadapter.Fields `json:"unsettled"`       // sent to the shop with an unknown outcome
	Variants   []Explained        `json:"variants"`
	Attempts   int                `json:"attempts,omitempty"` // since the problem began
	Held       []HeldChange       `json:"held"`
	Declined   []HeldChange       `json:"declined,omitempty"`   // by a person, at their Since
	Unsellable string             `json:"unsellable,omitempty"` // why it is off sale while sold out
	Owed       *store.Report      `json:"owed,omitempty"`       // to the marketplace
	// of a refused report; an enumeration, a person or a restart may come first
	NextReport store.Instant `json:"nextReportAt,omitzero"`
	Next       store.Instant `json:"nextAttemptAt"`
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
		Record: r, OnSale: r.Sale == store.OnSale, Draft: r.Sale == store.Draft && !r.Removal.Done, Unsettled: r.Dirty,
		Variants: []Explained{}, Held: []HeldChange{}, History: []store.Event{}, Owed: had.Owed, Next: next(had),
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
			e.Held = append(e.Held, NewHeldChange(r, h))
		case h.Verdict == store.Declined:
			e.Declined = append(e.Declined, NewHeldChange(r, h))
		}
	}
	if o := had.Owed; o != nil && o.Refused != "" && o.TriedAt != 0 {
		e.NextReport = store.At(publication.RemadeAt(*o, 0, time.Time{}, time.Now()))
	}
	history, err := l.Store.History(ctx, id)
	for _, h := range history {
		h.What = publication.Tell(h)
		e.History = append(e.History, h)
	}
	return e, err
}

// next returns when the next look is planned, 0 for never.
func next(e store.Entry) (at store.Instant) {
	for _, m := range []*store.Mark{e.Mark, e.Hint} {
		if m != nil && (at == 0 || m.At < at) {
			at = m.At
		}
	}
	return at
}
