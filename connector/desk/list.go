package desk

import (
	"cmp"
	"context"
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A List is a page of the import list. After is empty at its end.
type List struct {
	Publications []Listed `json:"publications"`
	After        string   `json:"after"`
	Total        int      `json:"total,omitempty"` // publications of the whole list; 0: a search does not tell
	// Unfinished says that a search ended before the page was full, since it took long: ask on.
	Unfinished bool `json:"unfinished,omitempty"`
}

// A Listed is one line of the import list as the connector knows it.
type Listed struct {
	ID            string       `json:"id"`
	State         store.State  `json:"state"`
	Title         string       `json:"title"`
	ShopID        string       `json:"shopId"`
	URL           string       `json:"url"`
	Reported      store.Status `json:"reported"`
	Error         string       `json:"error"`
	UpdatedAt     string       `json:"updatedAt"`
	NextAttemptAt *time.Time   `json:"nextAttemptAt"`

	// of the variants that the shop has: the lowest and the highest price, and the stock of all
	PriceFrom  string `json:"priceFrom,omitempty"`
	PriceTo    string `json:"priceTo,omitempty"`
	Stock      *int   `json:"stock,omitempty"`
	Backorders bool   `json:"backorders,omitempty"` // one of them can be ordered without stock
	// the lowest margin among them, see publication.PriceRule.Margin
	Margin    *float64 `json:"marginPercent,omitempty"`
	Thumbnail string   `json:"thumbnail,omitempty"` // the marketplace's address of its first picture
}

// searchFor bounds the search for one page.
const searchFor = 2 * time.Second

// Publications is a page of the import list in the order of the ids. Of one state those come first
// that have stood in it longest. A search ends after two seconds: its cursor leads on.
func (l *Local) Publications(ctx context.Context, q Query) (list List, err error) {
	list.Publications = []Listed{}
	after, err := base64.RawURLEncoding.DecodeString(q.After)
	if err != nil {
		return list, ErrCursor
	}
	searching := q.Find != "" || q.Cause != ""
	if !searching {
		counts, err := l.Store.Counts(ctx)
		if err != nil {
			return list, err
		}
		for state, n := range counts {
			if q.State == "" || q.State == state {
				list.Total += n
			}
		}
	}
	chosen := store.Query{After: string(after)}
	if q.State != "" {
		chosen.Key = store.KeyState(q.State)
	}
	begun, place, find := time.Now(), "", strings.ToLower(strings.TrimSpace(q.Find))
	for r, err := range store.Records(ctx, l.Store, chosen) {
		if err != nil {
			return list, err
		}
		list.Unfinished = searching && len(list.Publications) < q.Limit && time.Since(begun) > searchFor
		if len(list.Publications) == q.Limit || list.Unfinished {
			list.After = base64.RawURLEncoding.EncodeToString([]byte(place))
			return list, nil
		}
		place, _ = chosen.Place(r)
		if !strings.Contains(strings.ToLower(r.Title+"\n"+r.ID+"\n"+r.ShopID), find) {
			continue
		}
		e, err := l.Store.Get(ctx, r.ID)
		if err != nil {
			return list, err
		}
		if q.Cause == "" || causeOf(r, refusalOf(e)) == q.Cause {
			list.Publications = append(list.Publications, l.listed(e))
		}
	}
	return list, nil
}

func (l *Local) listed(e store.Entry) Listed {
	r := e.Record
	line := Listed{
		ID: r.ID, State: r.State, Title: r.Title, ShopID: r.ShopID, URL: r.URL, Reported: r.Reported, Error: errorOf(e),
		UpdatedAt: r.UpdatedAt, Thumbnail: r.Pictures.Thumbnail,
	}
	if f := figuresOf(r, l.Rules.Price); f.low != "" {
		line.PriceFrom, line.PriceTo, line.Stock, line.Backorders = f.low, f.high, &f.stock, f.backorder
		if !math.IsNaN(f.margin) {
			line.Margin = new(math.Round(f.margin*10) / 10)
		}
	}
	if at, _ := next(e); at != 0 {
		line.NextAttemptAt = new(at.Time())
	}
	return line
}

// errorOf returns what most needs attention about a publication, or "".
func errorOf(e store.Entry) string {
	r := e.Record
	held := slices.IndexFunc(r.Holds, store.Hold.Stands)
	switch {
	case r.Problem.Message != "":
		return r.Problem.Message
	case held >= 0:
		return r.Holds[held].Reason
	case refusalOf(e) != "":
		return "report refused: " + refusalOf(e)
	}
	for _, v := range r.Variants {
		if v.Refused != "" {
			return cmp.Or(v.Title, v.ID) + ": " + v.Refused
		}
	}
	for _, p := range r.Pictures.Missing {
		return "without a picture: " + p.Reason
	}
	return ""
}

// figures are what the variants of a publication cost and how many there are, over those that the
// shop does not refuse.
type figures struct {
	low, high string  // prices as written, "" where there is none
	margin    float64 // the lowest; NaN: none is known
	stock     int
	backorder bool // one of them can be ordered without stock
}

func figuresOf(r store.Record, rules publication.PriceRule) figures {
	f, lowest, highest := figures{margin: math.NaN()}, math.Inf(1), math.Inf(-1)
	for _, v := range r.Variants {
		w := v.Written
		if v.Refused != "" || w.Price == "" {
			continue
		}
		f.stock += max(w.Quantity-v.Sold, 0)
		f.backorder = f.backorder || w.Backorders
		if price, err := strconv.ParseFloat(w.Price, 64); err == nil {
			if price < lowest {
				f.low, lowest = w.Price, price
			}
			if price > highest {
				f.high, highest = w.Price, price
			}
		}
		if margin, ok := rules.Margin(w.Price, v.Supply.Cost); ok && !(margin >= f.margin) {
			f.margin = margin
		}
	}
	return f
}
