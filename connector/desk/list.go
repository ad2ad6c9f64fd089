package desk

import (
	"cmp"
	"context"
	"encoding/base64"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A List is a page of the import list. After is empty at its end.
type List struct {
	Publications []Listed `json:"publications"`
	After        string   `json:"after"`
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
}

// Publications is a page of the import list in the order of the ids. Of one state those come first that
// have stood in it longest.
func (l *Local) Publications(ctx context.Context, q Query) (List, error) {
	list := List{Publications: []Listed{}}
	from, err := base64.RawURLEncoding.DecodeString(q.After)
	if err != nil {
		return list, ErrCursor
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
		line := Listed{
			ID: r.ID, State: r.State, Title: r.Title, ShopID: r.ShopID, URL: r.URL, Reported: r.Reported, Error: errorOf(r),
			UpdatedAt: r.UpdatedAt,
		}
		if had, err := l.Store.Get(ctx, r.ID); err != nil {
			return list, err
		} else if had.Mark != nil {
			at := had.Mark.Soonest().Time()
			line.NextAttemptAt = &at
		}
		list.Publications = append(list.Publications, line)
		last, _ = chosen.Place(r)
	}
	return list, nil
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
