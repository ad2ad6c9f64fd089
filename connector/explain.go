package connector

import (
	"encoding/base64"
	"errors"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// ErrUnknown says that no publication has the id.
var ErrUnknown = errors.New("no such publication")

// A Listed is one line of the import list as the connector knows it.
type Listed struct {
	ID            string     `json:"id"`
	State         string     `json:"state"`
	Title         string     `json:"title"`
	ShopID        string     `json:"shopId"`
	URL           string     `json:"url"`
	Reported      string     `json:"reported"`
	Error         string     `json:"error"`
	UpdatedAt     string     `json:"updatedAt"`
	NextAttemptAt *time.Time `json:"nextAttemptAt"`
}

// A List is a part of the import list. After is empty at its end.
type List struct {
	Publications []Listed `json:"publications"`
	After        string   `json:"after"`
}

// Publications lists what the store knows, in the order of the ids, of one state or with "" of all.
func Publications(s *store.Store, state, after string, limit int) (List, error) {
	list := List{Publications: []Listed{}}
	from, err := base64.RawURLEncoding.DecodeString(after)
	if err != nil {
		return list, errors.New("after: not a cursor of this list")
	}
	for r, err := range s.Records(string(from)) {
		if err != nil {
			return list, err
		}
		if state != "" && r.State != state {
			continue
		}
		if len(list.Publications) == limit {
			list.After = base64.RawURLEncoding.EncodeToString([]byte(list.Publications[limit-1].ID))
			return list, nil
		}
		l := Listed{
			ID: r.ID, State: r.State, Title: r.Title, ShopID: r.ShopID, URL: r.URL, Reported: r.Reported, Error: errorOf(r), UpdatedAt: r.UpdatedAt,
		}
		if l.NextAttemptAt, err = nextAttempt(s, r.ID); err != nil {
			return list, err
		}
		list.Publications = append(list.Publications, l)
	}
	return list, nil
}

func nextAttempt(s *store.Store, id string) (*time.Time, error) {
	m, ok, err := s.MarkOf(id)
	if err != nil || !ok {
		return nil, err
	}
	at := m.At.Time()
	return &at, nil
}

func errorOf(r store.Record) string {
	switch {
	case r.Problem.Message != "":
		return r.Problem.Message
	case len(r.Holds) > 0:
		return r.Holds[0].Reason
	case r.ReportError != "":
		return "report refused: " + r.ReportError
	default:
		return firstRefused(r)
	}
}

func firstRefused(r store.Record) string {
	for _, v := range r.Variants {
		if v.Refused != "" {
			return nameOf(v.Title, v.ID) + ": " + v.Refused
		}
	}
	return ""
}

// An Explanation is all that is known of one publication.
type Explanation struct {
	ID       string      `json:"id"`
	State    string      `json:"state"`
	Title    string      `json:"title"`
	Source   Source      `json:"source"`
	Shop     Placed      `json:"shop"`
	Variants []Explained `json:"variants"`
	Problem  *Problem    `json:"problem"`
	Held     []HeldNow   `json:"held"`
	Report   Reporting   `json:"report"`
	Next     *time.Time  `json:"nextAttemptAt"`
	NextWhy  []string    `json:"nextAttemptWhy,omitempty"`
	History  []Happened  `json:"history"`
}

// Source is the marketplace's side.
type Source struct {
	Listing   string    `json:"listingId"`
	Product   string    `json:"productId"`
	UpdatedAt string    `json:"updatedAt"`
	ReadAt    time.Time `json:"readAt,omitzero"`
	ListedAt  time.Time `json:"listedAt,omitzero"`
	Removal   string    `json:"removal,omitempty"`
}

// Placed is the shop's side.
type Placed struct {
	ID        string             `json:"id"`
	URL       string             `json:"url"`
	OnSale    bool               `json:"onSale"`
	WrittenAt time.Time          `json:"writtenAt,omitzero"`
	Unsettled shopadapter.Fields `json:"unsettled"` // groups sent to the shop whose outcome is not known
	Kept      shopadapter.Fields `json:"kept"`      // groups left as the merchant edited them
}

// Explained is one variant and how its price and its stock came about.
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

// Problem is what keeps it from being settled.
type Problem struct {
	Kind     string    `json:"kind"`
	Message  string    `json:"message"`
	Attempts int       `json:"attempts"`
	Since    time.Time `json:"since"`
	Last     time.Time `json:"last"`
}

// HeldNow is a change that a brake holds.
type HeldNow struct {
	Kind    string    `json:"kind"`
	Variant string    `json:"variant,omitempty"`
	Old     string    `json:"old,omitempty"`
	New     string    `json:"new,omitempty"`
	Reason  string    `json:"reason"`
	Since   time.Time `json:"since"`
}

// Reporting is what the marketplace was told, and what it is still owed.
type Reporting struct {
	Status string    `json:"status"`
	URL    string    `json:"url,omitempty"`
	At     time.Time `json:"at,omitzero"`
	Owed   string    `json:"owed,omitempty"`
	Error  string    `json:"error,omitempty"`
}

// Happened is one line of the history.
type Happened struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
}

