package desk

import (
	"cmp"
	"context"
	"encoding/base64"
	"math"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A List is a page of the import list. After is empty at its end.
type List struct {
	Publications []Listed `json:"publications"`
	After        string   `json:"after"`
	Total        int      `json:"total"` // publications of the whole list
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

// Publications is a page of the import list in the order of the ids. Of one state those come first
// that have stood in it longest. A list in another order, or of what a text finds, comes from a
// snapshot that is some seconds old: what moves meanwhile may stand on two of its pages, or on
// none.
func (l *Local) Publications(ctx context.Context, q Query) (List, error) {
	list := List{Publications: []Listed{}}
	from, err := base64.RawURLEncoding.DecodeString(q.After)
	if err != nil {
		return list, ErrCursor
	}
	if !q.Order.valid() {
		return list, ErrOrder
	}
	if q.Order != "" || q.Find != "" || q.Cause != "" {
		return l.found(ctx, q, string(from))
	}
	if list.Total, err = all(ctx, l.Store, q.State); err != nil {
		return list, err
	}
	chosen := store.Query{After: string(from)}
	if q.State != "" {
		chosen.Key = store.KeyState(q.State)
	}
	last := "" // place of the last line
	for r, err := range store.Records(ctx, l.Store, chosen) {
		if err != nil {
			return list, err
		}
		if len(list.Publications) == q.Limit {
			list.After = base64.RawURLEncoding.EncodeToString([]byte(last))
			return list, nil
		}
		had, err := l.Store.Get(ctx, r.ID)
		if err != nil {
			return list, err
		}
		list.Publications = append(list.Publications, l.listed(r, had.Mark))
		last, _ = chosen.Place(r)
	}
	return list, nil
}

// found is a page of a list that is sorted or searched. Its cursor is the number of lines before
// it.
func (l *Local) found(ctx context.Context, q Query, after string) (List, error) {
	list := List{Publications: []Listed{}}
	from := 0
	if after != "" {
		n, err := strconv.Atoi(after)
		if err != nil || n < 0 {
			return list, ErrCursor
		}
		from = n
	}
	now, err := l.snapshot(ctx)
	if err != nil {
		return list, err
	}
	ids, total := now.find(q, from)
	list.Total = total
	for _, id := range ids {
		had, err := l.Store.Get(ctx, id)
		if err != nil {
			return list, err
		}
		if had.Known {
			list.Publications = append(list.Publications, l.listed(had.Record, had.Mark))
		}
	}
	if from += len(ids); from < total && len(ids) > 0 {
		list.After = base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(from)))
	}
	return list, nil
}

func (l *Local) snapshot(ctx context.Context) (*snapshot, error) {
	return l.index.snapshot(ctx, func(ctx context.Context) (*snapshot, error) {
		return scan(ctx, l.Store, l.Rules.Price)
	})
}

func (l *Local) listed(r store.Record, due *store.Mark) Listed {
	line := Listed{
		ID: r.ID, State: r.State, Title: r.Title, ShopID: r.ShopID, URL: r.URL, Reported: r.Reported, Error: errorOf(r),
		UpdatedAt: r.UpdatedAt, Thumbnail: r.Thumbnail,
	}
	if f := figuresOf(r, l.Rules.Price); f.low != "" {
		line.PriceFrom, line.PriceTo, line.Stock, line.Backorders = f.low, f.high, &f.stock, f.backorder
		if !math.IsNaN(f.margin) {
			line.Margin = new(math.Round(f.margin*10) / 10)
		}
	}
	if due != nil {
		at := due.Soonest().Time()
		line.NextAttemptAt = &at
	}
	return line
}

// errorOf returns what most needs attention about a publication, or "".
func errorOf(r store.Record) string {
	switch {
	case r.Problem.Message != "":
		return r.Problem.Message
	case len(r.Holds) > 0:
		return r.Holds[0].Reason
	case r.ReportError != "":
		return "report refused: " + r.ReportError
	}
	for _, v := range r.Variants {
		if v.Refused != "" {
			return cmp.Or(v.Title, v.ID) + ": " + v.Refused
		}
	}
	for _, p := range r.Missing {
		return "without a picture: " + p.Reason
	}
	return ""
}
