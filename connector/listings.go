package connector

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// mapListings takes over, into a store that holds nothing yet or was put back from a backup, what the shop says that it made for us. It is done once,
// before the first sweep: with it a lost store doubles nothing, and what another tool made is told from ours.
func (c *Connector) mapListings(ctx context.Context) error {
	lister, ok := c.shop.(shopadapter.Lister)
	if !ok || c.mapped.Load() {
		return nil
	}
	done, err := c.store.Meta(metaMapped)
	if err != nil {
		return err
	}
	if done == "" {
		n, err := adopt(ctx, c.store, lister)
		if err != nil {
			c.judgeShop("list", err)
			return err
		}
		if n > 0 {
			c.log.Info("took over the listings that the shop holds as ours", "listings", n)
		}
	}
	c.mapped.Store(true)
	return nil
}

// The facts of the store that tell when what the shop holds was taken over, and since when that is under way.
const (
	metaMapped  = "mapped"
	metaMapping = "mapping"
)

// A ShopError is the shop's, met outside of work on one publication.
type ShopError struct{ err error }

func (e *ShopError) Error() string { return "list what the shop holds: " + e.err.Error() }
func (e *ShopError) Unwrap() error { return e.err }

// ErrNotEmpty says that a store holds publications already.
var ErrNotEmpty = errors.New("the store holds publications already: only an empty one is rebuilt")

// Rebuild restores the mapping of every listing that the shop holds as ours into an empty store, and returns how many there were. The content is
// compared at the next look. One that was interrupted goes on. It fails with ErrNotEmpty, or with a *ShopError.
func Rebuild(ctx context.Context, s *store.Store, lister shopadapter.Lister) (int, error) {
	done, err := s.Meta(metaMapped)
	if err != nil {
		return 0, err
	}
	begun, err := s.Meta(metaMapping)
	if err != nil {
		return 0, err
	}
	if len(s.Counts()) > 0 && (begun == "" || done != "") {
		return 0, ErrNotEmpty
	}
	return adopt(ctx, s, lister)
}

// adopt takes over what the shop holds as ours. It notes that it began: only what it wrote itself is in a store that had nothing before.
func adopt(ctx context.Context, s *store.Store, lister shopadapter.Lister) (n int, err error) {
	now := time.Now().UTC().Format(time.RFC3339)
	if len(s.Counts()) == 0 {
		if err := s.SetMeta(metaMapping, now); err != nil {
			return 0, err
		}
	}
	for listed, err := range lister.Listings(ctx) {
		if err != nil {
			return n, &ShopError{err}
		}
		taken, err := s.Adopt(string(listed.Ref.Publication), func(r *store.Record, known bool) bool {
			if known && r.ShopID != "" {
				return false
			}
			r.ShopID, r.ShopState, r.URL, r.OnSale = string(listed.Ref.Listing), listed.Ref.State, listed.URL, listed.OnSale
			r.Attempted = uint16(shopadapter.AllFields)
			r.ListedAt = store.At(time.Now())
			r.State = string(stateOf(*r))
			return true
		})
		if err != nil {
			return n, err
		}
		if taken {
			n++
		}
	}
	return n, s.SetMeta(metaMapped, now)
}
