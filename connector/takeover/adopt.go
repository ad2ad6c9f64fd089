package takeover

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// The facts of a store.
const (
	MetaCopied = "copied" // since when it is a copy, which lacks what was done since

	MetaMapped = "mapped" // when the shop's listings were taken over
)

// listless is the value of MetaMapped where the shop has no list. The shop is not asked for one
// again: a shop that is down would keep the store from its sweeps.
const listless = "no list"

// adopt takes over what the shop holds as ours, and returns how many listings that were.
func adopt(ctx context.Context, s store.Store, shop shopadapter.Adapter) (n int, err error) {
	now := time.Now().UTC().Format(time.RFC3339)
	for listed, err := range shop.List(ctx, shopadapter.Query{}) {
		if errors.Is(err, shopadapter.ErrNoList) {
			return 0, errors.Join(err, s.SetMeta(ctx, MetaMapped, listless))
		}
		if err != nil {
			return n, &health.ShopError{Op: health.ListShop, Err: err}
		}
		if publication.OverlongListed(listed) != "" {
			continue // pubsync makes no listing with such ids
		}
		at := time.Now()
		shown := *publication.ShownAs(listed.Listing, listed.Ref, shopadapter.Prices{})
		adopted, err := s.Change(ctx, []string{string(listed.Ref.Publication)}, func(e *store.Entry) bool {
			return publication.TakeOver(e, shown, at)
		})
		if err != nil {
			return n, err
		}
		n += adopted
	}
	return n, s.SetMeta(ctx, MetaMapped, now)
}

// PutBack readies a backup that replaced the store. The shop is asked anew what it holds as ours.
// The next look at each publication writes it whole, and nothing is reported before that look. All
// are looked at now, at the priority of refreshes: what was written since by rules that hold no
// more shows in no list.
func PutBack(ctx context.Context, s store.Store, log *slog.Logger, now time.Time) error {
	copied, err := s.Meta(ctx, MetaCopied)
	if err != nil || copied == "" {
		return err
	}
	log.Warn("the store is a backup: all is read again and written whole", "backup", copied)
	if _, err := store.ChangeAll(ctx, s, store.Query{}, func(e *store.Entry) bool {
		publication.Suspect(e, now)
		return true
	}); err != nil {
		return err
	}
	if err := s.SetMeta(ctx, MetaMapped, ""); err != nil {
		return err
	}
	return s.SetMeta(ctx, MetaCopied, "")
}