// Explain tells all that is known of one publication. An id that the store does not know is ErrUnknown.
func Explain(s *store.Store, rules Rules, id string) (Explanation, error) {
	r, ok, err := s.Get(id)
	if err != nil {
		return Explanation{}, err
	}
	if !ok {
		return Explanation{}, ErrUnknown
	}
	e := Explanation{
		ID: r.ID, State: r.State, Title: r.Title, Variants: []Explained{}, Held: []HeldNow{}, History: []Happened{},
		Source: Source{
			Listing: r.Listing, Product: r.Product, UpdatedAt: r.UpdatedAt, ReadAt: r.ReadAt.Time(), ListedAt: r.ListedAt.Time(), Removal: r.Removal.Reason,
		},
		Shop: Placed{
			ID: r.ShopID, URL: r.URL, OnSale: r.OnSale, WrittenAt: r.WrittenAt.Time(), Unsettled: shopadapter.Fields(r.Attempted),
			Kept: shopadapter.Fields(r.Kept),
		},
		Report: Reporting{Status: r.Reported, URL: r.ReportedURL, At: r.ReportedAt.Time(), Error: r.ReportError},
	}
	for _, v := range r.Variants {
		x := Explained{
			ID: v.ID, ShopID: v.ShopID, Title: v.Title, SKU: v.SKU, Price: v.Price, Cost: v.Cost, MSRP: v.MSRP, Quantity: v.Quantity,
			Backorders: v.Backorders, Refused: v.Refused,
		}
		if v.Price != "" {
			x.Steps, x.StockSteps = rules.priceSteps(v), rules.stockSteps(v)
		}
		e.Variants = append(e.Variants, x)
	}
	if p := r.Problem; p.Kind != "" {
		e.Problem = &Problem{Kind: p.Kind, Message: p.Message, Attempts: p.Attempts, Since: p.Since.Time(), Last: p.Last.Time()}
	}
	for _, h := range r.Holds {
		e.Held = append(e.Held, HeldNow{Kind: h.Kind, Variant: h.Variant, Old: h.Old, New: h.New, Reason: h.Reason, Since: h.Since.Time()})
	}
	for _, h := range r.History {
		e.History = append(e.History, Happened{At: h.At.Time(), What: h.What})
	}
	owed, err := s.Owed(id)
	if err != nil {
		return e, err
	}
	if owed != nil {
		e.Report.Owed = owed.Status
	}
	m, ok, err := s.MarkOf(id)
	if err == nil && ok {
		at := m.At.Time()
		e.Next, e.NextWhy = &at, whyNext(m.Cause)
	}
	return e, err
}
