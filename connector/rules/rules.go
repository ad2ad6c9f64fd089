// Package rules makes publications due when the merchant's rules for them change.
//
// Prices that would move though no setting has changed are held. The book of rules in the store says so before
// the first publication is marked: whatever ends the process in between, the next start holds them too.
package rules

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Followed is the result of a change of the rules.
type Followed struct {
	publication.Revision
	Held         bool // each price that the rules of prices move
	Publications int  // that are due because of it
}

// Follow compares the present rules, and the settings of prices and stock that the merchant set,
// with those in the store, and makes the publications due that they change. The new rules are
// stored once all marks are durable: after an interruption the next start does it again.
func Follow(
	ctx context.Context, s store.Store, p *publication.Settings, set map[string]string,
	writes map[string]publication.Writing, at time.Time,
) (f Followed, err error) {
	now := p.Rulebook(set, writes)
	before, _, err := publication.MetaRules.Get(ctx, s)
	if err != nil {
		return f, err
	}
	f.Revision = now.Revise(before)
	if f.Unasked || before.Held != "" && before.Held == now.Prices {
		if f.Held, err = moves(ctx, s, p); err != nil {
			return f, err
		}
	}
	if f.Held {
		now.Held = now.Prices
	}
	if now.Same(before) {
		return f, nil
	}
	if before.Held = now.Held; f.Held {
		if err := publication.MetaRules.Set(ctx, s, before); err != nil {
			return f, err
		}
	}
	if f.Figures || f.Content {
		f.Publications, err = store.ChangeAll(ctx, s, store.Query{}, func(e *store.Entry) bool { return f.Follow(e, at) })
		if err != nil {
			return f, err
		}
	}
	if f.Publications > 0 {
		err = s.SetMeta(ctx, publication.MetaFollowed, strconv.Itoa(f.Publications))
	}
	return f, errors.Join(err, publication.MetaRules.Set(ctx, s, now))
}

// moves reports whether the rules of prices move a price that was written, on sale or not.
func moves(ctx context.Context, s store.Store, p *publication.Settings) (bool, error) {
	for r, err := range store.Records(ctx, s, store.Query{}) {
		if err != nil || p.Moves(r) {
			return err == nil, err
		}
	}
	return false, nil
}

// Rewrite has groups of every listing written again, at the priority of refreshes. It returns how
// many listings follow.
func Rewrite(ctx context.Context, s store.Store, groups shopadapter.Fields, at time.Time) (n int, err error) {
	v := publication.Revision{Content: true, Written: groups}
	return store.ChangeAll(ctx, s, store.Query{}, func(e *store.Entry) bool { return v.Follow(e, at) })
}

// Held reports whether the prices that the rules move are held, also by a start that was interrupted.
func Held(ctx context.Context, s store.Store) (bool, error) {
	b, _, err := publication.MetaRules.Get(ctx, s)
	return b.Held != "", err
}
