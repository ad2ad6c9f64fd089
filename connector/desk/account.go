package desk

import (
	"cmp"
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/directory"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// Account says whose import list this is, and which stores the marketplace thinks that it feeds.
type Account struct {
	marketplace.Holder
	Channels []marketplace.Channel `json:"channels,omitempty"`
	ReadAt   time.Time             `json:"readAt,omitzero"`
	// a product page that was reported, with which the channels are compared
	Page    string `json:"page,omitempty"`
	Warning string `json:"warning,omitempty"` // where the channels name other shops
	// why the marketplace does not tell a part: account, channels or categories
	Refused map[string]string `json:"refused,omitempty"`
}

// sampled is how many publications of a state are looked at for a product page that was reported.
const sampled = 50

// accountOf is what a store holds of the account, nil where nothing is known.
func accountOf(ctx context.Context, s store.Store) (*Account, error) {
	list, err := directory.ListOf(ctx, s)
	if err != nil {
		return nil, err
	}
	a := &Account{Holder: list.Account, Channels: list.Channels, ReadAt: list.At, Refused: list.Refused}
	if a.Slug == "" && a.Name == "" {
		if a.Slug, err = store.Account(ctx, s); err != nil {
			return nil, err
		}
	}
	if a.Holder == (marketplace.Holder{}) && len(a.Channels) == 0 && len(a.Refused) == 0 {
		return nil, nil
	}
	if len(a.Channels) > 0 {
		if a.Page, err = reportedPage(ctx, s); err != nil {
			return nil, err
		}
		a.Warning = list.Elsewhere(a.Page)
	}
	return a, nil
}

// reportedPage is the address of a product page that the marketplace has acknowledged, "" where
// none is found soon.
func reportedPage(ctx context.Context, s store.Store) (string, error) {
	for _, state := range []store.State{store.StateLive, store.StatePartial, store.StateHeld} {
		records, _, err := s.List(ctx, store.Query{Key: store.KeyState(state), Limit: sampled})
		if err != nil {
			return "", err
		}
		for _, r := range records {
			// an address that is the listing's own is kept once
			if page := cmp.Or(r.ReportedURL, r.URL); r.Reported == store.StatusSuccess && page != "" {
				return page, nil
			}
		}
	}
	return "", nil
}
